/** What goes wrong: processes killed, sandboxes wiped, the git server away, the disk full. Every fault mends itself after a while. */
import { existsSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspacePage } from '../../src/core/api.ts';
import type { ContainerEngine } from '../../test/support/container-engine.ts';
import type { GitServer } from '../../test/support/git-server.ts';
import { killProcesses } from '../../test/support/leftovers.ts';
import type { ApiClient } from '../stack/api-client.ts';
import type { Stack } from '../stack/stack.ts';
import type { Ledger } from './ledger.ts';
import { commitsOf, type SnapshotShelf } from './places.ts';
import { findScripts, kill, killWorkerd } from './processes.ts';
import type { Random } from './random.ts';
import { PROJECTS, type ChaosTask } from './tasks.ts';

export interface Chaos {
  stack: Stack;
  api: ApiClient;
  git: GitServer;
  engine: ContainerEngine;
  /** Of the host's workspaces. */
  root: string;
  ledger: Ledger;
  shelf: SnapshotShelf;
  tasks: ChaosTask[];
  random: Random;
  /** The workspaces are on a small file system of their own. */
  canFillDisk: boolean;
  /** Longest time that a fault lasts, and that there is until the next one. */
  paceMs: number;
  losses: Losses;
  /** What the workspaces were at when workerd was killed. */
  killedDuring: Record<string, number>;
}

/** What went with a disk that was taken away. */
interface Losses {
  /** Commits that were nowhere else. */
  byRight: Set<string>;
  /** Commits that a snapshot held, too: lost by right only where the attempt had not ended. */
  inSnapshot: { sha: string; task: ChaosTask; attempt: number; atMs: number }[];
}

const FAULTS = {
  'kill-worker': killWorker,
  'kill-host': async ({ stack }) => kill(stack.host.pid()),
  'kill-script': killScript,
  'wipe-host': wipeHost,
  'kill-sandbox': killSandbox,
  'hang-sandbox': async ({ engine, random, tasks }) => engine.hang(random.pick(tasks).sandboxId),
  'git-down': async (chaos) => {
    await chaos.git.down();
    later(chaos, () => chaos.git.up());
  },
  'git-refuses': async (chaos) => {
    await chaos.git.refusePushes(REPOSITORY, 'not today');
    later(chaos, () => chaos.git.refusePushes(REPOSITORY, null));
  },
  'git-hangs': hangGit,
  'disk-full': fillDisk,
} satisfies Record<string, (chaos: Chaos) => Promise<unknown>>;

export type Fault = keyof typeof FAULTS;

const KINDS = Object.keys(FAULTS) as Fault[];
/** workerd holds all that is to survive: every third fault is its death. */
const CHOICES: Fault[] = [...KINDS, 'kill-worker', 'kill-worker', 'kill-worker'];

export const REPOSITORY = 'project';

export async function injectFault(chaos: Chaos): Promise<Fault> {
  const fault = chaos.random.pick(
    chaos.canFillDisk ? CHOICES : CHOICES.filter((choice) => choice !== 'disk-full'),
  );
  await FAULTS[fault](chaos);
  return fault;
}

const pending = new Set<Promise<void>>();

function later({ random, paceMs }: Chaos, mend: () => Promise<unknown>): void {
  // Over several other faults: an attempt that ends meanwhile, and a removal after it, find it still there.
  const mending = pause(random.between(paceMs / 4, paceMs * 5))
    .then(mend)
    .then(() => undefined)
    .catch(() => undefined)
    .finally(() => pending.delete(mending));
  pending.add(mending);
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Ends every fault that is still going on. */
export async function mendAll(chaos: Chaos): Promise<void> {
  await Promise.all(pending);
  chaos.git.mode = 'up';
  await chaos.git.up().catch(() => undefined);
  await chaos.git.refusePushes(REPOSITORY, null);
  rmSync(fillFile(chaos), { force: true });
}

// workerd

/** Half of the kills wait for a phase, so that every kind of effect is cut off in its middle; the others come at any time. */
const PHASES = [
  'cloning',
  'restoring',
  'after_create',
  'before_run',
  'agent',
  'after_run',
  'saving',
  'before_remove',
  'destroying',
];
const LOOKS = 60;

async function killWorker(chaos: Chaos): Promise<void> {
  const { random, killedDuring } = chaos;
  const wanted = random.next() < 0.5 ? null : random.pick(PHASES);
  let phases = await readPhases(chaos);
  const isThere = () => wanted === null || phases.includes(wanted);
  for (let looks = 0; looks < LOOKS && !isThere(); looks += 1) {
    await pause(50);
    phases = await readPhases(chaos);
  }
  killWorkerd();
  for (const phase of new Set(phases)) killedDuring[phase] = (killedDuring[phase] ?? 0) + 1;
}

/** Of every workspace that is at work; a service that does not answer at once is killed all the same. */
async function readPhases({ api }: Chaos): Promise<string[]> {
  const pages = PROJECTS.map((project) => api.get<WorkspacePage>(`/v1/projects/${project}/workspaces`));
  const asked = Promise.all(pages).then((all) => all.flatMap(({ workspaces }) => workspaces));
  const workspaces = await Promise.race([asked.catch(() => []), pause(500).then(() => [])]);
  return workspaces.flatMap(({ phase }) => phase ?? []);
}

// Sandboxes

/** One process of a hook or an agent, or the one that watches it. */
async function killScript({ root, engine, random }: Chaos): Promise<void> {
  const pids = [...findScripts(root), ...findScripts(engine.root)];
  const pid = pids[random.between(0, Math.max(0, pids.length - 1))];
  if (pid !== undefined) kill(pid);
}

/** As a replaced container: the supervisor ends, and with files, claim and records all that ran on them. */
async function wipeHost(chaos: Chaos): Promise<void> {
  const { root, stack, tasks, random } = chaos;
  const present = tasks.filter(({ key }) => existsSync(join(root, key)));
  if (present.length === 0) return;
  const task = random.pick(present);
  const folders = [join(root, '.edge-harness', task.key), join(root, task.key)];
  await noteLoss(chaos, task, async () => {
    kill(stack.host.pid());
    // Everything first: a script that outlived its claim would witness an incarnation without a name.
    for (const folder of folders) killProcesses(folder);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
}

async function killSandbox(chaos: Chaos): Promise<void> {
  const { engine, tasks, random } = chaos;
  const task = random.pick(tasks.filter(({ project }) => project === 'cloudflare'));
  await noteLoss(chaos, task, () => engine.kill(task.sandboxId));
}

/** Looked at before: what is on the remote then has to be there for ever. Witnesses are heard after: none is missed. */
async function noteLoss(chaos: Chaos, task: ChaosTask, take: () => Promise<void>): Promise<void> {
  const { git, shelf, ledger, losses } = chaos;
  const remote = commitsOf(git.path(REPOSITORY));
  const snapshots = shelf.commits();
  const atMs = Date.now();
  await take();
  for (const { key, attempt, detail } of ledger.readCommits()) {
    if (key !== task.key || remote.has(detail)) continue;
    if (!snapshots.has(detail)) losses.byRight.add(detail);
    else losses.inSnapshot.push({ sha: detail, task, attempt: Number(attempt), atMs });
  }
}

// Git and disk

async function hangGit(chaos: Chaos): Promise<void> {
  chaos.git.mode = 'hang';
  // Connections that hang are cut with the server: a client would wait for them until its own timeout.
  later(chaos, async () => {
    chaos.git.mode = 'up';
    await chaos.git.down();
    await chaos.git.up();
  });
}

const fillFile = ({ root }: Chaos) => join(root, '.fill');

async function fillDisk(chaos: Chaos): Promise<void> {
  const path = fillFile(chaos);
  try {
    writeFileSync(path, '');
    for (;;) writeFileSync(path, Buffer.alloc(1024 * 1024), { flag: 'a' });
  } catch {
    // Full, as it was meant to be.
  }
  later(chaos, async () => {
    truncateSync(path, 0);
    rmSync(path, { force: true });
  });
}

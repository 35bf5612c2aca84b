/** What goes wrong: processes killed, sandboxes wiped, the git server away, the disk full. Every fault mends itself after a while. */
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GitServer } from '../../test/support/git-server.ts';
import type { Stack } from '../stack/stack.ts';
import type { Random } from './random.ts';

export interface Chaos {
  stack: Stack;
  git: GitServer;
  root: string;
  random: Random;
  /** Keys whose files were taken away, with the instant: what they alone held then is lost by right. */
  wiped: { key: string; atMs: number }[];
  /** The workspaces are on a small file system of their own. */
  canFillDisk: boolean;
}

export type Fault =
  | 'kill-worker'
  | 'kill-host'
  | 'wipe'
  | 'git-down'
  | 'git-refuses'
  | 'git-hangs'
  | 'disk-full';

export async function injectFault(chaos: Chaos): Promise<Fault> {
  const kinds: Fault[] = [
    'kill-worker',
    'kill-worker',
    'kill-worker',
    'kill-host',
    'wipe',
    'git-down',
    'git-refuses',
    'git-hangs',
  ];
  const fault = chaos.random.pick(chaos.canFillDisk ? [...kinds, 'disk-full' as const] : kinds);
  switch (fault) {
    case 'kill-worker':
      killWorker();
      break;
    case 'kill-host':
      process.kill(chaos.stack.host.pid(), 'SIGKILL');
      break;
    case 'wipe':
      wipeOne(chaos);
      break;
    case 'git-down':
      await chaos.git.down();
      later(chaos, () => chaos.git.up());
      break;
    case 'git-refuses':
      await chaos.git.refusePushes('project', 'not today');
      later(chaos, () => chaos.git.refusePushes('project', null));
      break;
    case 'git-hangs':
      chaos.git.mode = 'hang';
      // Connections that hang are cut with the server: a client would wait for them until its own timeout.
      later(chaos, async () => {
        chaos.git.mode = 'up';
        await chaos.git.down();
        await chaos.git.up();
      });
      break;
    case 'disk-full':
      fillDisk(chaos);
      break;
  }
  return fault;
}

const pending = new Set<Promise<void>>();

function later({ random }: Chaos, mend: () => Promise<unknown>): void {
  const mending = new Promise((resolve) => setTimeout(resolve, random.between(200, 2500)))
    .then(mend)
    .then(() => undefined)
    .catch(() => undefined)
    .finally(() => pending.delete(mending));
  pending.add(mending);
}

/** Ends every fault that is still going on. */
export async function mendAll(chaos: Chaos): Promise<void> {
  await Promise.all(pending);
  chaos.git.mode = 'up';
  await chaos.git.up().catch(() => undefined);
  await chaos.git.refusePushes('project', null);
  rmSync(fillFile(chaos), { force: true });
}

/** workerd by its pid: our child, which Miniflare starts again. */
function killWorker(): void {
  for (const pid of childrenOf(process.pid))
    if (commandOf(pid).startsWith('workerd')) process.kill(pid, 'SIGKILL');
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.[1] === String(parent));
}

/** Fields after the command name: state, parent, … */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** A sandbox that is gone with its disk: files, claim and records, as a replaced container. */
function wipeOne({ root, random, wiped }: Chaos): void {
  const keys = existsSync(root) ? readdirSync(root).filter((name) => !name.startsWith('.')) : [];
  if (keys.length === 0) return;
  const key = random.pick(keys);
  wiped.push({ key, atMs: Date.now() });
  rmSync(join(root, '.edge-harness', key), { recursive: true, force: true });
  rmSync(join(root, key), { recursive: true, force: true });
}

const fillFile = ({ root }: Chaos) => join(root, '.fill');

function fillDisk(chaos: Chaos): void {
  const path = fillFile(chaos);
  try {
    writeFileSync(path, '');
    for (let bytes = 1; ; bytes += 1) writeFileSync(path, Buffer.alloc(1024 * 1024), { flag: 'a' });
  } catch {
    // Full, as it was meant to be.
  }
  later(chaos, async () => {
    truncateSync(path, 0);
    rmSync(path, { force: true });
  });
}

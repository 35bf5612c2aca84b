/** One chaos run: a real stack under load and faults, then quiet, then the invariants. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredEvent } from '../../durable-objects/rpc.ts';
import type { WorkspaceDetail } from '../../src/core/api.ts';
import { startContainerEngine } from '../../test/support/container-engine.ts';
import { startGitServer } from '../../test/support/git-server.ts';
import { findLeftovers } from '../../test/support/leftovers.ts';
import { ApiClient, waitFor } from '../stack/api-client.ts';
import { randomSecret, startStack } from '../stack/stack.ts';
import { injectFault, mendAll, pause, REPOSITORY, type Chaos } from './faults.ts';
import { findViolations } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { buildLoad } from './load.ts';
import { SnapshotShelf } from './places.ts';
import { Random } from './random.ts';
import { buildTasks, PROJECTS, type ChaosTask } from './tasks.ts';

export interface ChaosOptions {
  seed: number;
  kills: number;
  tasks: number;
  /** Longest time between two faults. */
  paceMs: number;
  log: (line: string) => void;
  /** Ends the run early; everything that it started ends all the same. */
  signal?: AbortSignal;
}

export interface ChaosReport {
  violations: string[];
  faults: Record<string, number>;
  killedDuring: Record<string, number>;
  attempts: number;
  commits: number;
  /** Commits that were on a disk only when it was taken away. */
  lostByRight: number;
  seconds: number;
}

const SMALL_DISK = '64m';
/** Calls that nobody answered are given up meanwhile. */
const QUIET_MS = 300_000;
/** What is due later than that, as the next try of a save that failed many times, is waited for, too, up to this. */
const MAX_QUIET_MS = 1_200_000;
/** What a due try may take. */
const TRY_MS = 60_000;
/** Requests to a service that is down are no load; but faults do not wait for ever. */
const UP_MS = 10_000;
/** The Worker as deployed, with the double of the sandbox SDK. */
const ENTRY = 'test/workers/main.ts';

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, kills, tasks: count, paceMs, log, signal } = options;
  const startedAtMs = Date.now();
  const violations: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'edge-harness-chaos-'));
  const root = join(folder, 'workspaces');
  mkdirSync(root);
  const canFillDisk = mountSmallDisk(root);
  const [git, engine] = await Promise.all([startGitServer(), startContainerEngine()]);
  const stack = await startStack({
    port: 0,
    token: randomSecret(),
    encryptionKey: randomSecret(),
    home: folder,
    stateDirectory: join(folder, 'state'),
    roots: [root],
    entry: ENTRY,
    vars: { LOCATIONS: 'host,cloudflare', CONTAINER_ENGINE_URL: engine.url },
    onLog: () => undefined,
  });
  try {
    const url = await git.repository(REPOSITORY);
    const chaos: Chaos = {
      stack,
      api: new ApiClient(stack.url, stack.token),
      git,
      engine,
      root,
      ledger: new Ledger(folder),
      shelf: new SnapshotShelf(join(folder, 'state', 'worker'), join(folder, 'shelf'), git.path(REPOSITORY)),
      tasks: buildTasks(count),
      random: new Random(seed),
      canFillDisk,
      paceMs,
      losses: { byRight: new Set(), inSnapshot: [] },
      killedDuring: {},
    };
    for (const project of PROJECTS)
      await chaos.api.call('PUT', `/v1/projects/${project}`, {
        location: project,
        repository: { url },
        workflow: chaos.ledger.workflow(root),
      });
    const faults = await Promise.race([whenAborted(signal), storm(chaos, kills, log)]);
    await mendAll(chaos);
    await Promise.race([whenAborted(signal), settle(chaos, log)]);
    violations.push(...(await findViolations(chaos)));
    for (const task of chaos.tasks.filter(({ key }) => violations.some((one) => one.includes(key))))
      await logEvents(chaos, task, log);
    return {
      violations,
      ...summarize(chaos),
      faults,
      seconds: Math.round((Date.now() - startedAtMs) / 1000),
    };
  } finally {
    await stack.stop();
    await engine.stop();
    await git.close();
    const left = await findLeftovers(folder);
    if (canFillDisk) execFileSync('umount', ['-l', root]);
    rmSync(folder, { recursive: true, force: true });
    violations.push(...left.map((process) => `a process is left at the end: ${process}`));
  }
}

const whenAborted = (signal?: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = () => reject(new Error('the run was interrupted'));
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort);
  });

/** Straight from the object: what led to a violation. */
async function logEvents({ stack }: Chaos, task: ChaosTask, log: (line: string) => void): Promise<void> {
  const namespace = await stack.worker.namespace('WORKSPACE');
  const object = namespace.get(namespace.idFromName(`${task.project}/${task.key}`)) as unknown as {
    events(after: number, limit: number): Promise<StoredEvent[]>;
  };
  for (const { at_ms, name, data } of await object.events(0, 2000))
    log(`${task.key} ${new Date(at_ms).toISOString()} ${name} ${data}`);
}

function summarize({ ledger, losses, killedDuring }: Chaos) {
  const entries = ledger.read();
  const count = (what: string) => entries.filter((entry) => entry.what === what).length;
  return {
    killedDuring,
    attempts: count('before_run'),
    commits: count('commit'),
    lostByRight: losses.byRight.size,
  };
}

/** A file system of its own, where that is allowed; else the disk is not filled. */
function mountSmallDisk(root: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', root], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Load and faults at once, until there were `kills` faults. */
async function storm(
  chaos: Chaos,
  kills: number,
  log: (line: string) => void,
): Promise<Record<string, number>> {
  const { api, random, tasks, paceMs } = chaos;
  const act = buildLoad(api, random, tasks);
  const acts = new Set<Promise<void>>();
  const faults: Record<string, number> = {};
  for (let done = 0; done < kills; done += 1) {
    await untilUp(api, UP_MS).catch(() => undefined);
    for (let requests = random.between(1, 4); requests > 0; requests -= 1) {
      // Not awaited: a request may hang on a service that is just being killed.
      const acting = act().finally(() => acts.delete(acting));
      acts.add(acting);
      await pause(random.between(paceMs / 200, paceMs / 10));
    }
    const fault = await injectFault(chaos);
    faults[fault] = (faults[fault] ?? 0) + 1;
    log(`fault ${done + 1} of ${kills}: ${fault}`);
    await pause(random.between(paceMs / 8, paceMs));
  }
  // A request that is served in the middle of the quiet would be no rest.
  await Promise.race([Promise.all(acts), pause(QUIET_MS)]);
  return faults;
}

/** No more faults: half of the tasks are ended, and everything has to come to rest by itself. */
async function settle(chaos: Chaos, log: (line: string) => void): Promise<void> {
  const { api, random, tasks } = chaos;
  await untilUp(api, QUIET_MS);
  for (const task of tasks.filter(() => random.next() < 0.5)) await endTask(api, task);
  log('quiet: waiting until every workspace is at rest');
  const startedAtMs = Date.now();
  let endAtMs = startedAtMs + QUIET_MS;
  for (;;) {
    const rests = await Promise.all(tasks.map((task) => restOf(api, task)));
    const restless = rests.filter(({ isAtRest }) => !isAtRest);
    if (restless.length === 0) return;
    const dueAtMs = Math.max(...restless.map(({ nextAtMs }) => nextAtMs + TRY_MS));
    endAtMs = Math.min(Math.max(endAtMs, dueAtMs), startedAtMs + MAX_QUIET_MS);
    if (Date.now() > endAtMs) return restless.forEach(({ what }) => log(`never at rest: ${what}`));
    // The cron's part.
    if (restless.some(({ isKept }) => isKept)) await api.call('POST', '/v1/sweep').catch(() => undefined);
    await pause(300);
  }
}

const endTask = (api: ApiClient, { project, key }: ChaosTask) =>
  waitFor(
    `${key} ended`,
    () =>
      api
        .call('PUT', `/v1/projects/${project}/tasks/${key}/state`, { state: 'Done' }, [404, 409])
        .catch(() => null),
    (answer) => answer !== null,
  );

const untilUp = (api: ApiClient, timeoutMs: number) =>
  waitFor(
    'health',
    () => api.get('/healthz').catch(() => null),
    (answer) => answer !== null,
    { timeoutMs },
  );

interface Rest {
  isAtRest: boolean;
  isKept: boolean;
  /** When it goes on by itself; 0: at any moment. */
  nextAtMs: number;
  what: string;
}

async function restOf(api: ApiClient, { key, path }: ChaosTask): Promise<Rest> {
  const rest: Rest = { isAtRest: false, isKept: false, nextAtMs: 0, what: key };
  const answer = await api.call<WorkspaceDetail>('GET', path, undefined, [404]).catch(() => null);
  if (answer === null) return rest;
  const { status, body } = answer;
  if (status === 404 || body.status === 'removed') return { ...rest, isAtRest: true };
  const { saved, kept, phase, error, next_retry_at: nextRetryAt } = body;
  const isIdle = !body.in_use && nextRetryAt === null && phase === null && kept === null;
  return {
    isAtRest: isIdle && (saved.status !== 'failed' || saved.next_try_at === null),
    isKept: kept !== null,
    nextAtMs: Math.max(0, ...[nextRetryAt, saved.next_try_at].map((at) => Date.parse(at ?? '') || 0)),
    what: `${key} ${body.status} ${phase} ${saved.status} ${saved.reason} ${error?.detail ?? ''}`,
  };
}

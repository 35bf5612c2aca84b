/** One chaos run: a real stack under load and faults, then quiet, then the invariants. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkspaceDetail } from '../../src/core/api.ts';
import { startGitServer } from '../../test/support/git-server.ts';
import { ApiClient, waitFor } from '../stack/api-client.ts';
import { randomSecret, startStack } from '../stack/stack.ts';
import { injectFault, mendAll, type Chaos } from './faults.ts';
import { findProcesses, findViolations } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { buildLoad } from './load.ts';
import { Random } from './random.ts';

export interface ChaosOptions {
  seed: number;
  kills: number;
  tasks: number;
  log: (line: string) => void;
}

export interface ChaosReport {
  violations: string[];
  faults: Record<string, number>;
  attempts: number;
  commits: number;
}

const SMALL_DISK = '64m';
const QUIET_MS = 180_000;

export async function runChaos({ seed, kills, tasks, log }: ChaosOptions): Promise<ChaosReport> {
  const random = new Random(seed);
  const folder = mkdtempSync(join(tmpdir(), 'edge-harness-chaos-'));
  const root = join(folder, 'workspaces');
  mkdirSync(root);
  const canFillDisk = mountSmallDisk(root);
  const git = await startGitServer();
  const token = randomSecret();
  const stack = await startStack({
    port: 0,
    token,
    encryptionKey: randomSecret(),
    stateDirectory: join(folder, 'state'),
    roots: [root],
    onLog: () => undefined,
  });
  const chaos: Chaos = { stack, git, root, random, wiped: [], canFillDisk };
  const ledger = new Ledger(folder);
  const api = new ApiClient(stack.url, token);
  try {
    const url = await git.repository('project');
    await api.call('PUT', '/v1/projects/chaos', {
      location: 'host',
      repository: { url },
      workflow: ledger.workflow(root),
    });
    const load = buildLoad(api, random, tasks);
    const faults = await storm(chaos, load.act, kills, log);
    await mendAll(chaos);
    await settle(api, load.keys, random, log);
    const violations = await findViolations(chaos, ledger, api, load.keys);
    const entries = ledger.read();
    const count = (what: string) => entries.filter((entry) => entry.what === what).length;
    return { violations, faults, attempts: count('before_run'), commits: count('commit') };
  } finally {
    await stack.stop();
    await git.close();
    const left = findProcesses(folder);
    if (canFillDisk) execFileSync('umount', ['-l', root]);
    rmSync(folder, { recursive: true, force: true });
    // eslint-disable-next-line no-unsafe-finally -- a leftover process is a violation of its own.
    if (left.length > 0) throw new Error(`processes left behind:\n${left.join('\n')}`);
  }
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
  act: () => Promise<void>,
  kills: number,
  log: (line: string) => void,
): Promise<Record<string, number>> {
  const faults: Record<string, number> = {};
  const { random } = chaos;
  for (let done = 0; done < kills; done += 1) {
    for (let requests = random.between(1, 4); requests > 0; requests -= 1) {
      // Not awaited: a request may hang on a service that is just being killed.
      void act();
      await new Promise((resolve) => setTimeout(resolve, random.between(20, 400)));
    }
    const fault = await injectFault(chaos);
    faults[fault] = (faults[fault] ?? 0) + 1;
    log(`fault ${done + 1} of ${kills}: ${fault}`);
    await new Promise((resolve) => setTimeout(resolve, random.between(500, 4000)));
  }
  return faults;
}

/** No more faults: half of the tasks are ended, and everything has to come to rest by itself. */
async function settle(
  api: ApiClient,
  keys: string[],
  random: Random,
  log: (line: string) => void,
): Promise<void> {
  await waitFor(
    'health',
    () => api.get('/healthz').catch(() => null),
    (answer) => answer !== null,
    { timeoutMs: QUIET_MS },
  );
  for (const key of keys) {
    if (random.next() < 0.5) continue;
    await api.call('PUT', `/v1/projects/chaos/tasks/${key}/state`, { state: 'Done' }, [404, 409]);
  }
  log('quiet: waiting until every workspace is at rest');
  for (const key of keys)
    await waitFor(
      `${key} at rest`,
      () => restOf(api, key),
      (rest) => rest === 'at rest',
      { timeoutMs: QUIET_MS, stepMs: 300 },
    ).catch((thrown: unknown) => log(String(thrown)));
}

async function restOf(api: ApiClient, key: string): Promise<string> {
  const { status, body } = await api.call<WorkspaceDetail>(
    'GET',
    `/v1/projects/chaos/workspaces/${key}`,
    undefined,
    [404],
  );
  if (status === 404 || body.status === 'removed') return 'at rest';
  if (body.kept) await api.call('POST', '/v1/sweep');
  const isIdle = !body.in_use && body.next_retry_at === null && body.phase === null && body.kept === null;
  return isIdle && body.saved.status !== 'failed'
    ? 'at rest'
    : `${body.status} ${body.phase} ${body.saved.status} ${body.saved.reason}`;
}

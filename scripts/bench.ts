/**
 * `npm run bench`: what the service adds, as ratios and differences of two things measured in turn in one run. Reports, asserts nothing:
 * machines are noisy, so read the medians. `--tasks N`: how many tasks are dispatched at once (200). `--only hook|warm|first|pages|tasks`: one of them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AttemptView, Dispatched, WorkspaceDetail, WorkspacePage } from '../src/core/api.ts';
import { SupervisorClient } from '../src/sandbox/client.ts';
import { createLoopback } from '../src/sandbox/loopback.ts';
import type { ScriptSpec } from '../src/sandbox/protocol.ts';
import { startGitServer, type GitServer } from '../test/support/git-server.ts';
import { ApiClient, waitFor } from './stack/api-client.ts';
import { misuse, readOptions } from './stack/command-line.ts';
import { startSandboxHost } from './stack/sandbox-host.ts';
import { randomSecret } from './stack/stack.ts';
import { startWorker } from './stack/worker.ts';

const RUNS = 25;
/** Between looks: each is work for the same processors. */
const STEP_MS = 100;

const USAGE = 'npm run bench -- [--tasks N] [--only hook|warm|first|pages|tasks]';
const values = readOptions(USAGE, { tasks: { type: 'string', default: '200' }, only: { type: 'string' } });

interface Bench {
  api: ApiClient;
  git: GitServer;
  root: string;
  host: { url: string; token: string };
}

const WORKFLOW = (root: string, hooks: string, agent: string) =>
  `---\nworkspace:\n  root: ${root}\nhooks:\n${hooks}\nagent:\n  command: ${agent}\n---\n`;

const BENCHMARKS: Record<string, (bench: Bench) => Promise<void>> = {
  hook: benchHook,
  warm: benchWarmAttempt,
  first: benchFirstDispatch,
  pages: benchPages,
  tasks: (bench) => benchManyTasks(bench, Number(values.tasks)),
};

async function main(): Promise<void> {
  if (values.only !== undefined && !(values.only in BENCHMARKS))
    misuse(USAGE, `there is no benchmark "${values.only}"`);
  const folder = mkdtempSync(join(tmpdir(), 'edge-harness-bench-'));
  const root = join(folder, 'workspaces');
  mkdirSync(root);
  const git = await startGitServer();
  const host = await startSandboxHost({
    roots: [root],
    stateDirectory: join(folder, 'host'),
    hidden: [],
    home: folder,
  });
  const token = randomSecret();
  const worker = await startWorker({
    port: 0,
    stateDirectory: join(folder, 'worker'),
    entry: 'test/workers/bench-entry.ts',
    onLog: () => undefined,
    vars: {
      API_TOKEN: token,
      ENCRYPTION_KEY: randomSecret(),
      LOCATIONS: 'host',
      SANDBOX_HOST_URL: host.url,
      SANDBOX_HOST_TOKEN: host.token,
    },
  });
  const bench: Bench = {
    api: new ApiClient(worker.url.origin, token),
    git,
    root,
    host,
  };
  try {
    for (const [name, run] of Object.entries(BENCHMARKS))
      if (values.only === undefined || values.only === name) await run(bench);
  } finally {
    await worker.stop();
    await host.stop();
    await git.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A hook that does nothing, from the control plane's call to its result, against bash from Node. */
async function benchHook({ host, root }: Bench): Promise<void> {
  const client = new SupervisorClient(createLoopback(host.url, host.token));
  const opened = await client.open({
    project: 'bench',
    key: 'hook',
    creation_id: 'bench-hook-1',
    claim: true,
    root,
    directory: null,
    workflow: null,
  });
  if (opened.kind !== 'answer') throw new Error(JSON.stringify(opened));
  const target = { creationId: 'bench-hook-1', directory: opened.value.directory };
  const clone = {
    id: 'clone',
    kind: 'clone',
    remote: null,
    branch: 'symphony/hook',
    base_branch: null,
    depth: null,
  } as const;
  const user = { name: 'Bench', email: 'bench@localhost' };
  await client.start(target, { ...clone, user, wait_ms: 20_000, timeout_ms: 20_000 });
  const ours: number[] = [];
  const plain: number[] = [];
  for (let run = 0; run < RUNS + 2; run += 1) {
    const bash = await timed(
      async () => void spawnSync('bash', ['-lc', 'true'], { env: { PATH: process.env['PATH'], HOME: root } }),
    );
    const hook = await timed(() => client.start(target, noop(`noop-${run}`)));
    if (run < 2) continue;
    plain.push(bash);
    ours.push(hook);
  }
  await client.destroy(target);
  const more = median(ours) - median(plain);
  say(
    'no-op hook',
    `${ms(median(ours))} against bash -lc true ${ms(median(plain))}: ${ms(more)} more (wanted: ≤ 40 ms); one call`,
  );
}

const noop = (id: string): ScriptSpec => ({
  id,
  kind: 'script',
  role: 'hook',
  script: 'true',
  env: {},
  unset: [],
  leftovers: 'kill',
  confinement: { kind: 'none' },
  wait_ms: 20_000,
  timeout_ms: 20_000,
});

/** before_run, agent, after_run and a save with nothing new in a warm workspace. */
async function benchWarmAttempt({ api, git, root }: Bench): Promise<void> {
  const url = await git.repository('warm');
  const workflow = WORKFLOW(root, '  before_run: "true"\n  after_run: "true"', '"true"');
  await api.call('PUT', '/v1/projects/warm', { location: 'host', repository: { url }, workflow });
  await dispatchAndWait(api, 'warm', 'W-1');
  const taken: number[] = [];
  const counts: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const before = await readCounts(api, 'warm');
    taken.push(await untilEnded(() => dispatchAndWait(api, 'warm', 'W-1')));
    counts.push((await readCounts(api, 'warm')).calls - before.calls);
  }
  say('warm attempt', `${ms(median(taken))}, ${median(counts)} sandbox calls (wanted: ≤ 6)`);
}

/** See bench-entry.ts. */
const readCounts = (api: ApiClient, project: string) =>
  api.get<{ calls: number; rows_read_by_sweep: number }>(`/bench/${project}`);

/** Clone, after_create, before_run, agent, after_run, push: through the service, and as one shell script. */
async function benchFirstDispatch({ api, git, root }: Bench): Promise<void> {
  const url = await git.repository('first', {
    files: { 'README.md': '# Greeter\n', 'greet.sh': 'echo hello\n' },
  });
  const commit = 'date >> CHANGES.md; git add .; git commit --quiet --message work';
  const hooks = '  after_create: "true"\n  before_run: "true"\n  after_run: "true"';
  await api.call('PUT', '/v1/projects/first', {
    location: 'host',
    repository: { url },
    workflow: WORKFLOW(root, hooks, `"${commit}"`),
  });
  const ours: number[] = [];
  const plain: number[] = [];
  for (let run = 0; run < RUNS + 1; run += 1) {
    const script = `set -e; cd "$(mktemp -d)"; git clone --quiet ${url} w; cd w; git switch --quiet --create symphony/S-${run}
bash -lc true; bash -lc true; bash -lc '${commit}'; bash -lc true; git push --quiet origin HEAD`;
    const env = {
      ...process.env,
      HOME: root,
      // Of `mktemp`: goes with the rest.
      TMPDIR: dirname(root),
      GIT_AUTHOR_NAME: 'B',
      GIT_AUTHOR_EMAIL: 'b@b',
      GIT_COMMITTER_NAME: 'B',
      GIT_COMMITTER_EMAIL: 'b@b',
    };
    const shell = await timed(async () => {
      const { status, stderr } = await runAsync('bash', ['-c', script], env);
      if (status !== 0) throw new Error(stderr);
    });
    const service = await untilEnded(() => dispatchAndWait(api, 'first', `F-${run}`));
    if (run === 0) continue;
    plain.push(shell);
    ours.push(service);
  }
  say(
    'first dispatch',
    `${ms(median(ours))} against one shell script ${ms(median(plain))}: ${ratio(ours, plain)} (wanted: ≤ 2×)`,
  );
}

/** A page of 100 out of 10 000 against 100 out of 100: the first page of two projects. */
async function benchPages({ api, root }: Bench): Promise<void> {
  await fillProject({ api, root }, 'few', 100);
  await fillProject({ api, root }, 'many', 10_000);
  const few: number[] = [];
  const many: number[] = [];
  const page = (project: string) => api.get<WorkspacePage>(`/v1/projects/${project}/workspaces?limit=100`);
  for (let run = 0; run < 4 * RUNS; run += 1) {
    few.push(await timed(() => page('few')));
    many.push(await timed(() => page('many')));
  }
  say(
    'page of 100',
    `out of 10 000 ${ms(median(many))} against out of 100 ${ms(median(few))}: ${ratio(many, few)} (wanted: ≤ 1.5×)`,
  );
  const { rows_read_by_sweep: read } = await readCounts(api, 'many');
  say(
    'sweep',
    `of 10 000 with nothing to remove: ${read} rows read, ${(read / 10).toFixed(1)} for each 1 000 (wanted: < 20)`,
  );
}

/** One workspace that ran, and as many rows like it in the project's index: see bench-entry.ts. */
async function fillProject(
  { api, root }: Pick<Bench, 'api' | 'root'>,
  project: string,
  count: number,
): Promise<void> {
  const workflow = WORKFLOW(root, '  after_create: "true"', '"true"');
  await api.call('PUT', `/v1/projects/${project}`, { location: 'host', workflow });
  await dispatchAndWait(api, project, `${project}-1`);
  await api.call('POST', `/bench/${project}/${project}-1/${count - 1}`);
}

async function benchManyTasks({ api, git, root }: Bench, count: number): Promise<void> {
  const url = await git.repository('load');
  const workflow = WORKFLOW(
    root,
    '  before_run: "true"',
    '"date > done.txt; git add .; git commit --quiet --message done"',
  );
  await api.call('PUT', '/v1/projects/load', { location: 'host', repository: { url }, workflow });
  const outcomes: string[] = [];
  let peakKib = 0;
  const sampling = setInterval(() => {
    peakKib = Math.max(peakKib, workerdKib());
  }, 500);
  const taken = await timed(async () => {
    const all = Array.from({ length: count }, (_, index) => dispatchAndWait(api, 'load', `L-${index}`));
    for (const { outcome } of await Promise.all(all)) outcomes.push(String(outcome));
  });
  clearInterval(sampling);
  const right = outcomes.filter((outcome) => outcome === 'succeeded').length;
  say(
    `${count} tasks at once`,
    `${(taken / 1000).toFixed(1)} s, ${right} succeeded; workerd's peak ${(peakKib / 1024).toFixed(0)} MiB`,
  );
}

/** Until the attempt has succeeded. */
async function dispatchAndWait(api: ApiClient, project: string, identifier: string): Promise<AttemptView> {
  const { body } = await api.call<Dispatched>('POST', `/v1/projects/${project}/dispatch`, {
    task: { identifier },
  });
  const path = `/v1/projects/${project}/workspaces/${body.workspace.key}`;
  const found = await waitFor(
    identifier,
    () => api.get<WorkspaceDetail>(path),
    ({ in_use, last_attempt }) => !in_use && last_attempt?.outcome !== null,
    { timeoutMs: 900_000, stepMs: STEP_MS },
  );
  const [last] = found.attempts;
  if (last?.outcome !== 'succeeded') throw new Error(`${identifier}: ${JSON.stringify(last)}`);
  return last;
}

async function runAsync(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ status: number; stderr: string }> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += String(chunk);
    });
    child.on('exit', (status) => resolve({ status: status ?? 1, stderr }));
  });
}

function workerdKib(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return Math.max(0, ...pids.map(residentKib));
}

function residentKib(pid: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    if (!/^Name:\s+workerd/m.test(status)) return 0;
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

/** From the request to the end that the service wrote down: when we looked does not count. */
async function untilEnded(attempt: () => Promise<AttemptView>): Promise<number> {
  const startedAtMs = Date.now();
  const { ended_at: endedAt } = await attempt();
  return Date.parse(endedAt ?? '') - startedAtMs;
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const ratio = (ours: number[], theirs: number[]): string => `${(median(ours) / median(theirs)).toFixed(2)}×`;
const say = (what: string, text: string): void => console.log(`${what.padEnd(18)} ${text}`);

console.log(
  `node ${process.version}, ${execFileSync('git', ['--version'], { encoding: 'utf8' }).trim()}, medians of ${RUNS} runs`,
);
await main();

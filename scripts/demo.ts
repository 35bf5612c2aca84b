/** `npm run demo`: a whole life of three tasks on this machine, shown step by step. Ends with `--once`, else stays up until Ctrl-C. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttemptView, Dispatched, WorkspaceDetail, WorkspacePage } from '../src/core/api.ts';
import { ApiClient, waitFor } from './stack/api-client.ts';
import { fail, messageOf, readOptions, readPort, readTokens } from './stack/command-line.ts';
import { makeDemoRepository } from './stack/demo-repository.ts';
import { Ending, onEndSignal } from './stack/end-signal.ts';
import { createSignInLink } from './stack/sign-in-link.ts';
import { randomSecret, startStack, type Stack } from './stack/stack.ts';
import { formatTable } from './stack/table.ts';

const USAGE = 'npm run demo -- [--once]   (environment: PORT, API_TOKEN)';

const WORKFLOW = `---
hooks:
  after_create: |
    echo "installing in $SYMPHONY_WORKSPACE_KEY"
    node --version > .tool-version
  before_run: |
    echo "attempt $SYMPHONY_ATTEMPT of $SYMPHONY_ISSUE_IDENTIFIER on $SYMPHONY_ISSUE_BRANCH"
    # The third task's first try finds a service that is not up yet.
    if [ "$SYMPHONY_ISSUE_IDENTIFIER" = flaky ] && [ ! -e .git/demo-service ]; then
      touch .git/demo-service
      echo "the service is not up yet" >&2
      exit 1
    fi
  after_run: |
    rm -f .tool-version
    echo "after the agent: $SYMPHONY_ATTEMPT_OUTCOME"
  before_remove: |
    echo "removing $SYMPHONY_ISSUE_IDENTIFIER"
  timeout_ms: 20000
agent:
  command: |
    echo "- $SYMPHONY_ISSUE_IDENTIFIER: $SYMPHONY_ISSUE_TITLE" >> CHANGES.md
    git add CHANGES.md
    git commit --quiet --message "Do $SYMPHONY_ISSUE_IDENTIFIER"
    git log --oneline -1
  max_retry_backoff_ms: 1000
---
Add the task to CHANGES.md and commit.
`;

const TASKS = [
  { identifier: 'ABC-1', title: 'Greet people by name', state: 'Todo' },
  { identifier: 'feat/login page', title: 'A page to sign in', state: 'Todo' },
  { identifier: 'flaky', title: 'before_run fails the first time', state: 'Todo' },
];

const startedAtMs = Date.now();
const say = (text: string) =>
  console.log(`${((Date.now() - startedAtMs) / 1000).toFixed(1).padStart(5)} s  ${text}`);

async function main(): Promise<void> {
  const { once } = readOptions(USAGE, { once: { type: 'boolean', default: false } });
  const port = readPort(USAGE, 0);
  const { token, all } = readTokens(randomSecret());
  const folder = mkdtempSync(join(tmpdir(), 'edge-harness-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const remote = makeDemoRepository(folder);
  say(`a bare repository with a small project: ${remote}`);
  const starting = startStack({
    port,
    token,
    vars: { API_TOKEN: all },
    encryptionKey: randomSecret(),
    stateDirectory: join(folder, 'state'),
    roots: [join(folder, 'workspaces')],
    // The demo shows the service, not this machine's login profile, which every `bash -lc` would run first.
    home: makeHome(folder),
  });
  const ending = new Ending(starting);
  onEndSignal(() => void ending.end(once ? 1 : 0));
  try {
    const stack = await starting;
    say(`the service is up: ${stack.url}`);
    await runDemo(new ApiClient(stack.url, stack.token), remote, join(folder, 'workspaces'));
    if (once) return await ending.end(0);
    await sayStillUp(stack);
  } catch (thrown) {
    if (!ending.isUnderWay) console.error(`\nthe demo failed: ${messageOf(thrown)}`);
    return ending.end(1);
  }
}

const sayStillUp = async (stack: Stack): Promise<void> =>
  console.log(`
Still up:

  open    ${await createSignInLink(stack)}
          signs you in, once (API: ${stack.url}/docs)
  token   ${stack.token}

Ctrl-C ends it and removes everything.`);

function makeHome(folder: string): string {
  const home = join(folder, 'home');
  mkdirSync(home);
  return home;
}

async function runDemo(api: ApiClient, remote: string, root: string): Promise<void> {
  await api.call('PUT', '/v1/projects/demo', {
    repository: { url: remote },
    location: 'host',
    workflow: WORKFLOW.replace('---\n', `---\nworkspace:\n  root: ${root}/demo\n`),
  });
  say('project demo created with its WORKFLOW.md: four hooks and an agent that edits and commits');
  const keys = await Promise.all(TASKS.map((task) => dispatch(api, task)));
  await Promise.all(keys.map((key) => watch(api, key)));
  await showWorkspaces(api);
  showBranches(remote, keys);
  await finishTask(api, remote, keys[0] ?? '');
}

async function dispatch(api: ApiClient, task: (typeof TASKS)[number]): Promise<string> {
  const { body } = await api.call<Dispatched>('POST', '/v1/projects/demo/dispatch', { task });
  say(`dispatched ${JSON.stringify(task.identifier)} → workspace ${body.workspace.key}`);
  return body.workspace.key;
}

/** Shows each hook and attempt of one workspace as it ends, until it has succeeded. */
async function watch(api: ApiClient, key: string): Promise<void> {
  const shown = new Set<string>();
  const workspace = await waitFor(
    `workspace ${key}`,
    async () => {
      const found = await api.get<WorkspaceDetail>(`/v1/projects/demo/workspaces/${key}`);
      for (const { number } of found.attempts.toReversed())
        showAttempt(
          key,
          await api.get<AttemptView>(`/v1/projects/demo/workspaces/${key}/attempts/${number}`),
          shown,
        );
      return found;
    },
    ({ in_use, last_attempt, next_retry_at }) => !in_use && last_attempt !== null && next_retry_at === null,
  );
  expect(
    workspace.last_attempt?.outcome === 'succeeded',
    `${key} ended as ${workspace.last_attempt?.outcome}`,
  );
  expect(
    workspace.saved.status === 'saved',
    `${key} is ${workspace.saved.status}: ${workspace.saved.reason}`,
  );
  if (key === 'flaky')
    expect(workspace.attempt_count === 2, `flaky took ${workspace.attempt_count} attempts, not 2`);
}

function showAttempt(key: string, attempt: AttemptView, shown: Set<string>): void {
  const once = (id: string, text: string) => {
    if (shown.has(id)) return;
    shown.add(id);
    say(`${key.padEnd(34)} ${text}`);
  };
  const id = `attempt ${attempt.number}`;
  for (const run of attempt.hooks.filter(({ hook }) => hook !== 'after_run'))
    once(`${id} ${run.hook}`, `${id}  ${run.hook.padEnd(12)} ${describe(run)}`);
  if (attempt.agent) once(`${id} agent`, `${id}  ${'agent'.padEnd(12)} ${describe(attempt.agent)}`);
  for (const run of attempt.hooks.filter(({ hook }) => hook === 'after_run'))
    once(`${id} ${run.hook}`, `${id}  ${run.hook.padEnd(12)} ${describe(run)}`);
  if (attempt.outcome === null) return;
  const save = attempt.save ? `, branch ${attempt.save.status} ${attempt.save.sha?.slice(0, 8) ?? ''}` : '';
  once(`${id} end`, `${id}  ${attempt.outcome}${attempt.failure ? ` (${attempt.failure.code})` : ''}${save}`);
}

function describe(run: AttemptView['hooks'][number] | NonNullable<AttemptView['agent']>): string {
  const output = `${run.stdout?.text ?? ''}${run.stderr?.text ?? ''}`.trim().replaceAll('\n', ' ⏎ ');
  return `${run.outcome.padEnd(6)} ${String(run.duration_ms).padStart(5)} ms   ${output}`;
}

async function showWorkspaces(api: ApiClient): Promise<void> {
  const { workspaces } = await api.get<WorkspacePage>('/v1/projects/demo/workspaces');
  const rows = workspaces.map(({ key, branch, status, saved, attempt_count }) => [
    key,
    branch,
    status,
    `${saved.status} ${saved.sha?.slice(0, 8) ?? ''}`,
    String(attempt_count),
  ]);
  console.log(`\n${formatTable([['workspace', 'branch', 'status', 'saved', 'attempts'], ...rows])}\n`);
}

function showBranches(remote: string, keys: string[]): void {
  const branches = listBranches(remote);
  say(`branches on the remote: ${branches.join(', ')}`);
  for (const key of keys)
    expect(branches.includes(`symphony/${key}`), `symphony/${key} is not on the remote`);
}

const listBranches = (remote: string): string[] =>
  execFileSync('git', ['for-each-ref', '--format=%(refname:short)', 'refs/heads'], {
    cwd: remote,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

async function finishTask(api: ApiClient, remote: string, key: string): Promise<void> {
  const path = `/v1/projects/demo/workspaces/${key}`;
  const { task, path: folder } = await api.get<WorkspaceDetail>(path);
  await api.call('PUT', `/v1/projects/demo/tasks/${encodeURIComponent(task.id)}/state`, { state: 'Done' });
  say(`${key} is Done: its branch is saved, before_remove runs, the workspace goes`);
  await waitFor(
    `removal of ${key}`,
    () => api.get<WorkspaceDetail>(path),
    ({ status }) => status === 'removed',
  );
  expect(listBranches(remote).includes(`symphony/${key}`), `symphony/${key} went with its workspace`);
  say(`${key} is removed (${folder} is gone), its branch symphony/${key} is still on the remote`);
  await showWorkspaces(api);
}

function expect(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

await main().catch(fail);

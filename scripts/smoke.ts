/**
 * `npm run smoke -- --url U --token T --location L [--repository R]`: a whole life of a task against any deployment, one line a step;
 * exits non-zero at the first wrong answer. Leaves nothing behind but the task's branch in R.
 */
import {
  LocationName,
  type AttemptView,
  type Dispatched,
  type ExecLine,
  type WorkspaceDetail,
  type WorkspacePage,
} from '../src/core/api.ts';
import { ApiClient, waitFor } from './stack/api-client.ts';
import { messageOf, misuse, readOptions } from './stack/command-line.ts';

const USAGE = 'npm run smoke -- --url URL --token TOKEN --location cloudflare|docker|host [--repository URL]';

/** A cold sandbox boots, and its clone goes over a real network. */
const LONG = { timeoutMs: 300_000, stepMs: 500 };

const WORKFLOW = `---
hooks:
  after_create: echo created > .git/smoke-created
  before_run: test -e .git/smoke-created && echo "before $SYMPHONY_ISSUE_IDENTIFIER"
  after_run: echo "after $SYMPHONY_ATTEMPT_OUTCOME"
  before_remove: echo bye
agent:
  command: |
    date -u +%s%N >> smoke.txt
    git add smoke.txt
    git commit --quiet --message smoke
---
`;

interface Options {
  url: string;
  token: string;
  location: string;
  repository: string | undefined;
}

function checkedOptions(): Options {
  const text = { type: 'string' } as const;
  const { url, token, location, repository } = readOptions(USAGE, {
    url: text,
    token: text,
    location: text,
    repository: text,
  });
  if (url === undefined || token === undefined || location === undefined)
    return misuse(USAGE, '--url, --token and --location are needed');
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    return misuse(USAGE, `--url ${url}: it must be a URL such as http://127.0.0.1:8787`);
  if (!LocationName.safeParse(location).success)
    return misuse(USAGE, `--location ${location}: it must be one of ${LocationName.options.join(', ')}`);
  return { url, token, location, repository };
}

async function main(): Promise<void> {
  const options = checkedOptions();
  const api = new ApiClient(options.url, options.token);
  const project = `smoke-${Date.now().toString(36)}`;
  const startedAtMs = Date.now();
  const step = (text: string) =>
    console.log(`ok  ${String(Date.now() - startedAtMs).padStart(6)} ms  ${text}`);
  try {
    await runLife(api, options, project, step);
    console.log('smoke: every step was right');
  } catch (thrown) {
    console.error(`WRONG  ${messageOf(thrown)}`);
    process.exitCode = 1;
  }
  await cleanUp(api, project).catch((thrown: unknown) => {
    console.error(`WRONG  clean-up: ${messageOf(thrown)}`);
    process.exitCode = 1;
  });
}

async function runLife(
  api: ApiClient,
  options: Options,
  project: string,
  step: (text: string) => void,
): Promise<void> {
  const task = { identifier: `SMOKE/${project}`, title: '$(touch /tmp/injected) "quoted"', state: 'Todo' };
  const base = `/v1/projects/${project}`;
  await api.call('GET', '/healthz');
  step('health');
  await refuseWrongToken(options.url);
  step('a wrong token is refused');
  await createProject(api, base, options);
  step(`project ${project} at location ${options.location}`);
  const { body } = await api.call<Dispatched>('POST', `${base}/dispatch`, { task });
  const path = `${base}/workspaces/${body.workspace.key}`;
  step(`dispatched, workspace ${body.workspace.key}`);
  await expectRefusal(api, 'POST', `${base}/dispatch`, { task }, 'attempt_in_progress');
  step('a second dispatch is refused while the first runs');
  await expectAttempt(api, path, 1, ['after_create', 'before_run', 'after_run']);
  step('attempt 1 succeeded: after_create, before_run, agent, after_run');
  await expectSaved(api, path, options.repository !== undefined);
  step(
    options.repository === undefined ? 'the commit is kept (no repository)' : 'the branch is on the remote',
  );
  await runExternal(api, base, path, task);
  step('attempt 2: the same files, a caller-run agent with exec and finish; after_create did not run again');
  const page = await api.get<WorkspacePage>(`${base}/workspaces`);
  expect(page.workspaces.length === 1, `one workspace is listed, not ${page.workspaces.length}`);
  step('listed');
  await endTask(api, base, path, task, options.repository !== undefined);
  step('the task is done and its workspace removed');
}

async function refuseWrongToken(url: string): Promise<void> {
  const answer = await fetch(`${url.replace(/\/+$/, '')}/v1/projects`, {
    headers: { authorization: 'Bearer wrong' },
  });
  expect(answer.status === 401, `a wrong token answers 401, not ${answer.status}`);
}

async function createProject(api: ApiClient, base: string, { location, repository }: Options): Promise<void> {
  await api.call('PUT', base, {
    location,
    workflow: WORKFLOW,
    ...(repository === undefined ? {} : { repository: { url: repository } }),
  });
}

async function expectAttempt(api: ApiClient, path: string, number: number, hooks: string[]): Promise<void> {
  const attempt = await waitFor(
    `attempt ${number}`,
    () => api.get<AttemptView>(`${path}/attempts/${number}`),
    ({ outcome }) => outcome !== null,
    LONG,
  );
  expect(
    attempt.outcome === 'succeeded',
    `attempt ${number} succeeds, but: ${JSON.stringify(attempt.failure)}`,
  );
  const ran = attempt.hooks.map(({ hook, outcome }) => `${hook} ${outcome}`).join(', ');
  expect(
    ran === hooks.map((hook) => `${hook} ok`).join(', '),
    `attempt ${number} runs ${hooks.join(', ')}, but: ${ran}`,
  );
}

async function expectSaved(api: ApiClient, path: string, hasRepository: boolean): Promise<void> {
  const { saved } = await api.get<WorkspaceDetail>(path);
  const wanted = hasRepository ? 'saved' : 'no_repository';
  expect(saved.status === wanted, `the saved status is ${wanted}, but: ${saved.status} ${saved.reason}`);
}

async function runExternal(api: ApiClient, base: string, path: string, task: object): Promise<void> {
  await api.call('POST', `${base}/dispatch`, { task, agent: 'external' });
  await waitFor(
    'phase agent_wait',
    () => api.get<WorkspaceDetail>(path),
    ({ phase }) => phase === 'agent_wait',
    LONG,
  );
  const { body } = await api.call<string>('POST', `${path}/exec`, {
    command: 'wc -l < smoke.txt; exit 3',
  });
  const lines = (typeof body === 'string' ? body : JSON.stringify(body))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ExecLine);
  const last = lines.at(-1);
  expect(
    last !== undefined && 'outcome' in last && last.exit_code === 3,
    `exec ends with exit code 3, but: ${body}`,
  );
  const printed = lines.map((line) => ('data' in line ? line.data : '')).join('');
  expect(printed.trim() === '1', `the earlier attempt's file has one line, but exec printed: ${printed}`);
  await api.call('POST', `${path}/attempts/2/finish`, { outcome: 'succeeded' });
  await expectAttempt(api, path, 2, ['before_run', 'after_run']);
}

async function endTask(
  api: ApiClient,
  base: string,
  path: string,
  task: { identifier: string },
  hasRepository: boolean,
): Promise<void> {
  if (hasRepository)
    await api.call('PUT', `${base}/tasks/${encodeURIComponent(task.identifier)}/state`, { state: 'Done' });
  else await api.call('DELETE', `${path}?discard=true`);
  await waitFor(
    'removal',
    () => api.get<WorkspaceDetail>(path),
    ({ status }) => status === 'removed',
    LONG,
  );
}

async function expectRefusal(
  api: ApiClient,
  method: string,
  path: string,
  body: unknown,
  code: string,
): Promise<void> {
  const answer = await api.call<{ code: string }>(method, path, body, [400, 404, 409, 422]);
  expect(
    answer.body.code === code,
    `${method} ${path} is refused with ${code}, but: ${answer.status} ${answer.body.code}`,
  );
}

async function cleanUp(api: ApiClient, project: string): Promise<void> {
  const base = `/v1/projects/${project}`;
  const { body, status } = await api.call<WorkspacePage>('GET', `${base}/workspaces`, undefined, [404]);
  if (status === 404) return;
  for (const { key, status: state } of body.workspaces) {
    if (state === 'removed') continue;
    await api.call('DELETE', `${base}/workspaces/${key}?cancel=true&discard=true`, undefined, [409]);
    await waitFor(
      'clean-up',
      () => api.get<WorkspaceDetail>(`${base}/workspaces/${key}`),
      (found) => found.status === 'removed',
      LONG,
    );
  }
  await api.call('DELETE', base, undefined, [404, 409]);
}

function expect(condition: boolean, fact: string): void {
  if (!condition) throw new Error(fact);
}

await main();

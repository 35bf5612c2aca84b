/** Section 5's main rows over the whole stack, told from the events that the workspace recorded and from what the hooks themselves wrote. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

/** All four hooks leave a line in the trace. */
const HOOKS = `hooks:
  after_create: echo "after_create" >> "$TRACE"
  before_run: echo "before_run $SYMPHONY_ATTEMPT" >> "$TRACE"
  after_run: echo "after_run $SYMPHONY_ATTEMPT $SYMPHONY_ATTEMPT_OUTCOME" >> "$TRACE"
  before_remove: echo "before_remove" >> "$TRACE"`;
const COMMIT =
  'echo "agent $SYMPHONY_ATTEMPT" >> "$TRACE"; echo x >> work.txt; git add work.txt; git commit -qm work';
const agent = (command: string, more = '') => `agent:
  max_retry_backoff_ms: 100
  command: ${JSON.stringify(command)}${more}`;

const FIRST_ATTEMPT = [
  'attempt 1 begins',
  'workspace cloned_from remote',
  'after_create ok',
  'workspace ready',
  'before_run ok',
  'agent ok',
  'after_run ok',
  'save saved',
  'attempt 1 succeeded',
];

const folderOf = async (project: TestProject, key: string) => (await project.view(key)).path ?? '';
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8' }).trimEnd();

describe.concurrent('dispatch', () => {
  test('the first dispatch clones, runs after_create, then before_run, agent, after_run and the save, each once', async () => {
    const project = await stack.project({ workflow: `${HOOKS}\n${agent(COMMIT)}` });
    const workspace = await project.run('ABC-1');
    expect(await project.story('ABC-1')).toEqual(FIRST_ATTEMPT);
    expect(project.trace()).toEqual(['after_create', 'before_run 1', 'agent 1', 'after_run 1 succeeded']);
    expect(workspace).toMatchObject({ status: 'ready', saved: { status: 'saved' }, attempt_count: 1 });
    expect(await stack.server.sha(project.id, 'symphony/ABC-1')).toBe(workspace.head);
  });

  test('a second dispatch finds HEAD, index, untracked and ignored files exactly as the first left them', async () => {
    const leave = [
      'echo "*.log" > .gitignore; git add .gitignore; git commit -qm ignore',
      'echo staged > staged.txt; git add staged.txt',
      'echo changed >> README.md',
      'echo untracked > untracked.txt; echo ignored > ignored.log',
      'mkdir -p node_modules/x; echo dep > node_modules/x/index.js; touch -d 2001-01-01 untracked.txt',
    ].join('\n');
    const look =
      'git rev-parse HEAD; git status --porcelain --ignored; git diff --cached; git diff; stat -c %Y untracked.txt; cat ignored.log node_modules/x/index.js';
    const project = await stack.project({ workflow: `${HOOKS}\n${agent('true')}` });
    await project.run('ABC-1', { agent: { command: `${leave}\n(${look}) > "$TRACE.first"` } });
    await project.run('ABC-1', { agent: { command: `(${look}) > "$TRACE.second"` } });
    const [first, second] = ['first', 'second'].map((name) =>
      readFileSync(`${project.tracePath}.${name}`, 'utf8'),
    );
    expect(second).toBe(first);
    expect(first).toContain('A  staged.txt');
    expect(first).toContain('!! ignored.log');
    expect((await project.story('ABC-1')).filter((line) => /clone|after_create/.test(line))).toHaveLength(2);
  });

  test('20 dispatches at once make one clone, one after_create and one attempt, and 19 get attempt_in_progress', async () => {
    const project = await stack.project({ workflow: `${HOOKS}\n${agent(COMMIT)}` });
    const body = { task: { identifier: 'ABC-1' } };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        stack.api.call<{ code?: string }>('POST', project.path('/dispatch'), body, [409]),
      ),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.flatMap(({ body: { code } }) => code ?? [])).toEqual(
      Array.from({ length: 19 }, () => 'attempt_in_progress'),
    );
    const workspace = await project.settled('ABC-1');
    expect(workspace.attempt_count).toBe(1);
    expect(await project.story('ABC-1')).toEqual(FIRST_ATTEMPT);
    expect(project.trace()).toEqual(['after_create', 'before_run 1', 'agent 1', 'after_run 1 succeeded']);
  });

  test('a dispatch of a removed workspace starts a new one from its saved branch', async () => {
    const project = await stack.project({ workflow: `${HOOKS}\n${agent(COMMIT)}` });
    const before = await project.run('ABC-1', { state: 'Todo' });
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'removed');
    expect(existsSync(before.path ?? '')).toBe(false);
    const again = await project.run('ABC-1', { state: 'Todo' });
    expect(again.attempt_count).toBe(1);
    expect(git(again.path ?? '', 'rev-parse', 'HEAD~1')).toBe(before.head);
    expect(project.trace().filter((line) => line === 'after_create')).toHaveLength(2);
    expect(await stack.server.sha(project.id, 'symphony/ABC-1')).toBe(again.head);
  });

  test('a dispatch with another id for the same key is refused, and a renamed task keeps its workspace', async () => {
    const project = await stack.project({ workflow: agent('true') });
    await project.run('ABC-1', { id: '10' });
    const refused = await project.refusal('POST', '/dispatch', { task: { identifier: 'ABC-1', id: '11' } });
    expect(refused).toMatchObject({ status: 409, code: 'workspace_key_conflict' });
    const { workspace } = await project.dispatch('XYZ-9', { id: '10' });
    expect(workspace).toMatchObject({ key: 'ABC-1', task: { identifier: 'XYZ-9', id: '10' } });
    await project.settled('ABC-1');
  });

  test('a dispatch of a task in a terminal state is refused as task_terminal and leaves no workspace', async () => {
    const project = await stack.project({ workflow: agent('true') });
    const refused = await project.refusal('POST', '/dispatch', {
      task: { identifier: 'ABC-1', state: ' done ' },
    });
    expect(refused).toMatchObject({ status: 422, code: 'task_terminal' });
    const list = await stack.api.get<{ workspaces: unknown[] }>(project.path('/workspaces'));
    expect(list.workspaces).toEqual([]);
  });
});

describe.concurrent('hooks that fail', () => {
  test('after_create failing removes the folder and fails the attempt; the retry runs it again from nothing', async () => {
    const project = await stack.project({
      workflow: `hooks:
  after_create: |
    echo "after_create $(ls | tr '\\n' ' ')" >> "$TRACE"
    touch left-over
    [ -e "$TRACE.ok" ] || { touch "$TRACE.ok"; exit 3; }
  before_run: echo before_run >> "$TRACE"
  after_run: echo after_run >> "$TRACE"
${agent('true', '\n  max_attempts: 2')}`,
    });
    await project.run('ABC-1');
    expect(project.trace()).toEqual([
      'after_create README.md ',
      'after_create README.md ',
      'before_run',
      'after_run',
    ]);
    expect(await project.story('ABC-1')).toEqual([
      'attempt 1 begins',
      'workspace cloned_from remote',
      'after_create failed 3',
      'workspace discarded',
      'after_run skipped',
      'attempt 1 failed after_create_failed, to be retried',
      'attempt 2 begins',
      'workspace cloned_from remote',
      'after_create ok',
      'workspace ready',
      'before_run ok',
      'agent ok',
      'after_run ok',
      'save nothing_to_save',
      'workspace snapshot written',
      'attempt 2 succeeded',
    ]);
    expect(await project.attempt('ABC-1', 1)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'after_create_failed' },
      agent: null,
      hooks: [
        { hook: 'after_create', outcome: 'failed', exit_code: 3 },
        { hook: 'after_run', outcome: 'skipped' },
      ],
    });
  });

  test('after_create that always fails leaves no folder, and the workspace is failed', async () => {
    const project = await stack.project({
      workflow: `hooks:\n  after_create: pwd > "$TRACE"; exit 1\n${agent('true', '\n  max_attempts: 1')}`,
    });
    const workspace = await project.run('ABC-1');
    expect(workspace).toMatchObject({ status: 'failed', error: { code: 'after_create_failed' } });
    const [folder = ''] = project.trace();
    expect(folder).toMatch(/ABC-1$/);
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(join(folder, '..', '.edge-harness', 'ABC-1'))).toBe(false);
  });

  test('before_run failing starts no agent, runs after_run, and is retried after its backoff', async () => {
    const project = await stack.project({
      workflow: `hooks:
  before_run: |
    echo "before_run $SYMPHONY_ATTEMPT" >> "$TRACE"
    [ "$SYMPHONY_ATTEMPT" != 1 ]
  after_run: echo "after_run $SYMPHONY_ATTEMPT $SYMPHONY_ATTEMPT_OUTCOME" >> "$TRACE"
agent:
  command: echo "agent $SYMPHONY_ATTEMPT" >> "$TRACE"
  max_retry_backoff_ms: 1500`,
    });
    await project.run('ABC-1');
    expect(project.trace()).toEqual([
      'before_run 1',
      'after_run 1 failed',
      'before_run 2',
      'agent 2',
      'after_run 2 succeeded',
    ]);
    const [first, second] = [await project.attempt('ABC-1', 1), await project.attempt('ABC-1', 2)];
    expect(first).toMatchObject({
      try: 1,
      outcome: 'failed',
      failure: { code: 'before_run_failed' },
      agent: null,
    });
    expect(second).toMatchObject({ try: 2, outcome: 'succeeded' });
    const pauseMs = Date.parse(second.started_at) - Date.parse(first.ended_at ?? '');
    expect(pauseMs).toBeGreaterThanOrEqual(1500);
  });

  test('a failing agent is tried max_attempts times per dispatch, and a new dispatch counts anew', async () => {
    const project = await stack.project({
      workflow: agent('echo "$SYMPHONY_ATTEMPT" >> "$TRACE"; exit 7', '\n  max_attempts: 2'),
    });
    await project.run('ABC-1');
    expect(project.trace()).toEqual(['1', '2']);
    await project.run('ABC-1');
    expect(project.trace()).toEqual(['1', '2', '3', '4']);
    expect(await project.attempt('ABC-1', 4)).toMatchObject({
      try: 2,
      outcome: 'failed',
      failure: { code: 'agent_failed' },
      agent: { outcome: 'failed', exit_code: 7 },
    });
  });

  test('after_run and before_remove failing are noted and change nothing else', async () => {
    const project = await stack.project({
      workflow: `hooks:\n  after_run: exit 4\n  before_remove: exit 5\n${agent(COMMIT)}`,
    });
    await project.run('ABC-1', { state: 'Todo' });
    expect(await project.attempt('ABC-1', 1)).toMatchObject({
      outcome: 'succeeded',
      failure: null,
      hooks: [{ hook: 'after_run', outcome: 'failed', exit_code: 4 }],
      save: { status: 'saved' },
    });
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'removed');
    expect((await project.story('ABC-1')).slice(-5)).toEqual([
      'workspace task_state Done',
      'removal started terminal',
      'save saved',
      'before_remove failed 5',
      'removal removed',
    ]);
  });

  test("a hook's timeout shows in its own outcome, and the attempt fails as before_run_failed", async () => {
    const project = await stack.project({
      workflow: `hooks:\n  before_run: sleep 60\n  timeout_ms: 300\n${agent('true', '\n  max_attempts: 1')}`,
    });
    await project.run('ABC-1');
    expect(await project.attempt('ABC-1', 1)).toMatchObject({
      failure: { code: 'before_run_failed' },
      hooks: [{ hook: 'before_run', outcome: 'timeout' }],
    });
  });

  test('an agent that runs out of time is timed_out, and after_run hears of it', async () => {
    const project = await stack.project({
      workflow: `hooks:\n  after_run: echo "$SYMPHONY_ATTEMPT_OUTCOME" >> "$TRACE"\n${agent('sleep 60', '\n  max_attempts: 1\n  timeout_ms: 300')}`,
    });
    const workspace = await project.run('ABC-1');
    expect(workspace.last_attempt).toEqual({ number: 1, outcome: 'timed_out' });
    expect(project.trace()).toEqual(['timed_out']);
  });
});

describe.concurrent('the end of a task', () => {
  test('a terminal state saves, runs before_remove, removes the folder and keeps the branch, in this order', async () => {
    const project = await stack.project({
      workflow: `hooks:\n  before_remove: echo "before_remove $(git rev-parse HEAD)" >> "$TRACE"\n${agent(COMMIT)}`,
    });
    const workspace = await project.run('ABC-1', { state: 'Todo' });
    const folder = await folderOf(project, 'ABC-1');
    git(folder, '-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'later');
    const head = git(folder, 'rev-parse', 'HEAD');
    const { body } = await project.setState('ABC-1', 'DONE ');
    expect(body.effect).toBe('removal_started');
    await project.status('ABC-1', 'removed');
    expect(project.trace().at(-1)).toBe(`before_remove ${head}`);
    expect(head).not.toBe(workspace.head);
    expect(existsSync(folder)).toBe(false);
    expect(await stack.server.sha(project.id, 'symphony/ABC-1')).toBe(head);
    expect((await project.story('ABC-1')).slice(-5)).toEqual([
      'workspace task_state DONE ',
      'removal started terminal',
      'save saved',
      'before_remove ok',
      'removal removed',
    ]);
  });

  test('a before_remove that hangs is ended at its timeout, with all that it started; the removal goes on', async () => {
    const nap = `sleep 86401.${process.pid}`;
    const project = await stack.project({
      workflow: `hooks:\n  timeout_ms: 1000\n  before_remove: |\n    trap '' TERM; setsid ${nap} & while :; do ${nap}; done\n${agent(COMMIT)}`,
    });
    await project.run('ABC-1', { state: 'Todo' });
    const folder = await folderOf(project, 'ABC-1');
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'removed');
    expect((await project.story('ABC-1')).slice(-3)).toEqual([
      'save saved',
      'before_remove timeout',
      'removal removed',
    ]);
    expect(existsSync(folder)).toBe(false);
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(nap);
  });

  test('while it is being removed, re-opening, dispatch, save and exec answer workspace_removing', async () => {
    const project = await stack.project({
      workflow: `hooks:\n  before_remove: |\n    echo before_remove >> "$TRACE"\n    until [ -e "$TRACE.go" ]; do sleep 0.05; done\n${agent(COMMIT)}`,
    });
    await project.run('ABC-1', { state: 'Todo' });
    await project.setState('ABC-1', 'Done');
    await project.traced('before_remove');
    const refusals = [
      await project.refusal('PUT', '/tasks/ABC-1/state', { state: 'Todo' }),
      await project.refusal('POST', '/dispatch', { task: { identifier: 'ABC-1', state: 'Todo' } }),
      await project.refusal('POST', '/workspaces/ABC-1/save'),
      await project.refusal('POST', '/workspaces/ABC-1/exec', { command: 'true' }),
    ];
    expect(refusals.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'workspace_removing'));
    execFileSync('touch', [`${project.tracePath}.go`]);
    await project.status('ABC-1', 'removed');
    expect(project.trace().filter((line) => line === 'before_remove')).toEqual(['before_remove']);
  });
});

// One after the other: a sweep asks the workspaces of every project.
describe('a sweep', () => {
  test('a removal whose save is refused keeps the workspace with its reason; a sweep removes it once the remote accepts', async () => {
    const project = await stack.project({ workflow: `${HOOKS}\n${agent(COMMIT)}` });
    await stack.server.refusePushes(project.id, 'not today');
    await project.run('ABC-1', { state: 'Todo' });
    await project.setState('ABC-1', 'Done');
    const kept = await project.status('ABC-1', 'kept');
    expect(kept.kept?.reason).toContain('not today');
    expect(existsSync(kept.path ?? '')).toBe(true);
    const report = await stack.api.call<{ kept: unknown[] }>('POST', '/v1/sweep');
    expect(report.body.kept).toContainEqual(
      expect.objectContaining({
        project: project.id,
        key: 'ABC-1',
        reason: expect.stringContaining('not today'),
      }),
    );
    await stack.server.refusePushes(project.id, null);
    await stack.api.call('POST', '/v1/sweep');
    await project.status('ABC-1', 'removed');
    expect(await stack.server.sha(project.id, 'symphony/ABC-1')).toBe(kept.head);
    expect(project.trace().filter((line) => line === 'before_remove')).toHaveLength(1);
    const listed = await stack.api.get<{ workspaces: { status: string }[] }>(project.path('/workspaces'));
    expect(listed.workspaces.map(({ status }) => status)).toEqual(['removed']);
  });

  test('a kept workspace whose task is re-opened stays, and is not removed by a sweep', async () => {
    const project = await stack.project({ workflow: agent(COMMIT) });
    await stack.server.refusePushes(project.id, 'no');
    await project.run('ABC-1', { state: 'Todo' });
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'kept');
    await project.setState('ABC-1', 'Todo');
    await stack.server.refusePushes(project.id, null);
    await stack.api.call('POST', '/v1/sweep');
    const workspace = await project.view('ABC-1');
    expect(workspace).toMatchObject({ status: 'ready', kept: null });
    const again = await project.run('ABC-1');
    expect(again).toMatchObject({ attempt_count: 2, saved: { status: 'saved' } });
  });

  test('an unknown task answers task_not_found, and a state that is not terminal removes nothing', async () => {
    const project = await stack.project({ workflow: agent(COMMIT) });
    expect(await project.refusal('PUT', '/tasks/none/state', { state: 'Done' })).toMatchObject({
      code: 'task_not_found',
    });
    await project.run('ABC-1', { state: 'Todo' });
    const { body } = await project.setState('ABC-1', 'In Review');
    expect(body.effect).toBe('none');
    await stack.api.call('POST', '/v1/sweep');
    expect(await project.view('ABC-1')).toMatchObject({ status: 'ready', task: { state: 'In Review' } });
  });
});

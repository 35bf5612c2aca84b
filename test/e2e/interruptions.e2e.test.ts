/** Section 5's rows for an attempt that somebody ends, deletes or drives from outside, over the whole stack. */
import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttemptView, ExecLine } from '../../src/core/api.ts';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

/** Says where it is, then waits for the test: `step before_run` holds up before_run. */
const held = (name: string) => `|
    echo "${name}" >> "$TRACE"
    until [ -e "$TRACE.${name}" ]; do sleep 0.05; done
    echo "${name} done" >> "$TRACE"`;
const HELD = (names: string[]) =>
  names.length === 0 ? '' : `hooks:\n${names.map((name) => `  ${name}: ${held(name)}`).join('\n')}\n`;
const release = (project: TestProject, name: string) => writeFileSync(`${project.tracePath}.${name}`, '');
const agent = (command: string) =>
  `agent:\n  max_retry_backoff_ms: 100\n  command: ${JSON.stringify(command)}`;
const cancel = (project: TestProject, number = 1) =>
  stack.api.call<AttemptView>('POST', project.path(`/workspaces/ABC-1/attempts/${number}/cancel`));
const AFTER_RUN = '  after_run: echo "after_run $SYMPHONY_ATTEMPT_OUTCOME" >> "$TRACE"\n';
const COMMIT = 'echo x >> work.txt; git add work.txt; git commit -qm work';

const exec = async (project: TestProject, command: string) => {
  const { body } = await stack.api.call<string>('POST', project.path('/workspaces/ABC-1/exec'), {
    command,
  });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ExecLine);
};
const finish = (project: TestProject, body: unknown) =>
  stack.api.call('POST', project.path('/workspaces/ABC-1/attempts/1/finish'), body);

describe.concurrent('cancel', () => {
  test('during after_create: the script ends within 5 s, the folder goes, the attempt is cancelled and not retried', async () => {
    const project = await stack.project({
      workflow: `${HELD(['after_create'])}${AFTER_RUN}${agent('true')}`,
    });
    await project.dispatch('ABC-1');
    await project.traced('after_create');
    const { path } = await project.view('ABC-1');
    const startedAtMs = Date.now();
    await cancel(project);
    const workspace = await project.settled('ABC-1');
    // The limit is the hook's end; discarding and the test's own polling come on top on a busy machine.
    const [hook] = (await project.attempt('ABC-1', 1)).hooks;
    expect(hook).toMatchObject({ hook: 'after_create', outcome: 'cancelled' });
    expect(Date.now() - startedAtMs).toBeLessThan(15_000);
    expect(workspace).toMatchObject({ last_attempt: { outcome: 'cancelled' }, next_retry_at: null });
    expect(existsSync(path ?? '')).toBe(false);
    expect(project.trace()).toEqual(['after_create']);
  });

  test('during before_run: no agent, after_run runs and hears `cancelled`, the branch is saved', async () => {
    const project = await stack.project({
      workflow: `${HELD(['before_run'])}${AFTER_RUN}${agent('echo agent >> "$TRACE"')}`,
    });
    await project.dispatch('ABC-1');
    await project.traced('before_run');
    const startedAtMs = Date.now();
    await cancel(project);
    await project.until('ABC-1', 'past before_run', ({ phase }) => phase !== 'before_run');
    expect(Date.now() - startedAtMs).toBeLessThan(5_000);
    await project.settled('ABC-1');
    expect(project.trace()).toEqual(['before_run', 'after_run cancelled']);
    expect(await project.attempt('ABC-1', 1)).toMatchObject({
      outcome: 'cancelled',
      failure: { code: 'cancelled' },
      agent: null,
      save: { status: 'nothing_to_save' },
    });
  });

  test('during the agent: it and its children are killed, after_run runs, commits are saved', async () => {
    const project = await stack.project({
      workflow: `hooks:\n${AFTER_RUN}${agent(`${COMMIT}; (sleep 300 &) ; echo agent >> "$TRACE"; sleep 300`)}`,
    });
    await project.dispatch('ABC-1');
    await project.traced('agent');
    await cancel(project);
    const workspace = await project.settled('ABC-1');
    expect(project.trace()).toEqual(['agent', 'after_run cancelled']);
    expect(await project.attempt('ABC-1', 1)).toMatchObject({
      outcome: 'cancelled',
      agent: { outcome: 'cancelled' },
    });
    expect(await stack.server.sha(project.id, 'symphony/ABC-1')).toBe(workspace.head);
  });

  test('during after_run: attempt_ended, and after_run finishes', async () => {
    const project = await stack.project({ workflow: `${HELD(['after_run'])}${agent('true')}` });
    await project.dispatch('ABC-1');
    await project.traced('after_run');
    expect(await project.refusal('POST', '/workspaces/ABC-1/attempts/1/cancel')).toMatchObject({
      code: 'attempt_ended',
    });
    release(project, 'after_run');
    const workspace = await project.settled('ABC-1');
    expect(workspace.last_attempt?.outcome).toBe('succeeded');
    expect(project.trace()).toEqual(['after_run', 'after_run done']);
  });

  test('during backoff: the retry is dropped', async () => {
    const project = await stack.project({
      workflow: 'agent:\n  max_retry_backoff_ms: 600000\n  command: exit 1',
    });
    await project.dispatch('ABC-1');
    await project.until('ABC-1', 'in backoff', ({ next_retry_at }) => next_retry_at !== null);
    await cancel(project);
    expect(await project.view('ABC-1')).toMatchObject({
      next_retry_at: null,
      attempt_count: 1,
      status: 'ready',
    });
  });

  test('a dispatch during backoff starts at once', async () => {
    const project = await stack.project({
      workflow: 'agent:\n  max_retry_backoff_ms: 600000\n  command: exit 1',
    });
    await project.dispatch('ABC-1');
    await project.until('ABC-1', 'in backoff', ({ next_retry_at }) => next_retry_at !== null);
    const again = await project.run('ABC-1', { agent: { command: 'true' } });
    expect(again).toMatchObject({ attempt_count: 2, last_attempt: { outcome: 'succeeded' } });
    expect(await project.attempt('ABC-1', 2)).toMatchObject({ try: 1 });
  });
});

describe.concurrent('a terminal state while an attempt runs', () => {
  test('in before_run and agent it cancels, and then saves and removes', async () => {
    const project = await stack.project({
      workflow: `hooks:\n${AFTER_RUN}  before_remove: echo before_remove >> "$TRACE"\n${agent(`${COMMIT}; echo agent >> "$TRACE"; sleep 300`)}`,
    });
    await project.dispatch('ABC-1', { state: 'Todo' });
    await project.traced('agent');
    const { body } = await project.setState('ABC-1', 'Canceled');
    expect(body.effect).toBe('cancelling');
    const workspace = await project.status('ABC-1', 'removed');
    expect(project.trace()).toEqual(['agent', 'after_run cancelled', 'before_remove']);
    expect(await stack.server.sha(project.id, 'symphony/ABC-1')).toBe(workspace.saved.sha);
    expect((await project.story('ABC-1')).slice(-9)).toEqual([
      'workspace task_state Canceled',
      'agent cancelled',
      'after_run ok',
      'save saved',
      'attempt 1 cancelled cancelled',
      'removal started terminal',
      'save saved',
      'before_remove ok',
      'removal removed',
    ]);
  });

  test('during creation it cancels and removes what there was', async () => {
    const project = await stack.project({ workflow: `${HELD(['after_create'])}${agent('true')}` });
    await project.dispatch('ABC-1', { state: 'Todo' });
    await project.traced('after_create');
    const { path } = await project.view('ABC-1');
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'removed');
    expect(existsSync(path ?? '')).toBe(false);
    expect(project.trace()).toEqual(['after_create']);
  });

  test('during after_run it lets that finish, and re-opening before the removal began keeps the workspace', async () => {
    const project = await stack.project({ workflow: `${HELD(['after_run'])}${agent(COMMIT)}` });
    await project.dispatch('ABC-1', { state: 'Todo' });
    await project.traced('after_run');
    await project.setState('ABC-1', 'Done');
    await project.setState('ABC-1', 'Todo');
    release(project, 'after_run');
    const workspace = await project.settled('ABC-1');
    expect(workspace).toMatchObject({
      status: 'ready',
      last_attempt: { outcome: 'succeeded' },
      saved: { status: 'saved' },
    });
  });
});

describe.concurrent('delete', () => {
  test('while an attempt runs it is refused as workspace_in_use, and cancel=true ends the attempt first', async () => {
    const project = await stack.project({
      workflow: `hooks:\n${AFTER_RUN}  before_remove: echo before_remove >> "$TRACE"\n${agent('echo agent >> "$TRACE"; sleep 300')}`,
    });
    await project.dispatch('ABC-1');
    await project.traced('agent');
    expect(await project.refusal('DELETE', '/workspaces/ABC-1')).toMatchObject({
      status: 409,
      code: 'workspace_in_use',
    });
    expect((await project.remove('ABC-1', '?cancel=true')).status).toBe(202);
    await project.status('ABC-1', 'removed');
    expect(project.trace()).toEqual(['agent', 'after_run cancelled', 'before_remove']);
    expect((await project.remove('ABC-1')).status).toBe(204);
  });

  test('of unsaved work is refused with the commits and files that would be lost, unless discard=true', async () => {
    const project = await stack.project({ workflow: agent(`${COMMIT}; touch untracked.txt`) });
    await stack.server.refusePushes(project.id, 'closed');
    const { path } = await project.run('ABC-1');
    const refused = await project.refusal('DELETE', '/workspaces/ABC-1');
    expect(refused).toMatchObject({
      status: 409,
      code: 'workspace_unsaved',
      unsaved_commits: [{ subject: 'work' }],
      uncommitted: { untracked: 1, files: ['untracked.txt'] },
    });
    expect(existsSync(path ?? '')).toBe(true);
    await project.remove('ABC-1', '?discard=true');
    await project.status('ABC-1', 'removed');
    expect(existsSync(path ?? '')).toBe(false);
    expect(await stack.server.sha(project.id, 'symphony/ABC-1')).toBeNull();
  });

  test('a damaged workspace fails its attempt, keeps its files, and goes with discard=true', async () => {
    const project = await stack.project({ workflow: agent('true') });
    const { path } = await project.run('ABC-1', {
      agent: { command: 'rm -rf .git; echo precious > file.txt' },
    });
    const workspace = await project.run('ABC-1');
    expect(workspace).toMatchObject({ status: 'damaged', last_attempt: { outcome: 'failed' } });
    expect(await project.attempt('ABC-1', workspace.attempt_count)).toMatchObject({
      failure: { code: 'workspace_damaged' },
    });
    expect(existsSync(`${path}/file.txt`)).toBe(true);
    expect(await project.refusal('DELETE', '/workspaces/ABC-1')).toMatchObject({ code: 'workspace_unsaved' });
    await project.remove('ABC-1', '?discard=true');
    await project.status('ABC-1', 'removed');
    expect(existsSync(path ?? '')).toBe(false);
  });

  test('of the folder by somebody else: the next attempt restores the saved branch and runs after_create once more', async () => {
    const project = await stack.project({
      workflow: `hooks:\n  after_create: echo after_create >> "$TRACE"\n${agent(COMMIT)}`,
    });
    const before = await project.run('ABC-1');
    await project.run('ABC-1', { agent: { command: 'rm -rf "$SYMPHONY_WORKSPACE"' } });
    const workspace = await project.run('ABC-1', {
      agent: { command: 'git log --format=%H -1 > "$TRACE.head"' },
    });
    expect(workspace).toMatchObject({
      status: 'ready',
      last_attempt: { outcome: 'succeeded' },
      head: before.head,
    });
    expect(project.trace()).toEqual(['after_create', 'after_create']);
    expect(workspace.last_loss).toMatch(/restored from/);
  });

  test('of the folder in the middle of an attempt: the attempt is lost, and its retry restores the saved branch', async () => {
    const project = await stack.project({
      workflow: `hooks:\n  before_run: test "$SYMPHONY_ATTEMPT" != 2 || rm -rf "$SYMPHONY_WORKSPACE"\n${agent(COMMIT)}`,
    });
    const before = await project.run('ABC-1');
    const workspace = await project.run('ABC-1', {
      agent: { command: 'git log --format=%H -1 > "$TRACE.head"' },
    });
    expect(await project.attempt('ABC-1', 2)).toMatchObject({
      outcome: 'lost',
      failure: { code: 'sandbox_lost', detail: expect.stringContaining('is gone') },
    });
    expect(workspace).toMatchObject({
      status: 'ready',
      attempt_count: 3,
      last_attempt: { number: 3, outcome: 'succeeded' },
      head: before.head,
    });
  });
});

describe.concurrent('an agent that the caller runs', () => {
  test('works in the workspace with exec and ends it with finish: then after_run and the save follow', async () => {
    const project = await stack.project({
      workflow: `hooks:\n  before_run: echo before_run >> "$TRACE"\n${AFTER_RUN}`,
    });
    await project.dispatch('ABC-1', { agent: 'external' });
    await project.until('ABC-1', 'waits', ({ phase }) => phase === 'agent_wait');
    const lines = await exec(project, `${COMMIT}; echo out; echo err >&2; pwd; exit 3`);
    const { path } = await project.view('ABC-1');
    const text = (stream: string) =>
      lines.flatMap((line) => ('stream' in line && line.stream === stream ? line.data : [])).join('');
    expect(text('stdout')).toBe(`out\n${path}\n`);
    expect(text('stderr')).toBe('err\n');
    expect(lines.at(-1)).toMatchObject({ outcome: 'failed', exit_code: 3 });
    await finish(project, { outcome: 'succeeded' });
    const workspace = await project.settled('ABC-1');
    expect(project.trace()).toEqual(['before_run', 'after_run succeeded']);
    expect(await stack.server.sha(project.id, 'symphony/ABC-1')).toBe(workspace.head);
    expect(
      await project.refusal('POST', '/workspaces/ABC-1/attempts/1/finish', { outcome: 'failed' }),
    ).toMatchObject({ code: 'attempt_ended' });
    expect(await project.refusal('POST', '/workspaces/ABC-1/exec', { command: 'true' })).toMatchObject({
      code: 'wrong_phase',
    });
  });

  test('that reports a failure is not retried by the service', async () => {
    const project = await stack.project({ workflow: 'agent:\n  max_retry_backoff_ms: 0' });
    await project.dispatch('ABC-1', { agent: 'external' });
    await project.until('ABC-1', 'waits', ({ phase }) => phase === 'agent_wait');
    await finish(project, { outcome: 'failed', detail: 'tests fail' });
    const workspace = await project.settled('ABC-1');
    expect(workspace).toMatchObject({ attempt_count: 1, last_attempt: { outcome: 'failed' } });
    expect(await project.attempt('ABC-1', 1)).toMatchObject({
      failure: { code: 'agent_failed', detail: 'tests fail' },
    });
  });

  test('that never finishes is timed out at agent.timeout_ms, and what it left running is killed', async () => {
    const project = await stack.project({ workflow: `hooks:\n${AFTER_RUN}agent:\n  timeout_ms: 4000` });
    await project.dispatch('ABC-1', { agent: 'external' });
    await project.until('ABC-1', 'waits', ({ phase }) => phase === 'agent_wait');
    await exec(project, 'sleep 300 & echo $! > "$TRACE.pid"');
    const workspace = await project.settled('ABC-1');
    expect(workspace.last_attempt?.outcome).toBe('timed_out');
    expect(project.trace()).toEqual(['after_run timed_out']);
  });

  test('finish before it waits is refused as wrong_phase', async () => {
    const project = await stack.project({ workflow: HELD(['before_run']) });
    await project.dispatch('ABC-1', { agent: 'external' });
    await project.traced('before_run');
    expect(
      await project.refusal('POST', '/workspaces/ABC-1/attempts/1/finish', { outcome: 'succeeded' }),
    ).toMatchObject({ code: 'wrong_phase' });
    await cancel(project);
    await project.settled('ABC-1');
  });
});

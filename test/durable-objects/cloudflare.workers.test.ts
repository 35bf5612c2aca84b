/** Location cloudflare over the SDK double: a whole life, the sandbox's awkward ways, and section 8's rules of sleep. */
import { runDurableObjectAlarm } from 'cloudflare:test';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { projectOf } from '../../durable-objects/stubs.ts';
import { git, Task, unwrap, workerEnv } from '../workers/task.ts';

/** The sandbox's own disk: gone with it. */
const HOOKS = `hooks:
  after_create: echo after_create >> ~/trace
  before_run: echo "before_run $SYMPHONY_ATTEMPT" >> ~/trace
  after_run: echo "after_run $SYMPHONY_ATTEMPT" >> ~/trace; cat ~/trace`;
const BEFORE_REMOVE = '\n  before_remove: echo before_remove >> ~/trace';
const COMMIT = 'echo x >> work.txt; git add work.txt; git commit -qm work';
const agent = (command = COMMIT) =>
  `agent:\n  max_retry_backoff_ms: 0\n  command: ${JSON.stringify(command)}`;

const LIFE = [
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

describe.concurrent('a life', () => {
  test('goes from dispatch to removal; the first call to the cold sandbox is cut off and nothing runs twice', async () => {
    const task = await Task.create('cf-life', `${HOOKS}${BEFORE_REMOVE}\n${agent()}`);
    const workspace = await task.run();
    expect(await task.story()).toEqual(LIFE);
    expect(await task.output(1, 'after_run')).toEqual(['after_create', 'before_run 1', 'after_run 1']);
    const calls = await task.calls();
    expect(calls.slice(0, 3)).toEqual(['POST /open', 'GET /healthz', 'POST /open']);
    expect(workspace).toMatchObject({ location: 'cloudflare', status: 'ready', saved: { status: 'saved' } });
    expect(await task.sha()).toBe(workspace.head);
    await task.end();
    await task.status('removed');
    expect((await task.story()).slice(LIFE.length)).toEqual([
      'workspace task_state Done',
      'removal started terminal',
      'save saved',
      'before_remove ok',
      'removal removed',
    ]);
    expect(await task.isAwake()).toBe(false);
  });

  test('a warm attempt with nothing new takes at most 6 calls to the sandbox', async () => {
    const task = await Task.create('cf-warm', `${HOOKS}\n${agent('true')}`);
    await task.run();
    const before = (await task.calls()).length;
    await task.run();
    expect((await task.calls()).length - before).toBeLessThanOrEqual(6);
  });

  test('SYMPHONY_WORKSPACE is what the sandbox says, and there is no SYMPHONY_WORKFLOW_DIR', async () => {
    const task = await Task.create(
      'cf-environment',
      `hooks:\n  before_run: echo "$PWD"; echo "$SYMPHONY_WORKSPACE"; env | grep -c WORKFLOW_DIR || true\n${agent('true')}`,
    );
    const { path } = await task.run();
    expect(await task.output(1, 'before_run')).toEqual([path, path, '0']);
  });
});

describe.concurrent('a sandbox that is replaced', () => {
  test('between two attempts is restored from the saved branch, with after_create once for the new incarnation', async () => {
    const task = await Task.create('cf-replaced', `${HOOKS}\n${agent()}`);
    const before = await task.run();
    await task.putToSleep();
    const workspace = await task.run();
    expect((await task.story()).slice(LIFE.length)).toEqual([
      'attempt 2 begins',
      'workspace lost',
      'workspace restored_from remote',
      'after_create ok',
      'workspace ready',
      'before_run ok',
      'agent ok',
      'after_run ok',
      'save saved',
      'attempt 2 succeeded',
    ]);
    expect(await task.output(2, 'after_run')).toEqual(['after_create', 'before_run 2', 'after_run 2']);
    expect(await git('git', task.project, 'rev-parse', 'symphony/ABC-1~1')).toBe(before.head);
    expect(workspace.last_loss).toMatch(/restored from the saved branch/);
  });

  test('in the middle of the agent makes the attempt lost; it is retried in a new incarnation', async () => {
    const task = await Task.create(
      'cf-lost',
      `${HOOKS}\n${agent(`[ "$SYMPHONY_ATTEMPT" = 2 ] || sleep 300; ${COMMIT}`)}`,
    );
    await task.dispatch();
    await task.until(({ phase }) => phase === 'agent');
    await vi.waitFor(async () => expect((await task.calls()).at(-1)).toContain('/operations'), {
      timeout: 60_000,
    });
    await task.putToSleep();
    const workspace = await task.settled();
    expect(workspace).toMatchObject({
      attempt_count: 2,
      last_attempt: { outcome: 'succeeded' },
      saved: { status: 'saved' },
    });
    expect(await task.attempt(1)).toMatchObject({
      outcome: 'lost',
      failure: { code: 'sandbox_lost' },
      agent: { outcome: 'lost' },
    });
    expect(await task.output(2, 'after_run')).toEqual(['after_create', 'before_run 2', 'after_run 2']);
  });

  test('with unsaved and uncommitted work is restored from the snapshot', async () => {
    const task = await Task.create('cf-snapshot', agent('true'));
    await git('refusePushes', task.project, 'closed');
    const before = await task.run({
      command: `${COMMIT}; echo untracked > untracked.txt; echo changed >> README.md`,
    });
    expect(before).toMatchObject({ saved: { status: 'failed' }, snapshot: { state: 'written' } });
    await task.putToSleep();
    await git('refusePushes', task.project, null);
    const workspace = await task.run({ command: 'git rev-parse HEAD; git status --porcelain' });
    expect(await task.output(2, 'agent')).toEqual([before.head, ' M README.md', '?? untracked.txt']);
    expect(workspace.saved.status).toBe('saved');
    expect(await task.sha()).toBe(before.head);
  });

  test('a restore that a full disk stops is tried again: the saved branch would be less', async () => {
    const task = await Task.create('cf-restore-full', agent('true'));
    await git('refusePushes', task.project, 'closed');
    const before = await task.run({ command: COMMIT });
    await task.putToSleep();
    await git('refusePushes', task.project, null);
    await task.fillDiskForNextCall('PUT /snapshots/');
    const workspace = await task.run({ command: 'git rev-parse HEAD' });
    expect(await task.attempt(2)).toMatchObject({ outcome: 'failed', failure: { code: 'clone_failed' } });
    expect(await task.output(3, 'agent')).toEqual([before.head]);
    expect(workspace.saved.status).toBe('saved');
    expect(await task.sha()).toBe(before.head);
  });

  test('whose snapshot does not get there at first is restored from it all the same', async () => {
    const task = await Task.create('cf-snapshot-cut', agent('true'));
    await git('refusePushes', task.project, 'closed');
    const before = await task.run({ command: COMMIT });
    await task.putToSleep();
    await git('refusePushes', task.project, null);
    await task.cutNextCall('PUT /snapshots/');
    await task.run({ command: 'git rev-parse HEAD' });
    expect(await task.output(2, 'agent')).toEqual([before.head]);
  });

  test('brings back what a failed save missed and the next agent left behind, for the save that succeeds', async () => {
    const task = await Task.create('cf-left', agent('true'));
    await git('refusePushes', task.project, 'closed');
    const first = await task.run({ command: `git switch -q --detach; ${COMMIT}` });
    await task.run({ command: 'git switch -q symphony/ABC-1' });
    await task.putToSleep();
    await git('refusePushes', task.project, null);
    const { saved } = await task.run({ command: 'true' });
    expect(saved.rescue_refs).toEqual([{ ref: 'symphony-rescue/ABC-1/3-left', sha: first.head }]);
  });

  test('a cancel while it is restored from its snapshot ends the restore, and the next attempt restores it again', async () => {
    const task = await Task.create('cf-cancel-restore', agent('true'));
    await git('refusePushes', task.project, 'closed');
    const before = await task.run({ command: COMMIT });
    await task.putToSleep();
    // The restore asks the remote for its other branches, and waits for minutes.
    await git('silence', task.project);
    const requests = await git<number>('requests', task.project);
    await task.dispatch();
    const hasAsked = async () => expect(await git('requests', task.project)).toBeGreaterThan(requests);
    await vi.waitFor(hasAsked, { timeout: 60_000, interval: 50 });
    expect(await task.view()).toMatchObject({ phase: 'restoring' });
    const startedAtMs = Date.now();
    unwrap(await task.object.cancelAttempt(2));
    const workspace = await task.settled();
    expect(workspace.last_attempt).toEqual({ number: 2, outcome: 'cancelled' });
    expect(Date.now() - startedAtMs).toBeLessThan(60_000);
    await git('unsilence', task.project);
    await git('refusePushes', task.project, null);
    await task.run({ command: 'git rev-parse HEAD' });
    expect(await task.output(3, 'agent')).toEqual([before.head]);
  });

  test('a call that hangs is given up and repeated, and every hook still runs once', async () => {
    const task = await Task.create('cf-hang', `${HOOKS}\n${agent()}`);
    await task.run();
    await task.hangNextCall();
    const workspace = await task.run();
    expect(workspace.last_attempt).toEqual({ number: 2, outcome: 'succeeded' });
    expect(await task.output(2, 'after_run')).toEqual([
      'after_create',
      'before_run 1',
      'after_run 1',
      'before_run 2',
      'after_run 2',
    ]);
  });
});

describe.concurrent('asleep at removal', () => {
  test('what is saved is not saved again, and without before_remove the sandbox is not woken', async () => {
    const task = await Task.create('cf-asleep', `${HOOKS}\n${agent()}`);
    await task.run();
    await task.putToSleep();
    const calls = (await task.calls()).length;
    await task.end();
    await task.status('removed');
    expect((await task.story()).slice(LIFE.length)).toEqual([
      'workspace task_state Done',
      'removal started terminal',
      'removal removed',
    ]);
    expect((await task.calls()).length).toBe(calls);
    expect(await task.isAwake()).toBe(false);
  });

  test('with before_remove the sandbox is rebuilt for it, without after_create', async () => {
    const task = await Task.create('cf-rebuilt', `${HOOKS}${BEFORE_REMOVE}\n${agent()}`);
    await task.run();
    await task.putToSleep();
    await task.end();
    await task.status('removed');
    expect((await task.story()).slice(LIFE.length)).toEqual([
      'workspace task_state Done',
      'removal started terminal',
      'workspace restored_from remote',
      'before_remove ok',
      'removal removed',
    ]);
    expect(await task.isAwake()).toBe(false);
  });

  test('unsaved work comes back from its snapshot, is saved, and then the workspace goes', async () => {
    const task = await Task.create('cf-unsaved', agent());
    await git('refusePushes', task.project, 'closed');
    const before = await task.run();
    expect(before).toMatchObject({ saved: { status: 'failed' }, snapshot: { state: 'written' } });
    await task.putToSleep();
    await git('refusePushes', task.project, null);
    await task.end();
    await task.status('removed');
    expect((await task.story()).slice(-5)).toEqual([
      'workspace task_state Done',
      'removal started terminal',
      'workspace restored_from snapshot',
      'save saved',
      'removal removed',
    ]);
    expect(await task.sha()).toBe(before.head);
  });

  test('a sandbox that was replaced counts as asleep: before_remove of the present WORKFLOW.md runs', async () => {
    const task = await Task.create('cf-look', `${HOOKS}\n${agent()}`);
    await task.run();
    await task.putWorkflow(`${HOOKS}${BEFORE_REMOVE}\n${agent()}`);
    await task.replace();
    expect(await task.isAwake()).toBe(true);
    await task.end();
    await task.status('removed');
    expect((await task.story()).slice(-3)).toEqual([
      'workspace restored_from remote',
      'before_remove ok',
      'removal removed',
    ]);
  });

  test('a rebuild that fails is noted and the removal goes on', async () => {
    const task = await Task.create('cf-no-rebuild', `${HOOKS}${BEFORE_REMOVE}\n${agent()}`);
    await task.run();
    await task.putToSleep();
    await git('git', task.project, 'symbolic-ref', 'HEAD', 'refs/heads/none');
    await git('git', task.project, 'update-ref', '-d', 'refs/heads/main');
    await git('git', task.project, 'config', 'http.uploadpack', 'false');
    await task.end();
    await task.status('removed');
    expect((await task.story()).slice(-2)).toEqual(['removal rebuild_failed', 'removal removed']);
  });
});

describe('without a snapshot store', () => {
  test('project and workspace say so, and a lost sandbox comes back from its saved branch alone', async () => {
    const task = await Task.create('cf-no-store', agent());
    await task.setVars({ SNAPSHOTS: undefined });
    const saved = await task.run();
    const unavailable = {
      snapshot: { state: 'unavailable', at: null },
      warnings: [{ code: 'snapshots_unavailable' }],
    };
    expect(saved).toMatchObject(unavailable);
    expect((await task.projectView()).warnings).toMatchObject([{ code: 'snapshots_unavailable' }]);
    await git('refusePushes', task.project, 'closed');
    expect(await task.run()).toMatchObject({ ...unavailable, saved: { status: 'failed' } });
    await task.putToSleep();
    await git('refusePushes', task.project, null);
    const workspace = await task.run({ command: 'git rev-parse HEAD' });
    expect(await task.output(3, 'agent')).toEqual([saved.head]);
    expect(workspace).toMatchObject(unavailable);
    expect(workspace.last_loss).toContain('restored from the saved branch');
  });

  test('one that takes nothing for minutes is given up: the attempt ends, and says that there is no snapshot', async () => {
    const task = await Task.create('cf-store-down', agent());
    await git('refusePushes', task.project, 'closed');
    const puts: string[] = [];
    const put = (key: string) => {
      puts.push(key);
      return Promise.reject(new Error('the store is away'));
    };
    await task.setVars({ SNAPSHOTS: { put } as unknown as R2Bucket });
    await task.dispatch();
    await vi.waitFor(() => expect(puts.length).toBeGreaterThan(0), { timeout: 60_000, interval: 50 });
    expect((await task.view()).in_use).toBe(true);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
    const isOver = async () => {
      await runDurableObjectAlarm(task.stub);
      expect((await task.view()).in_use).toBe(false);
    };
    await vi.waitFor(isOver, { timeout: 60_000, interval: 500 }).finally(() => vi.useRealTimers());
    const { snapshot } = await task.view();
    expect(snapshot).toMatchObject({
      state: 'skipped',
      reason: expect.stringContaining('the store is away'),
    });
  });
});

describe('awake and asleep', () => {
  afterEach(() => void vi.useRealTimers());

  test('lists, views and attempts wake no sandbox, also while it sleeps', async () => {
    const task = await Task.create('cf-list', `${HOOKS}\n${agent()}`);
    await task.run();
    await task.putToSleep();
    const calls = (await task.calls()).length;
    const page = unwrap(
      await projectOf(workerEnv, task.project).listWorkspaces({
        limit: 100,
        cursor: null,
        status: null,
        saved: null,
      }),
    );
    expect(page.workspaces).toHaveLength(1);
    await task.view();
    await task.output(1, 'after_run');
    unwrap(await projectOf(workerEnv, task.project).sweep(null, 100, { force: true, waitMs: 0 }));
    expect((await task.calls()).length).toBe(calls);
    expect(await task.isAwake()).toBe(false);
  });

  test('a saved workspace is left to sleep: no alarm calls its sandbox', async () => {
    const task = await Task.create('cf-may-sleep', agent());
    await task.run();
    const calls = (await task.calls()).length;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    await runDurableObjectAlarm(task.stub);
    expect((await task.calls()).length).toBe(calls);
  });

  test('while a caller-run agent is waited for, the sandbox is called at least every 5 minutes', async () => {
    const task = await Task.create('cf-touch', 'agent:\n  timeout_ms: 86400000');
    await task.dispatch('external');
    await task.until(({ phase }) => phase === 'agent_wait');
    for (const minutes of [4, 8, 12]) {
      const calls = (await task.calls()).length;
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 });
      await runDurableObjectAlarm(task.stub);
      await vi.waitFor(async () => expect((await task.calls()).slice(calls)).toEqual(['GET /healthz']), {
        timeout: 30_000,
      });
      vi.useRealTimers();
    }
    unwrap(await task.object.finishAttempt(1, { outcome: 'succeeded', detail: null }, null));
    await task.settled();
  });
});

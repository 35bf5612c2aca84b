/** Section 8: an object that is evicted or reset at any point goes on where it was, and runs nothing twice. */
import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import { projectOf } from '../../durable-objects/stubs.ts';
import { git, Task, unwrap, workerEnv } from '../workers/task.ts';

const HOOKS = `hooks:
  after_create: echo after_create >> ~/trace
  before_run: echo "before_run $SYMPHONY_ATTEMPT" >> ~/trace
  after_run: echo "after_run $SYMPHONY_ATTEMPT" >> ~/trace; cat ~/trace
  before_remove: echo before_remove >> ~/trace`;
const COMMIT = 'echo agent >> ~/trace; echo x >> work.txt; git add work.txt; git commit -qm work';
const agent = (command = COMMIT) =>
  `agent:\n  max_retry_backoff_ms: 0\n  command: ${JSON.stringify(command)}`;

const ONCE = ['after_create', 'before_run 1', 'agent', 'after_run 1'];
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
const END = [
  'workspace task_state Done',
  'removal started terminal',
  'save saved',
  'before_remove ok',
  'removal removed',
];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Disturbs after each commit that leaves an event, until `last` is told; the alarm that was cut off is run by hand. */
async function disturbAfterEachEvent(
  task: Task,
  last: string,
  disturb: () => Promise<void>,
): Promise<number> {
  let seen = 0;
  let disturbances = 0;
  for (const endAtMs = Date.now() + 200_000; Date.now() < endAtMs; await pause(20)) {
    // A call that the reset cut off is asked again.
    const story = await task.story().catch((): string[] => []);
    if (story.length <= seen) continue;
    if (story.includes(last)) return disturbances;
    seen = story.length;
    disturbances += 1;
    await disturb();
    void runDurableObjectAlarm(task.stub).catch(() => false);
  }
  throw new Error(`${last} was not told: ${JSON.stringify(await task.story())}`);
}

test('an object that is reset after each commit tells the same story, and every script runs once', async () => {
  const task = await Task.create('reset-each', `${HOOKS}\n${agent()}`);
  await task.dispatch();
  const resets = await disturbAfterEachEvent(task, 'attempt 1 succeeded', abortAllDurableObjects);
  expect(resets).toBeGreaterThanOrEqual(5);
  expect(await task.story()).toEqual(LIFE);
  expect(await task.output(1, 'after_run')).toEqual(ONCE);
  await task.end();
  await disturbAfterEachEvent(task, 'removal removed', abortAllDurableObjects);
  expect(await task.story()).toEqual([...LIFE, ...END]);
  await task.status('removed');
});

test('an object that is evicted after each commit tells the same story, and every script runs once', async () => {
  const task = await Task.create('evict-each', `${HOOKS}\n${agent()}`);
  await task.dispatch();
  await disturbAfterEachEvent(task, 'attempt 1 succeeded', () => evictDurableObject(task.stub));
  expect(await task.story()).toEqual(LIFE);
  expect(await task.output(1, 'after_run')).toEqual(ONCE);
  await evictDurableObject(task.stub);
  await task.end();
  await disturbAfterEachEvent(task, 'removal removed', () => evictDurableObject(task.stub));
  expect(await task.story()).toEqual([...LIFE, ...END]);
});

test.for(['after_create', 'before_run', 'agent', 'after_run'])(
  'an object that is reset in the middle of %s finds its run again, which ran once',
  async (where) => {
    const slow = (name: string) => (name === where ? 'sleep 3; ' : '');
    const hook = (name: string) => `  ${name}: echo ${name} >> ~/trace; ${slow(name)}cat ~/trace`;
    const workflow = `hooks:\n${['after_create', 'before_run', 'after_run'].map(hook).join('\n')}\n${agent(`echo agent >> ~/trace; ${slow('agent')}true`)}`;
    const task = await Task.create(`reset-in-${where.replace('_', '-')}`, workflow);
    await task.dispatch();
    await task.until(({ phase }) => phase === where);
    // The script is under way once its start has reached the sandbox.
    const isStarted = async () => expect((await task.calls()).at(-1)).toMatch(/^POST \/operations$/);
    await vi.waitFor(isStarted, { timeout: 60_000, interval: 20 });
    await abortAllDurableObjects();
    void runDurableObjectAlarm(task.stub).catch(() => false);
    await task.settled();
    expect(await task.output(1, 'after_run')).toEqual(['after_create', 'before_run', 'agent', 'after_run']);
    expect(await task.story()).toEqual(
      LIFE.map((line) => (line === 'save saved' ? 'save nothing_to_save' : line)),
    );
  },
);

test('an object that is evicted while a caller works goes on at finish', async () => {
  const task = await Task.create('evict-waiting', HOOKS);
  await task.dispatch('external');
  await task.until(({ phase }) => phase === 'agent_wait');
  await evictDurableObject(task.stub);
  const lines = await new Response(unwrap(await task.object.exec(COMMIT, 60_000))).text();
  expect(lines).toContain('"outcome":"ok"');
  await evictDurableObject(task.stub);
  unwrap(await task.object.finishAttempt(1, { outcome: 'succeeded', detail: null }, null));
  await evictDurableObject(task.stub);
  const workspace = await task.settled();
  expect(workspace).toMatchObject({ last_attempt: { outcome: 'succeeded' }, saved: { status: 'saved' } });
  expect(await task.output(1, 'after_run')).toEqual(ONCE);
});

test('a command that a caller leaves running ends with its attempt, before after_run', async () => {
  const task = await Task.create('left-running', 'hooks:\n  after_run: kill -0 $(cat ~/pid)');
  await task.dispatch('external');
  await task.until(({ phase }) => phase === 'agent_wait');
  const command = 'echo $$ > ~/pid; echo up; sleep 600';
  const reader = unwrap(await task.object.exec(command, 600_000)).getReader();
  await reader.read();
  unwrap(await task.object.finishAttempt(1, { outcome: 'succeeded', detail: null }, null));
  let last = '';
  for (let part = await reader.read(); !part.done; part = await reader.read())
    last = new TextDecoder().decode(part.value);
  expect(last).toContain('"outcome":"cancelled"');
  await task.settled();
  expect((await task.attempt(1)).hooks).toMatchObject([{ hook: 'after_run', outcome: 'failed' }]);
});

test('a retry that is due while the object is away starts at its next alarm', async () => {
  const task = await Task.create(
    'evict-backoff',
    'agent:\n  command: exit 1\n  max_attempts: 2\n  max_retry_backoff_ms: 600000',
  );
  await task.dispatch();
  await task.until(({ next_retry_at }) => next_retry_at !== null);
  await evictDurableObject(task.stub);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 });
  await runDurableObjectAlarm(task.stub);
  vi.useRealTimers();
  const workspace = await task.settled();
  expect(workspace.attempt_count).toBe(2);
});

test('a save that failed is tried again by the alarm after its backoff, without a new attempt', async () => {
  const task = await Task.create('save-again', agent());
  await git('refusePushes', task.project, 'closed');
  const before = await task.run();
  expect(before).toMatchObject({
    last_attempt: { outcome: 'succeeded' },
    saved: { status: 'failed', tries: 1 },
  });
  await git('refusePushes', task.project, null);
  await evictDurableObject(task.stub);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(before.saved.next_try_at ?? '') + 1 });
  await runDurableObjectAlarm(task.stub);
  vi.useRealTimers();
  const workspace = await task.until(({ saved }) => saved.status === 'saved');
  expect(workspace.attempt_count).toBe(1);
  expect(await task.sha()).toBe(before.head);
});

test('a kept workspace is removed by its own alarm after its backoff, once the remote accepts', async () => {
  const task = await Task.create('kept-alarm', agent());
  await git('refusePushes', task.project, 'closed');
  await task.run();
  await task.end();
  const kept = await task.status('kept');
  await git('refusePushes', task.project, null);
  await evictDurableObject(task.stub);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(kept.kept?.next_try_at ?? '') + 1 });
  await runDurableObjectAlarm(task.stub);
  vi.useRealTimers();
  await task.status('removed');
  expect(await task.sha()).toBe(kept.head);
});

test('a kept workspace stays when its state is taken from the terminal ones', async () => {
  const task = await Task.create('kept-reopened', agent());
  await git('refusePushes', task.project, 'closed');
  await task.run();
  await task.end();
  const kept = await task.status('kept');
  await git('refusePushes', task.project, null);
  await task.putWorkflow(`tracker:\n  terminal_states: [Closed]\n${agent()}`);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(kept.kept?.next_try_at ?? '') + 1 });
  await runDurableObjectAlarm(task.stub);
  vi.useRealTimers();
  expect(await task.status('ready')).toMatchObject({ kept: null, head: kept.head });
});

test('a repeated dispatch with its Idempotency-Key gets the same answer and starts nothing, also after a reset', async () => {
  const task = await Task.create('idempotent', agent('true'));
  const input = { task: { identifier: 'ABC-1' } };
  // A handle from before the reset is broken.
  const project = () => projectOf(workerEnv, task.project);
  const first = unwrap(await project().dispatch(input, { key: 'k1', digest: 'same' }));
  await task.settled();
  await abortAllDurableObjects();
  expect(unwrap(await project().dispatch(input, { key: 'k1', digest: 'same' }))).toEqual(first);
  expect(await project().dispatch(input, { key: 'k1', digest: 'other' })).toMatchObject({
    error: { code: 'idempotency_key_reused' },
  });
  expect(await task.view()).toMatchObject({ attempt_count: 1 });
});

test('the record of a removed workspace stays 30 days, and then the object forgets everything', async () => {
  const task = await Task.create('forget', agent('true'));
  await task.run();
  await task.end();
  const { removed_at } = await task.status('removed');
  const removedAtMs = Date.parse(removed_at ?? '');
  for (const [days, isKnown] of [
    [29, true],
    [31, false],
  ] as const) {
    vi.useFakeTimers({ toFake: ['Date'], now: removedAtMs + days * 86_400_000 });
    await runDurableObjectAlarm(task.stub);
    vi.useRealTimers();
    await evictDurableObject(task.stub);
    expect((await task.object.view()).ok).toBe(isKnown);
  }
});

/** Section 8 for each kind of effect: its call arrives, nobody hears the answer, and the object is reset. */
import { abortAllDurableObjects, runDurableObjectAlarm } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import { CHANGED_MS } from '../../src/core/lifecycle/timer.ts';
import { git, Task, unwrap } from '../workers/task.ts';

const WORKFLOW = `hooks:
  after_create: echo after_create >> ~/trace
  before_run: echo before_run >> ~/trace
  after_run: echo after_run >> ~/trace; cat ~/trace
  before_remove: echo before_remove >> ~/trace
agent:
  max_retry_backoff_ms: 0
  command: echo agent >> ~/trace; echo x >> work.txt; git add work.txt; git commit -qm work`;

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

async function resetOnceMuted(task: Task): Promise<void> {
  const isMuted = async () => expect(await task.hasMuted()).toBe(true);
  await vi.waitFor(isMuted, { timeout: 120_000, interval: 20 });
  await abortAllDurableObjects();
  void runDurableObjectAlarm(task.stub).catch(() => false);
}

test.for([
  ['open', 'POST /open {'],
  ['clone', '"kind":"clone"'],
  ['after_create', '-after-create"'],
  ['before_run', '-before-run"'],
  ['agent', '-agent"'],
  ['after_run', '-after-run"'],
  ['save', '"kind":"save"'],
])('reset after %s reached the sandbox, the object does it once and goes on', async ([name, call = '']) => {
  const task = await Task.create(`lost-${name?.replace('_', '-')}`, WORKFLOW);
  await task.muteNextCall(call);
  await task.dispatch();
  await resetOnceMuted(task);
  await task.settled();
  expect(await task.story()).toEqual(LIFE);
  expect(await task.output(1, 'after_run')).toEqual(['after_create', 'before_run', 'agent', 'after_run']);
});

test.for([
  ['look', 'POST /open {'],
  ['save', '"kind":"save"'],
  ['before_remove', '-before-remove"'],
])('reset after the %s of a removal reached the sandbox, the removal goes on', async ([name, call = '']) => {
  const task = await Task.create(`gone-${name?.replace('_', '-')}`, WORKFLOW);
  await task.run();
  await task.muteNextCall(call);
  await task.end();
  await resetOnceMuted(task);
  await task.status('removed');
  expect(await task.story()).toEqual([...LIFE, ...END]);
  expect(await task.isAwake()).toBe(false);
});

test('reset after a snapshot reached the sandbox, the object keeps that one snapshot', async () => {
  const task = await Task.create('lost-snapshot', WORKFLOW);
  await git('refusePushes', task.project, 'closed');
  await task.muteNextCall('"kind":"snapshot"');
  await task.dispatch();
  await resetOnceMuted(task);
  const workspace = await task.settled();
  expect(workspace).toMatchObject({ saved: { status: 'failed' }, snapshot: { state: 'written' } });
  expect((await task.story()).filter((line) => line.startsWith('workspace snapshot'))).toEqual([
    'workspace snapshot written',
  ]);
});

test('a sandbox that cannot be destroyed keeps its workspace with the reason; the next try removes it', async () => {
  const task = await Task.create('stubborn', WORKFLOW);
  await task.run();
  await task.refuseNextDestroy();
  await task.end();
  const { kept } = await task.status('kept');
  expect(kept?.reason).toContain('does not destroy it');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(kept?.next_try_at ?? '') + 1 });
  await runDurableObjectAlarm(task.stub);
  vi.useRealTimers();
  await task.status('removed');
  expect(await task.isAwake()).toBe(false);
});

test('a destroy that hangs is given up, and the workspace is kept with the reason until the next try', async () => {
  const task = await Task.create('hanging', WORKFLOW);
  await task.run();
  await task.hangNextDestroy();
  await task.setVars({ DESTROY_TIMEOUT_MS: '200' });
  await task.end();
  const { kept } = await task.status('kept');
  expect(kept).toMatchObject({ reason: expect.stringContaining('no answer within 200 ms'), tries: 1 });
  expect(await task.isAwake()).toBe(true);
  await task.setVars({});
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(kept?.next_try_at ?? '') + 1 });
  await runDurableObjectAlarm(task.stub);
  vi.useRealTimers();
  await task.status('removed');
  expect(await task.isAwake()).toBe(false);
});

test('what a person writes between attempts is in a snapshot before the sandbox may sleep', async () => {
  const task = await Task.create('written', WORKFLOW);
  await task.run();
  const bytes = new Uint8Array(new TextEncoder().encode('by hand'));
  unwrap(await task.object.writeFile({ path: 'note.txt', bytes, ifMatch: null }));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + CHANGED_MS + 1 });
  await runDurableObjectAlarm(task.stub);
  vi.useRealTimers();
  await task.until(({ snapshot, phase }) => snapshot?.state === 'written' && phase === null);
  await task.putToSleep();
  await task.run({ command: 'cat note.txt' });
  expect(await task.output(2, 'agent')).toEqual(['by hand']);
});

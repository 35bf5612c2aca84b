/** A workspace and what its project and its own record still say of it: the workspace is right. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, expect, test, vi } from 'vitest';
import { projectOf } from '../../durable-objects/stubs.ts';
import { Task, unwrap, workerEnv } from '../workers/task.ts';

const WORKFLOW = 'agent:\n  command: echo work >> work.txt; git add work.txt; git commit -qm work';

afterEach(() => void vi.useRealTimers());

test('a record that was forgotten after 30 days leaves room for the next workspace at once', async () => {
  const task = await Task.create('cf-forgotten', WORKFLOW);
  await task.run();
  await task.end();
  await task.status('removed');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * 86_400_000 });
  await runDurableObjectAlarm(task.stub);
  vi.useRealTimers();
  expect(await task.object.view()).toMatchObject({ ok: false, error: { code: 'workspace_not_found' } });
  expect(await task.run()).toMatchObject({ attempt_count: 1, saved: { status: 'saved' } });
});

test('a task that its project still takes for terminal is neither swept nor refused: its workspace knows better', async () => {
  const task = await Task.create('cf-reopened', WORKFLOW);
  await task.run();
  const indexed = (change: string) =>
    runInDurableObject(workerEnv.PROJECT.getByName(task.project), (_, { storage }) => {
      storage.sql.exec(`UPDATE workspace SET ${change}`);
    });
  await indexed("task_state = 'Done', terminal = 1");
  const swept = unwrap(
    await projectOf(workerEnv, task.project).sweep(null, 100, { force: true, waitMs: 1000 }),
  );
  expect(swept).toMatchObject({ lookedAt: 1, removed: 0, kept: [] });
  expect((await task.view()).status).toBe('ready');
  await indexed("task_state = 'Done', terminal = 1");
  unwrap(await projectOf(workerEnv, task.project).dispatch({ task: { identifier: task.key } }, null));
  expect((await task.settled()).attempt_count).toBe(2);
});

/** Ids that two tasks of a project are given at once: one has it, and nothing breaks. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, test, vi } from 'vitest';
import { projectOf } from '../../durable-objects/stubs.ts';
import { Task, unwrap, workerEnv } from '../workers/task.ts';

const WORKFLOW = 'agent:\n  command: echo work >> work.txt';

async function twoTasks(project: string): Promise<[Task, Task]> {
  const one = await Task.create(project, WORKFLOW);
  const other = new Task(project, 'XYZ-2');
  await Promise.all([one.run(), other.run()]);
  await Promise.all([reported(one), reported(other)]);
  return [one, other];
}

/** No report is under way any more. */
async function reported(task: Task): Promise<void> {
  const list = { limit: 10, cursor: null, status: null, saved: null };
  await vi.waitFor(
    async () => {
      const { workspaces } = unwrap(await projectOf(workerEnv, task.project).listWorkspaces(list));
      const indexed = workspaces.find(({ key }) => key === task.key);
      expect(indexed?.updated_at).toBe((await task.view()).updated_at);
    },
    { timeout: 30_000, interval: 100 },
  );
}

const dispatch = (task: Task, id: string, state = 'Todo') =>
  projectOf(workerEnv, task.project).dispatch({ task: { identifier: task.key, id, state } }, null);

const rowsOf = (task: Task) =>
  runInDurableObject(workerEnv.PROJECT.getByName(task.project), (_, { storage }) =>
    storage.sql
      .exec<{ key: string; task_id: string; id_given: number }>(
        'SELECT key, task_id, id_given FROM workspace ORDER BY key',
      )
      .toArray(),
  );

test('an id that two dispatches give at once belongs to the first of them', async () => {
  const [one, other] = await twoTasks('id-race');
  const [first, second] = await Promise.all([dispatch(one, '7'), dispatch(other, '7')]);
  expect(first.ok).toBe(true);
  expect(second).toMatchObject({ ok: false, error: { code: 'attempt_in_progress' } });
  await one.settled();
  expect((await other.view()).attempt_count).toBe(1);
  expect(await rowsOf(one)).toEqual([
    { key: 'ABC-1', task_id: '7', id_given: 1 },
    { key: 'XYZ-2', task_id: 'XYZ-2', id_given: 0 },
  ]);
});

test('the id of a dispatch that was refused is free again', async () => {
  const [one, other] = await twoTasks('id-refused');
  expect(await dispatch(one, '7', 'Done')).toMatchObject({ ok: false, error: { code: 'task_terminal' } });
  unwrap(await dispatch(other, '7'));
  await other.settled();
  expect(await rowsOf(one)).toEqual([
    { key: 'ABC-1', task_id: 'ABC-1', id_given: 0 },
    { key: 'XYZ-2', task_id: '7', id_given: 1 },
  ]);
});

test('a report of an id that another workspace has is taken, but for the id', async () => {
  const [one, other] = await twoTasks('id-taken');
  unwrap(await dispatch(one, '7'));
  await one.settled();
  const view = await other.view();
  await projectOf(workerEnv, other.project).report({
    view: { ...view, task: { ...view.task, id: '7', state: 'Review' } },
    generation: 1,
    version: Date.now() + 60_000,
    terminal: false,
    idGiven: true,
  });
  expect(await rowsOf(one)).toEqual([
    { key: 'ABC-1', task_id: '7', id_given: 1 },
    { key: 'XYZ-2', task_id: 'XYZ-2', id_given: 0 },
  ]);
  const page = unwrap(
    await projectOf(workerEnv, one.project).listWorkspaces({
      limit: 10,
      cursor: null,
      status: null,
      saved: null,
    }),
  );
  expect(page.workspaces.find(({ key }) => key === 'XYZ-2')?.task.state).toBe('Review');
});

/** Folders on the sandbox host that no workspace goes by. */
import { runInDurableObject } from 'cloudflare:test';
import { inject, expect, test, vi, afterEach } from 'vitest';
import { sweepHost } from '../../src/cron/host-orphans.ts';
import { hostClient } from '../../src/sandbox/host.ts';
import { Task, workerEnv } from '../workers/task.ts';

afterEach(() => void vi.useRealTimers());

const hostTask = (project: string) =>
  Task.create(
    project,
    `workspace:\n  root: ${inject('workspaceRoot')}/${project}\nagent:\n  command: 'true'`,
    {
      location: 'host',
    },
  );

async function claim(task: Task, key: string, creationId: string): Promise<void> {
  const reply = await hostClient(workerEnv)?.open({
    project: task.project,
    key,
    creation_id: creationId,
    claim: true,
    root: `${inject('workspaceRoot')}/${task.project}`,
    directory: null,
    workflow: null,
  });
  expect(reply?.kind).toBe('answer');
}

const mintedBy = (task: Task): Promise<string[]> =>
  runInDurableObject(task.stub, (_object, { storage }) =>
    storage.sql
      .exec<{ creation_id: string }>('SELECT creation_id FROM incarnation')
      .toArray()
      .map((row) => row.creation_id),
  );

const orphansOf = async (task: Task) =>
  (await sweepHost(workerEnv, Date.now() + 60_000))
    .filter(({ project }) => project === task.project)
    .map(({ key, removed }) => ({ key, removed }));

const later = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
const TWO_DAYS = 2 * 86_400_000;

test('a workspace that lives is no orphan, however old', async () => {
  const task = await hostTask('orphan-none');
  await task.run();
  later(TWO_DAYS);
  expect(await orphansOf(task)).toEqual([]);
});

test('what a removed workspace left is reported, and removed when it is older than a day', async () => {
  const task = await hostTask('orphan-left');
  await task.run();
  const [id = ''] = await mintedBy(task);
  await task.end();
  await task.status('removed');
  await claim(task, task.key, id);
  expect(await orphansOf(task)).toEqual([{ key: task.key, removed: false }]);
  later(TWO_DAYS);
  expect(await orphansOf(task)).toEqual([{ key: task.key, removed: true }]);
  expect(await orphansOf(task)).toEqual([]);
});

test('a claim that no record of ours names is reported and stays', async () => {
  const task = await hostTask('orphan-unknown');
  await claim(task, 'STRAY', '11111111-1111-1111-1111-111111111111');
  later(TWO_DAYS);
  expect(await orphansOf(task)).toEqual([{ key: 'STRAY', removed: false }]);
  expect(await orphansOf(task)).toEqual([{ key: 'STRAY', removed: false }]);
});

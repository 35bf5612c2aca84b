/** A project with 10 000 workspaces: pages and sweeps read a bounded number of rows. */
import { runInDurableObject } from 'cloudflare:test';
import { beforeAll, expect, test } from 'vitest';
import type { ProjectStore } from '../../durable-objects/project-store.ts';
import { projectOf } from '../../durable-objects/stubs.ts';
import type { WorkspacePage, WorkspaceView } from '../../src/core/api.ts';
import { countRowsRead, lookForWork } from '../workers/rows-read.ts';
import { Task, unwrap, workerEnv } from '../workers/task.ts';

const COUNT = 10_000;
const project = 'many';
const object = () => projectOf(workerEnv, project);
const stub = () => workerEnv.PROJECT.getByName(project);

const view = (key: string) =>
  ({
    key,
    status: 'ready',
    task: { id: key, identifier: key, title: '', state: 'Todo' },
    saved: { status: 'saved' },
    kept: null,
    removed_at: null,
  }) as unknown as WorkspaceView;

function insert(sql: SqlStorage, number: number): void {
  const key = `T-${number}`;
  sql.exec(
    `INSERT INTO workspace (key, task_id, id_given, identifier, sandbox_id, task_state, terminal, status, saved, generation, version, view, reserved_at_ms)
     VALUES (?, ?, 1, ?, ?, 'Todo', 0, 'ready', 'saved', 1, 1, ?, 1)`,
    key,
    key,
    key,
    `ws-${key}`,
    JSON.stringify(view(key)),
  );
}

const rowsRead = (use: (store: ProjectStore) => void): Promise<number> =>
  runInDurableObject(stub(), (_, { storage }) => countRowsRead(storage, use));

const list = (cursor: string | null, limit = 100, filter: { status?: string; saved?: string } = {}) =>
  object()
    .listWorkspaces({ limit, cursor, status: filter.status ?? null, saved: filter.saved ?? null })
    .then(unwrap);

beforeAll(async () => {
  unwrap(await object().put(project, { location: 'host' }));
  await runInDurableObject(stub(), (_, { storage }) => {
    storage.transactionSync(() => {
      for (let number = 1; number <= COUNT; number += 1) insert(storage.sql, number);
    });
  });
});

test('a page of 100 reads about 100 rows, wherever it begins', async () => {
  for (const before of [Number.MAX_SAFE_INTEGER, 5_000, 101])
    expect(await rowsRead((store) => store.page(before, 100, null, null))).toBeLessThanOrEqual(110);
});

test('a filter that few or no workspaces pass reads few rows', async () => {
  expect(await rowsRead((store) => store.page(Number.MAX_SAFE_INTEGER, 100, 'kept', null))).toBeLessThan(20);
  expect(await rowsRead((store) => store.page(Number.MAX_SAFE_INTEGER, 100, null, 'failed'))).toBeLessThan(
    20,
  );
  expect(await rowsRead((store) => store.page(Number.MAX_SAFE_INTEGER, 100, 'kept', 'saved'))).toBeLessThan(
    20,
  );
});

test('a sweep that finds nothing terminal reads fewer than 20 rows per 1 000 workspaces', async () => {
  expect(await rowsRead(lookForWork)).toBeLessThan((20 * COUNT) / 1_000);
  const swept = unwrap(await object().sweep(null, 200, { force: true, waitMs: 0 }));
  expect(swept).toEqual({ lookedAt: 0, removed: 0, kept: [], nextCursor: null });
});

test('a workspace is found by key and by task with a handful of rows', async () => {
  expect(await rowsRead((store) => store.rowByKey('T-5000'))).toBeLessThan(5);
  expect(await rowsRead((store) => store.rowByTask('T-5000'))).toBeLessThan(5);
});

test('paging visits every workspace once, newest first, also while others are added', async () => {
  const seen: string[] = [];
  let cursor: string | null = null;
  let added = COUNT;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(cursor, 200);
    seen.push(...page.workspaces.map(({ key }) => key));
    cursor = page.next_cursor;
    added += 1;
    await runInDurableObject(stub(), (_, { storage }) => insert(storage.sql, added));
  } while (cursor !== null);
  expect(seen).toEqual(Array.from({ length: COUNT }, (_, index) => `T-${COUNT - index}`));
});

test('a task that is dispatched while its project is removed has a project, or no workspace', async () => {
  const task = new Task('removed-meanwhile');
  unwrap(await projectOf(workerEnv, task.project).put(task.project, { location: 'cloudflare' }));
  const [removed, dispatched] = await Promise.all([
    projectOf(workerEnv, task.project).remove(),
    projectOf(workerEnv, task.project).dispatch({ task: { identifier: task.key } }, null),
  ]);
  expect([removed.ok, dispatched.ok]).toEqual([true, false]);
  expect(await task.object.view()).toMatchObject({ ok: false, error: { code: 'workspace_not_found' } });
});

test('a page of long titles is shorter, and the next one goes on behind it', async () => {
  const long = 'long-titles';
  unwrap(await projectOf(workerEnv, long).put(long, { location: 'cloudflare' }));
  await runInDurableObject(workerEnv.PROJECT.getByName(long), (_, { storage }) => {
    for (let number = 1; number <= 12; number += 1) {
      insert(storage.sql, number);
      const title = 'x'.repeat(512 * 1024);
      const text = JSON.stringify({ ...view(`T-${number}`), task: { title } });
      storage.sql.exec('UPDATE workspace SET view = ? WHERE key = ?', text, `T-${number}`);
    }
  });
  const sizes: number[] = [];
  for (let cursor: string | null = null; ;) {
    const query = { limit: 200, cursor, status: null, saved: null };
    const page: WorkspacePage = unwrap(await projectOf(workerEnv, long).listWorkspaces(query));
    sizes.push(page.workspaces.length);
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  expect(sizes).toEqual([8, 4]);
});

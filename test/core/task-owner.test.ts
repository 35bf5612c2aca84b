import { describe, expect, test } from 'vitest';
import { findOwner, idAfter, type KnownTask } from '../../src/core/task-owner.ts';

const known = (more: Partial<KnownTask> = {}): KnownTask => ({
  key: 'ABC-1',
  identifier: 'ABC-1',
  task_id: 'ABC-1',
  id_given: 0,
  ...more,
});
const task = (identifier: string, id?: string) => ({ identifier, ...(id === undefined ? {} : { id }) });

describe('whose workspace a dispatch means', () => {
  test('a task that nobody knows gets the key of its identifier', () => {
    expect(findOwner(task('ABC-1'), { key: 'ABC-1', byId: null, byKey: null })).toEqual({
      ok: true,
      value: { key: 'ABC-1', known: null },
    });
  });

  test('a task that was renamed keeps its workspace and its old key', () => {
    const old = known({ task_id: '7', id_given: 1 });
    expect(findOwner(task('XYZ-9', '7'), { key: 'XYZ-9', byId: old, byKey: null })).toEqual({
      ok: true,
      value: { key: 'ABC-1', known: old },
    });
  });

  test('a defaulted id gives way to the first explicit one', () => {
    expect(findOwner(task('ABC-1', '7'), { key: 'ABC-1', byId: null, byKey: known() })).toMatchObject({
      ok: true,
      value: { known: known() },
    });
  });

  test.each([
    ['another identifier', task('abc/1'), known({ identifier: 'abc_1', key: 'abc_1' })],
    ['another explicit id', task('ABC-1', '8'), known({ task_id: '7', id_given: 1 })],
  ])('a key is not shared with a task of %s', (_, asked, other) => {
    expect(findOwner(asked, { key: other.key, byId: null, byKey: other })).toMatchObject({
      ok: false,
      error: { code: 'workspace_key_conflict', detail: expect.stringContaining(other.identifier) },
    });
  });

  test('without an id the identifier finds the workspace of a task with one', () => {
    const other = known({ task_id: '7', id_given: 1 });
    expect(findOwner(task('ABC-1'), { key: 'ABC-1', byId: null, byKey: other })).toMatchObject({
      ok: true,
      value: { known: other },
    });
  });
});

describe('the id that a workspace goes by after a dispatch', () => {
  test.each([
    ['the first explicit one', known(), '7', { task_id: '7', id_given: 1 }],
    ['the identifier, while nobody gives one', known(), undefined, { task_id: 'ABC-1', id_given: 0 }],
    ['the one given before', known({ task_id: '7', id_given: 1 }), undefined, { task_id: '7', id_given: 1 }],
  ])('is %s', (_, before, id, after) => {
    expect(idAfter(before, task('ABC-1', id))).toEqual(after);
  });
});

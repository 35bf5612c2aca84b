import { expect, test } from 'vitest';
import { judgeFolder, ORPHAN_AGE_MS, ownershipOf, type Ownership } from '../../src/core/cleanup.ts';
import { idleScene } from './lifecycle/driver.ts';

const NOW = 10 * ORPHAN_AGE_MS;
const DAY_OLD = NOW - ORPHAN_AGE_MS - 1;

test.each<[Ownership, number, boolean | null]>([
  ['in use', DAY_OLD, null],
  ['unknown', DAY_OLD, false],
  ['unknown', 0, false],
  ['left', NOW, false],
  ['left', NOW - ORPHAN_AGE_MS, false],
  ['left', DAY_OLD, true],
])('a folder that is %s and was claimed at %i is removed: %s', (ownership, claimedAtMs, removed) => {
  expect(judgeFolder(ownership, claimedAtMs, NOW)?.remove ?? null).toBe(removed);
});

test('an incarnation is in use while its workspace may come back to it, and left once that was removed', () => {
  const scene = idleScene();
  const id = scene.state.creationId ?? '';
  expect(ownershipOf(scene.state, id, true)).toBe('in use');
  expect(ownershipOf({ ...scene.state, creationId: 'new', formerIds: [id] }, id, true)).toBe('in use');
  scene.setTask('Done');
  scene.run();
  expect(ownershipOf(scene.state, id, true)).toBe('left');
});

test('an id that the workspace did not make up is unknown, also where the key has a workspace', () => {
  expect(ownershipOf(idleScene().state, 'other', false)).toBe('unknown');
  expect(ownershipOf(null, 'other', false)).toBe('unknown');
});

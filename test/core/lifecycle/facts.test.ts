import { describe, expect, test } from 'vitest';
import { hasWorkToSave, isRemovable, mustStayAwake } from '../../../src/core/lifecycle/saving.ts';
import { UNKNOWN_SAVED, type Saved, type Snapshot, type State } from '../../../src/core/lifecycle/state.ts';
import { idleScene, Scene } from './driver.ts';
import { cloned, FOLDER_GONE, GONE, NO_HOOKS, SAVE_FAILED, saved } from './outcomes.ts';

const OURS = 'a'.repeat(40);
const THEIRS = 'c'.repeat(40);
const BASE = 'd'.repeat(40);

const clonedAs = (base: string | null, remoteSha: string | null, head: string | null) =>
  ({ type: 'cloned', base, remoteSha, head, from: 'remote' }) as const;

describe('what is known of the branch', () => {
  test.each([
    ['from its base branch', BASE, null, BASE],
    ['from a task branch that was there', BASE, THEIRS, THEIRS],
    ['from an empty repository', null, null, null],
  ])('after a first clone %s', (_, base, remoteSha, head) => {
    const scene = new Scene({ plan: { hooks: NO_HOOKS } }).script('clone', clonedAs(base, remoteSha, head));
    scene.dispatch();
    scene.runTo('agent');
    expect(scene.state.saved).toEqual({ ...UNKNOWN_SAVED, base, lastSaved: remoteSha, head });
  });

  test.each([
    ['the saved branch: the first base stays', clonedAs(BASE, THEIRS, THEIRS), OURS, THEIRS, 'saved'],
    ['the base branch: a new start', clonedAs(BASE, null, BASE), BASE, null, 'saved'],
    ['a snapshot: base and lease stay', cloned('snapshot', THEIRS), OURS, OURS, 'saved'],
  ])('after a restore from %s', (_, outcome, base, lastSaved, status) => {
    const scene = idleScene().script('open', GONE).script('clone', outcome);
    scene.send({ type: 'wake-requested' });
    scene.run();
    expect(scene.state.saved).toMatchObject({ base, lastSaved, status });
  });

  test.each([
    ['remote', null, 'nothing_to_save'],
    ['remote', THEIRS, 'saved'],
    ['nothing', null, 'no_repository'],
  ] as const)('after unsaved work was lost and restored from %s (%s) is %s', (from, remoteSha, status) => {
    const scene = idleScene().script('save', SAVE_FAILED);
    scene.dispatch();
    scene.run();
    scene.script('open', GONE).script('clone', cloned(from, remoteSha));
    scene.send({ type: 'wake-requested' });
    scene.run();
    expect(scene.state.saved).toMatchObject({ status, reason: null, tries: 0, unsavedCommits: [] });
    expect(isRemovable(scene.state.saved)).toBe(true);
  });

  test('after a save has the time and the sha of the last one that got through', () => {
    const scene = idleScene().script('save', saved('failed', { sha: OURS }), saved('nothing_to_save'));
    const { savedAtMs } = scene.state.saved;
    expect(savedAtMs).not.toBeNull();
    for (let count = 0; count < 2; count += 1) {
      scene.send({ type: 'save-requested' });
      scene.run();
      expect(scene.state.saved).toMatchObject({ savedAtMs, sha: OURS, lastSaved: OURS });
      expect(scene.state.saved.checkedAtMs).toBe(scene.nowMs);
    }
    scene.send({ type: 'save-requested' });
    scene.run();
    expect(scene.state.saved.savedAtMs).toBe(scene.nowMs);
  });
});

test('an asked save reads the plan in force and leaves the one of the last attempt', () => {
  const scene = idleScene();
  const { plan } = scene.attempt;
  scene.plan.hooks = NO_HOOKS;
  scene.send({ type: 'save-requested' });
  scene.run();
  expect(scene.attempt.plan).toEqual(plan);
});

test('the place is the one that the sandbox named last', () => {
  const scene = idleScene();
  const opened = { ...FOLDER_GONE, files: 'whole', directory: '/other', workflowDir: '/workflow' } as const;
  scene.script('open', opened);
  scene.send({ type: 'wake-requested' });
  scene.run();
  expect(scene.state).toMatchObject({ directory: '/other', workflowDir: '/workflow' });
});

const known = (more: Partial<Saved>): Saved => ({ ...UNKNOWN_SAVED, ...more });
const state = (more: Partial<State>): State => ({ ...idleScene().state, ...more });

describe('work', () => {
  test.each([
    [true, known({ status: 'saved' })],
    [true, known({ status: 'nothing_to_save' })],
    [true, known({ status: 'diverged' })],
    [true, known({ status: 'head_elsewhere' })],
    [true, known({ status: 'no_repository' })],
    [false, known({ status: 'no_repository', head: OURS })],
    [false, known({ status: 'no_repository', unsavedCount: 1 })],
    [false, known({ status: 'no_repository', stashes: 1 })],
    [false, known({ status: 'unsaved' })],
    [false, known({ status: 'failed' })],
    [false, known({ status: 'unknown' })],
  ])('is removable: %s for %o', (removable, facts) => {
    expect(isRemovable(facts)).toBe(removable);
  });

  const snapshot = (more: Partial<Snapshot> = {}): Snapshot => ({
    id: 's',
    atMs: 10,
    head: OURS,
    complete: true,
    skipped: null,
    ...more,
  });

  test.each([
    [false, 'saved', null],
    [true, 'failed', null],
    [false, 'failed', snapshot()],
    [true, 'failed', snapshot({ atMs: 9 })],
    [true, 'failed', snapshot({ complete: false })],
    [true, 'failed', snapshot({ skipped: 'too large' })],
  ] as const)('must stay awake: %s when %s with snapshot %o', (stays, status, kept) => {
    expect(mustStayAwake(state({ saved: known({ status, checkedAtMs: 10 }), snapshot: kept }))).toBe(stays);
  });

  test.each([
    [false, 'present', 'saved', null],
    [true, 'present', 'failed', null],
    [false, 'none', 'failed', snapshot()],
    [false, 'lost', 'failed', null],
    [false, 'lost', 'failed', snapshot({ id: '' })],
    [true, 'lost', 'failed', snapshot()],
    [false, 'lost', 'saved', snapshot()],
  ] as const)('is there to be saved: %s with files %s, status %s, snapshot %o', (is, files, status, kept) => {
    expect(hasWorkToSave(state({ files, saved: known({ status }), snapshot: kept }))).toBe(is);
  });
});

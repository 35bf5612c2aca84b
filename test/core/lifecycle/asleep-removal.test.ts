import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/core/lifecycle/state.ts';
import { ALL_HOOKS, idleScene, Scene } from './driver.ts';
import {
  absent,
  CLONE_FAILED,
  cloned,
  DAMAGED,
  GONE,
  looked,
  NO_HOOKS,
  PLAN_REFUSED,
  SAVE_FAILED,
  UNREACHABLE,
} from './outcomes.ts';

const WITH = looked('gone', ALL_HOOKS);
const WITHOUT = looked('gone', NO_HOOKS);
const REBUILT = ['look', 'claim', 'clone', 'hook before_remove', 'destroy'];

const unsaved = (plan: Partial<Plan> = {}): Scene => {
  const scene = idleScene({ plan }).script('save', SAVE_FAILED);
  scene.dispatch();
  scene.run().take();
  return scene;
};
const end = (scene: Scene): string[] => {
  scene.setTask('Done');
  return scene.run().take();
};

describe('a sandbox that is asleep at its removal', () => {
  test('is not woken when all is saved and there is no before_remove', () => {
    const scene = idleScene().script('look', WITHOUT);
    expect(end(scene)).toEqual(['look', 'destroy']);
    expect(scene.state.stage.name).toBe('removed');
  });

  test('is rebuilt for before_remove, without after_create and without another save', () => {
    const scene = idleScene().script('look', WITH);
    expect(end(scene)).toEqual(REBUILT);
    expect(new Set(scene.claims).size).toBe(2);
  });

  test('counts as asleep, too, when its disk was replaced or its folder is gone', () => {
    const scene = idleScene().script('look', GONE);
    expect(end(scene)).toEqual(REBUILT);
    const other = idleScene({ plan: { hooks: NO_HOOKS } }).script('save', GONE);
    expect(end(other)).toEqual(['look', 'save', 'destroy']);
  });

  test.each([
    ['the sandbox does not start', 'claim', UNREACHABLE],
    ['WORKFLOW.md is refused', 'claim', PLAN_REFUSED],
    ['the clone fails', 'clone', CLONE_FAILED],
    ['it is lost in the clone', 'clone', GONE],
    ['somebody else has the folder', 'claim', DAMAGED],
  ])('is removed without before_remove when the rebuild fails because %s', (_, at, outcome) => {
    const scene = idleScene().script('look', WITH).script(at, outcome);
    const trace = end(scene);
    expect(trace.at(-1)).toBe('destroy');
    expect(trace).not.toContain('hook before_remove');
    expect(scene.state.stage.name).toBe('removed');
    expect(scene.notes.some(({ data }) => 'rebuild_failed' in data)).toBe(true);
  });

  test('with work that was never saved and is in no snapshot has nothing left to save', () => {
    const scene = unsaved().script('look', WITHOUT);
    expect(end(scene)).toEqual(['look', 'destroy']);
    expect(scene.state.stage.name).toBe('removed');
  });

  test('with unsaved work in a snapshot is rebuilt from it and saved', () => {
    const scene = unsaved({ snapshots: true }).script('look', WITHOUT);
    expect(end(scene)).toEqual(['look', 'claim', 'clone from snapshot', 'save', 'destroy']);
    const hooked = unsaved({ snapshots: true }).script('look', WITH);
    expect(end(hooked)).toEqual([
      'look',
      'claim',
      'clone from snapshot',
      'save',
      'hook before_remove',
      'destroy',
    ]);
  });

  test.each([
    ['cannot be rebuilt', 'clone from snapshot', CLONE_FAILED],
    ['cannot be rebuilt from the snapshot', 'clone from snapshot', cloned('remote')],
    ['goes away again', 'save', GONE],
    ['cannot save', 'save', SAVE_FAILED],
  ])('with unsaved work in a snapshot is kept when it %s', (_, at, outcome) => {
    const scene = unsaved({ snapshots: true }).script('look', WITHOUT, WITHOUT).script(at, outcome);
    expect(end(scene)).not.toContain('destroy');
    expect(scene.state).toMatchObject({ files: 'lost', kept: { tries: 1 } });
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['look', 'claim', 'clone from snapshot', 'save', 'destroy']);
  });

  test('names every incarnation that may be there to its next rebuild', () => {
    const scene = unsaved({ snapshots: true }).script('look', WITHOUT, WITHOUT);
    scene.script('claim', absent('refused', 'internal: no space left on device'));
    end(scene);
    expect(scene.state.kept?.reason).toContain('no space left');
    scene.fireTimer();
    scene.runTo('claim');
    expect(scene.pending.at(-1)?.command).toMatchObject({ replaces: scene.claims.slice(0, 2) });
    scene.run();
    expect(scene.state).toMatchObject({ stage: { name: 'removed' }, creationId: null, formerIds: [] });
  });

  test('and was rebuilt for a removal that failed runs after_create for a re-opened task', () => {
    const scene = unsaved({ snapshots: true }).script('look', WITHOUT).script('save', SAVE_FAILED);
    end(scene);
    scene.setTask('In Progress');
    scene.dispatch();
    expect(scene.run().take().slice(0, 4)).toEqual([
      'claim',
      'clone from snapshot',
      'hook after_create',
      'hook before_run',
    ]);
  });

  test('and holds what a failed restore left is rebuilt all the same', () => {
    const scene = idleScene().script('open', GONE).script('clone', CLONE_FAILED);
    scene.script('discard', { type: 'destroy-failed', detail: 'it does not stop' });
    scene.dispatch();
    scene.run().take();
    expect(end(scene)).toEqual(REBUILT);
  });
});

describe('a rebuild', () => {
  test('that took the sandbox and then failed is what the next one replaces', () => {
    const scene = unsaved({ snapshots: true }).script('look', WITHOUT, WITHOUT);
    scene.script('clone from snapshot', CLONE_FAILED);
    end(scene);
    const taken = scene.claims.at(-1);
    expect(scene.state).toMatchObject({ creationId: taken, formerIds: [] });
    scene.fireTimer();
    scene.runTo('claim');
    expect(scene.pending.at(-1)?.command).toMatchObject({ claim: true, replaces: [taken] });
  });

  test('says what it could not bring back', () => {
    const scene = idleScene().script('look', WITH);
    end(scene);
    expect(scene.state.lastLoss).toContain('restored from the saved branch');
  });
});

describe('a damaged workspace that falls asleep', () => {
  test('is not damaged any more: before_remove runs in the rebuilt one', () => {
    const scene = idleScene().script('open', DAMAGED).script('look', WITH);
    scene.dispatch();
    scene.run().take();
    expect(end(scene)).toEqual(REBUILT);
  });

  test('and never had files of ours is removed without a rebuild', () => {
    const scene = new Scene().script('claim', DAMAGED).script('look', WITH);
    scene.dispatch();
    scene.run().take();
    expect(end(scene)).toEqual(['look', 'destroy']);
  });
});

describe('a removal that finds no sandbox to ask', () => {
  test('keeps the workspace when it does not answer', () => {
    const scene = idleScene().script('look', absent('unreachable', 'no answer for 180 s'));
    expect(end(scene)).toEqual(['look']);
    expect(scene.state.kept?.reason).toBe('no answer for 180 s');
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['look', 'save', 'hook before_remove', 'destroy']);
  });

  test('removes nothing of a folder that it never owned', () => {
    const scene = idleScene().script('open', GONE).script('claim', DAMAGED).script('look', DAMAGED);
    scene.dispatch();
    scene.run().take();
    expect(scene.state).toMatchObject({ files: 'lost', damaged: '.git is gone' });
    expect(end(scene)).toEqual(['look', 'destroy']);
    expect(scene.state.stage.name).toBe('removed');
  });
});

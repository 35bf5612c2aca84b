import { describe, expect, test } from 'vitest';
import { idleScene, Scene } from './driver.ts';
import { DAMAGED, DESTROY_FAILED, FAILED, GONE, SAVE_FAILED, saved, UNREACHABLE } from './outcomes.ts';

const REMOVAL = ['look', 'save', 'hook before_remove', 'destroy'];
const DISCARD = ['look', 'hook before_remove', 'destroy'];

const running = (at: string): Scene => {
  const scene = idleScene();
  scene.dispatch();
  scene.runTo(at).take();
  return scene;
};
const unsaved = (): Scene => {
  const scene = idleScene().script('save', SAVE_FAILED);
  scene.dispatch();
  scene.run().take();
  return scene;
};

describe('a delete by a person', () => {
  test('of an idle workspace goes as a terminal task does', () => {
    const scene = idleScene();
    expect(scene.delete()).toBeNull();
    expect(scene.run().take()).toEqual(REMOVAL);
    expect(scene.state).toMatchObject({ stage: { name: 'removed' }, task: { terminal: false } });
  });

  test('in backoff drops the retry', () => {
    const scene = idleScene().script('agent', FAILED);
    scene.dispatch();
    scene.run().take();
    expect(scene.delete()).toBeNull();
    expect(scene.run().take()).toEqual(REMOVAL);
  });

  const phases = ['open', 'hook before_run', 'agent', 'hook after_run', 'save'];
  test.each(phases)('at "%s" of an attempt is refused without cancel=true', (at) => {
    const scene = running(at);
    const before = scene.state;
    expect(scene.delete()).toBe('workspace_in_use');
    expect(scene.delete({ discard: true })).toBe('workspace_in_use');
    expect(scene.state).toBe(before);
  });

  test.each([
    ['open', []],
    ['hook before_run', ['cancel before-run', 'kill-leftovers', 'hook after_run', 'save']],
    ['agent', ['cancel agent', 'hook after_run', 'save']],
    ['hook after_run', ['save']],
    ['save', []],
  ])('at "%s" with cancel=true ends the attempt before the removal', (at, expected) => {
    const scene = running(at);
    expect(scene.delete({ cancel: true })).toBeNull();
    expect(scene.run().take()).toEqual([...expected, ...REMOVAL]);
    expect(scene.state.stage.name).toBe('removed');
  });

  test.each([
    ['claim', ['discard', 'destroy']],
    ['clone', ['cancel cloning', 'discard', 'destroy']],
    ['hook after_create', ['cancel after-create', 'discard', 'destroy']],
  ])('during creation, at "%s", with cancel=true leaves nothing', (at, expected) => {
    const scene = new Scene();
    scene.dispatch();
    scene.runTo(at).take();
    expect(scene.delete()).toBe('workspace_in_use');
    expect(scene.delete({ cancel: true })).toBeNull();
    expect(scene.run().take()).toEqual(expected);
    expect(scene.state.stage.name).toBe('removed');
  });

  test('during an asked save needs no cancel and follows it', () => {
    const scene = idleScene();
    scene.send({ type: 'save-requested' });
    scene.take();
    expect(scene.delete()).toBeNull();
    expect(scene.run().take()).toEqual(['save', ...REMOVAL]);
  });

  test('of work that is known to be unsaved is refused and names it', () => {
    const scene = unsaved();
    expect(scene.delete()).toBe('workspace_unsaved');
    expect(scene.state.removalWish).toBeNull();
    expect(scene.delete({ discard: true })).toBeNull();
    expect(scene.run().take()).toEqual(DISCARD);
  });

  test('of a kept workspace is refused until its work is given up', () => {
    const scene = unsaved();
    scene.script('save', SAVE_FAILED);
    scene.setTask('Done');
    scene.run().take();
    expect(scene.delete()).toBe('workspace_unsaved');
    expect(scene.delete({ discard: true })).toBeNull();
    expect(scene.run().take()).toEqual(DISCARD);
    expect(scene.state.stage.name).toBe('removed');
  });

  test('of a damaged workspace needs discard=true and runs no hook in it', () => {
    const scene = idleScene().script('open', DAMAGED);
    scene.dispatch();
    scene.run().take();
    expect(scene.delete()).toBe('workspace_unsaved');
    expect(scene.delete({ discard: true })).toBeNull();
    expect(scene.answer(DAMAGED)).toBeUndefined();
    expect(scene.run().take()).toEqual(['look', 'destroy']);
    expect(scene.state).toMatchObject({ stage: { name: 'removed' }, damaged: null });
  });

  test('that keeps failing to save ends as kept', () => {
    const scene = idleScene().script('save', SAVE_FAILED);
    scene.delete();
    expect(scene.run().take()).toEqual(['look', 'save']);
    expect(scene.state).toMatchObject({ stage: { name: 'idle' }, kept: { tries: 1 } });
  });

  test('twice removes once; of a removed workspace changes nothing', () => {
    const scene = idleScene();
    scene.delete();
    expect(scene.delete()).toBeNull();
    expect(scene.run().take()).toEqual(REMOVAL);
    const before = scene.state;
    expect(scene.delete({ cancel: true, discard: true })).toBeNull();
    expect(scene.state).toBe(before);
  });

  test('outlives a new state of its task that is not a re-opening', () => {
    const scene = running('agent');
    scene.delete({ cancel: true });
    scene.setTask('In Review');
    scene.run();
    expect(scene.state.stage.name).toBe('removed');
  });

  test('of a terminal task is taken back by re-opening it', () => {
    const scene = idleScene().script('save', SAVE_FAILED);
    scene.setTask('Done');
    scene.delete();
    scene.run();
    expect(scene.state.removalWish?.by).toBe('delete');
    scene.setTask('In Progress');
    expect(scene.state).toMatchObject({ kept: null, removalWish: null });
  });

  test('before a dispatch that comes during an asked save is taken back by it', () => {
    const scene = idleScene();
    scene.send({ type: 'save-requested' });
    scene.delete();
    scene.dispatch();
    scene.run();
    expect(scene.state).toMatchObject({ stage: { name: 'idle' }, attemptCount: 2, files: 'present' });
  });
});

describe('discard=true', () => {
  test('skips the save', () => {
    const scene = idleScene();
    scene.delete({ discard: true });
    expect(scene.run().take()).toEqual(DISCARD);
  });

  test('given while the removal saves lets a failed save pass', () => {
    const scene = idleScene();
    scene.setTask('Done');
    scene.runTo('save').take();
    expect(scene.delete({ discard: true })).toBeNull();
    scene.answer(SAVE_FAILED);
    expect(scene.run().take()).toEqual(['hook before_remove', 'destroy']);
    expect(scene.state.stage.name).toBe('removed');
  });

  test('given while the removal saves holds for a later try, too', () => {
    const scene = idleScene().script('destroy', DESTROY_FAILED);
    scene.setTask('Done');
    scene.runTo('save');
    scene.delete({ discard: true });
    scene.answer(SAVE_FAILED);
    scene.run();
    expect(scene.state.kept).not.toBeNull();
    scene.fireTimer();
    scene.run();
    expect(scene.state.stage.name).toBe('removed');
  });

  test('is not taken back by the task becoming terminal', () => {
    const scene = running('save');
    scene.delete({ cancel: true, discard: true });
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(DISCARD);
  });

  test('of a damaged workspace goes on where a failed destroy left it', () => {
    const scene = idleScene().script('open', DAMAGED).script('look', DAMAGED);
    scene.script('destroy', DESTROY_FAILED);
    scene.dispatch();
    scene.run();
    scene.delete({ discard: true });
    scene.run().take();
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['destroy']);
  });

  test('is not taken back by a second delete without it', () => {
    const scene = running('save');
    scene.delete({ cancel: true, discard: true });
    scene.answer(saved());
    scene.delete();
    expect(scene.run().take()).toEqual(DISCARD);
  });

  test.each([
    ['unreachable', UNREACHABLE, ['look', 'destroy']],
    ['gone', GONE, ['look', 'claim', 'clone', 'hook before_remove', 'destroy']],
  ])('ends a workspace whose sandbox is %s', (_, outcome, expected) => {
    const scene = unsaved();
    scene.script('look', outcome);
    scene.delete({ discard: true });
    expect(scene.run().take()).toEqual(expected);
    expect(scene.state.stage.name).toBe('removed');
  });
});

describe('a dispatch during a delete', () => {
  test('is refused, and makes a new workspace when the old one is gone', () => {
    const scene = idleScene();
    scene.delete();
    scene.runTo('destroy');
    expect(scene.dispatch()).toBe('workspace_removing');
    scene.run().take();
    expect(scene.dispatch()).toBeNull();
    expect(scene.state.generation).toBe(2);
    expect(scene.take()).toEqual(['claim']);
  });
});

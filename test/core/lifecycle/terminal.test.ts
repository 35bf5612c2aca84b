import { describe, expect, test } from 'vitest';
import { idleScene, Scene } from './driver.ts';
import { FAILED, NO_HOOKS, TIMEOUT, UNREACHABLE } from './outcomes.ts';

const REMOVAL = ['look', 'save', 'hook before_remove', 'destroy'];

const running = (at: string): Scene => {
  const scene = idleScene();
  scene.dispatch();
  scene.runTo(at).take();
  return scene;
};

describe('a task that becomes terminal', () => {
  test('while idle has its branch saved, before_remove run and its files destroyed', () => {
    const scene = idleScene();
    expect(scene.setTask('Done')).toBeNull();
    expect(scene.run().take()).toEqual(REMOVAL);
    expect(scene.state).toMatchObject({ stage: { name: 'removed' }, files: 'none', kept: null });
    expect(scene.state.task).toMatchObject({ state: 'Done', terminal: true });
  });

  test('in backoff drops the retry and goes the same way', () => {
    const scene = idleScene().script('agent', FAILED);
    scene.dispatch();
    scene.run().take();
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(REMOVAL);
    expect(scene.state.retry).toBeNull();
  });

  test.each([
    ['claim', ['discard', 'destroy']],
    ['clone', ['cancel cloning', 'discard', 'destroy']],
    ['hook after_create', ['cancel after-create', 'discard', 'destroy']],
  ])('during creation, at "%s", ends in nothing left', (at, expected) => {
    const scene = new Scene();
    scene.dispatch();
    scene.runTo(at).take();
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(expected);
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.state.stage.name).toBe('removed');
  });

  test.each([
    ['open', []],
    ['hook before_run', ['cancel before-run', 'kill-leftovers', 'hook after_run', 'save']],
    ['agent', ['cancel agent', 'hook after_run', 'save']],
  ])('during an attempt, at "%s", cancels it before the removal', (at, expected) => {
    const scene = running(at);
    scene.setTask('Done');
    expect(scene.run().take()).toEqual([...expected, ...REMOVAL]);
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.state.stage.name).toBe('removed');
  });

  test('while the caller works cancels the attempt before the removal', () => {
    const scene = new Scene({ plan: { agent: 'external' } });
    scene.dispatch();
    while (scene.awaited !== null) scene.answer();
    scene.take();
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(['kill-leftovers', 'hook after_run', 'save', ...REMOVAL]);
    expect(scene.attempt.outcome).toBe('cancelled');
  });

  test.each([
    ['hook after_run', ['save']],
    ['save', []],
  ])('at "%s" lets the attempt finish before the removal', (at, expected) => {
    const scene = running(at);
    scene.setTask('Done');
    expect(scene.run().take()).toEqual([...expected, ...REMOVAL]);
    expect(scene.attempt.outcome).toBe('succeeded');
  });

  test.each(['save-requested', 'wake-requested'] as const)('lets a %s finish first', (type) => {
    const scene = idleScene();
    scene.send({ type });
    scene.take();
    scene.setTask('Done');
    expect(scene.run().take()).toEqual([...(type === 'save-requested' ? ['save'] : []), ...REMOVAL]);
  });

  test('without before_remove is saved and destroyed', () => {
    const scene = idleScene({ plan: { hooks: NO_HOOKS } });
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(['look', 'save', 'destroy']);
  });

  test.each([
    ['fails', FAILED],
    ['runs out of time', TIMEOUT],
    ['cannot be run any more', UNREACHABLE],
  ])('goes on when before_remove %s', (_, outcome) => {
    const scene = idleScene().script('hook before_remove', outcome);
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(REMOVAL);
    expect(scene.state.stage.name).toBe('removed');
    expect(scene.notes).toContainEqual(
      expect.objectContaining({
        event: 'hook',
        data: expect.objectContaining({ hook: 'before_remove', outcome: expect.not.stringMatching('^ok$') }),
      }),
    );
  });

  test('whose creation failed and left no files is destroyed', () => {
    const scene = new Scene().script('clone', { type: 'clone-failed', detail: 'auth', cancelled: false });
    scene.dispatch();
    scene.run().take();
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(['destroy']);
  });

  test('twice is removed once, and is unknown afterwards', () => {
    const scene = idleScene();
    scene.setTask('Done');
    expect(scene.setTask('Done')).toBeNull();
    expect(scene.run().take()).toEqual(REMOVAL);
    expect(scene.setTask('Done')).toBe('task_not_found');
  });
});

describe('while a removal runs', () => {
  test.each(['look', 'save', 'hook before_remove', 'destroy'])('at "%s", all else is refused', (at) => {
    const scene = idleScene();
    scene.setTask('Done');
    scene.runTo(at).take();
    expect(scene.setTask('In Progress')).toBe('workspace_removing');
    expect(scene.dispatch()).toBe('workspace_removing');
    expect(scene.send({ type: 'save-requested' })).toBe('workspace_removing');
    expect(scene.send({ type: 'wake-requested' })).toBe('workspace_removing');
    expect(scene.cancel()).toBe('attempt_ended');
    expect(scene.take()).toEqual([]);
    scene.run();
    expect(scene.state.stage.name).toBe('removed');
  });

  test('a sweep that finds the task open changes nothing', () => {
    const scene = idleScene();
    scene.setTask('Done');
    const before = scene.state;
    scene.sweep({ terminal: false });
    expect(scene.state).toBe(before);
  });
});

describe('a task that is re-opened before the removal began', () => {
  test('keeps its workspace; the attempt that was stopped for it stays cancelled', () => {
    const scene = running('agent');
    scene.setTask('Done');
    scene.setTask('In Progress');
    expect(scene.run().take()).toEqual(['cancel agent', 'hook after_run', 'save']);
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.state).toMatchObject({ stage: { name: 'idle' }, files: 'present', retry: null });
  });

  test('keeps it, too, when the attempt was past its agent', () => {
    const scene = running('save');
    scene.setTask('Done');
    scene.setTask('In Progress');
    expect(scene.run().take()).toEqual([]);
    expect(scene.attempt.outcome).toBe('succeeded');
  });
});

describe('a removed workspace', () => {
  test('is dispatched as a new one, from the saved branch', () => {
    const scene = idleScene();
    scene.setTask('Done');
    scene.run().take();
    expect(scene.dispatch()).toBeNull();
    expect(scene.state).toMatchObject({ generation: 2, attemptCount: 1, task: { terminal: false } });
    expect(scene.run().take().slice(0, 3)).toEqual(['claim', 'clone', 'hook after_create']);
    expect(new Set(scene.claims).size).toBe(2);
  });

  test('is left alone by sweeps, and asks to be forgotten after 30 days', () => {
    const scene = idleScene();
    scene.setTask('Done');
    scene.run();
    const before = scene.state;
    scene.sweep({ terminal: true, force: true });
    expect(scene.state).toBe(before);
    expect(scene.send({ type: 'wake-requested' })).toBe('workspace_not_found');
  });
});

describe('a sweep', () => {
  test('removes the workspace of a task that it finds terminal', () => {
    const scene = idleScene();
    scene.sweep({ terminal: true });
    expect(scene.run().take()).toEqual(REMOVAL);
  });

  test('of an open task changes nothing', () => {
    const scene = idleScene();
    const before = scene.state;
    scene.sweep();
    expect(scene.state).toBe(before);
  });

  test('twice at once removes once', () => {
    const scene = idleScene();
    scene.sweep({ terminal: true });
    scene.sweep({ terminal: true });
    expect(scene.run().take()).toEqual(REMOVAL);
  });
});

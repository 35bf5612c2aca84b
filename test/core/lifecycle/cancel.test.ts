import { describe, expect, test } from 'vitest';
import { idleScene, Scene } from './driver.ts';
import { cloned, FAILED, GONE, SAVE_FAILED, scriptEnded, UNREACHABLE } from './outcomes.ts';

const AFTER = ['hook after_run', 'save'];

const first = (): Scene => {
  const scene = new Scene();
  scene.dispatch();
  return scene;
};
const later = (): Scene => {
  const scene = idleScene();
  scene.dispatch();
  return scene;
};

describe('a cancel during creation', () => {
  test.each([
    ['claim', ['discard']],
    ['clone', ['cancel cloning', 'discard']],
    ['hook after_create', ['cancel after-create', 'discard']],
  ])('at "%s" removes the files and ends the attempt as cancelled', (at, expected) => {
    const scene = first();
    scene.runTo(at).take();
    expect(scene.cancel()).toBeNull();
    expect(scene.run().take()).toEqual(expected);
    expect(scene.attempt).toMatchObject({ outcome: 'cancelled', result: { failure: { code: 'cancelled' } } });
    expect(scene.state).toMatchObject({ files: 'none', creationId: null, retry: null, error: null });
    expect(scene.attempt.hooks.at(-1)).toMatchObject({ hook: 'after_run', outcome: 'skipped' });
  });

  test.each([
    ['clone', cloned('remote'), 'cancel cloning'],
    ['hook after_create', scriptEnded('ok'), 'cancel after-create'],
  ])('that "%s" outruns has the same end', (at, outcome, stop) => {
    const scene = first();
    scene.runTo(at).take();
    scene.cancel();
    scene.answer(outcome);
    expect(scene.run().take()).toEqual([stop, 'discard']);
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.state.files).toBe('none');
  });

  test('leaves a new dispatch to start from nothing in a new incarnation', () => {
    const scene = first();
    scene.runTo('hook after_create');
    scene.cancel();
    scene.run().take();
    scene.dispatch();
    expect(scene.run().take().slice(0, 3)).toEqual(['claim', 'clone', 'hook after_create']);
    expect(new Set(scene.claims).size).toBe(2);
  });

  test('is too late while a failed creation is thrown away; the retry can be dropped', () => {
    const scene = first().script('hook after_create', FAILED);
    scene.runTo('discard');
    expect(scene.cancel()).toBe('attempt_ended');
    scene.run();
    expect(scene.attempt.outcome).toBe('failed');
    expect(scene.cancel()).toBeNull();
    expect(scene.state.retry).toBeNull();
  });
});

describe('a cancel of a later attempt', () => {
  test('while it is being opened ends it with the files as they were', () => {
    const scene = later();
    scene.take();
    expect(scene.cancel()).toBeNull();
    expect(scene.run().take()).toEqual([]);
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.state).toMatchObject({ files: 'present', retry: null });
  });

  test.each([
    ['hook before_run', ['cancel before-run', 'kill-leftovers', ...AFTER]],
    ['agent', ['cancel agent', ...AFTER]],
  ])('at "%s" kills it; after_run and the save follow', (at, expected) => {
    const scene = later();
    scene.runTo(at).take();
    expect(scene.cancel()).toBeNull();
    expect(scene.run().take()).toEqual(expected);
    expect(scene.attempt).toMatchObject({ outcome: 'cancelled', save: { status: 'saved' } });
    expect(scene.toldOutcomes.at(-1)).toBe('cancelled');
    expect(scene.state.retry).toBeNull();
  });

  test('names the operation and the effect that it stops', () => {
    const scene = later();
    scene.runTo('agent');
    const agent = scene.pending.at(-1);
    scene.cancel();
    expect(scene.pending.at(-1)?.command).toEqual({
      type: 'cancel-operation',
      operation: agent?.command.type === 'run-agent' ? agent.command.operation : '',
      awaiting: agent?.id,
    });
  });

  test('twice stops it once', () => {
    const scene = later();
    scene.runTo('agent').take();
    scene.cancel();
    expect(scene.cancel()).toBeNull();
    expect(scene.run().take()).toEqual(['cancel agent', ...AFTER]);
  });

  test.each([
    ['a before_run that ends well all the same', 'hook before_run', scriptEnded('ok')],
    ['an agent that ends well all the same', 'agent', scriptEnded('ok')],
    ['an agent that fails of itself', 'agent', FAILED],
  ])('wins over %s', (_, at, outcome) => {
    const scene = later();
    scene.runTo(at);
    scene.cancel();
    scene.answer(outcome);
    expect(scene.run().take()).not.toContain(at === 'agent' ? 'hook before_remove' : 'agent');
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.state.retry).toBeNull();
  });

  test.each(['kill-leftovers', 'hook after_run', 'save'])(
    'at "%s" is refused with attempt_ended, and it finishes',
    (at) => {
      const scene = later().script('hook before_run', FAILED);
      scene.runTo(at);
      expect(scene.cancel()).toBe('attempt_ended');
      scene.run();
      expect(scene.attempt.outcome).toBe('failed');
    },
  );

  test('while its files are brought back throws the half-made ones away and keeps them restorable', () => {
    const scene = idleScene().script('open', GONE);
    scene.dispatch();
    scene.runTo('clone').take();
    scene.cancel();
    expect(scene.run().take()).toEqual(['cancel restoring', 'discard']);
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.state).toMatchObject({ files: 'lost', creationId: null });
    expect(scene.state.saved.status).toBe('saved');
  });

  test('while they are brought back from a snapshot stops the restore, and the clone that would come after it', () => {
    const scene = idleScene({ plan: { snapshots: true } }).script('save', SAVE_FAILED);
    scene.dispatch();
    scene.run();
    scene.script('open', GONE);
    scene.dispatch();
    scene.runTo('clone from snapshot').take();
    const id = scene.state.snapshot?.id;
    scene.cancel();
    expect(scene.run().take()).toEqual(['cancel restoring-snapshot', 'cancel restoring', 'discard']);
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.state).toMatchObject({ files: 'lost', snapshot: { id } });
  });

  test('whose sandbox is found gone ends without bringing it back', () => {
    const scene = later();
    scene.cancel();
    scene.answer(GONE);
    expect(scene.awaited).toBeNull();
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.state.files).toBe('lost');
  });

  test('stays cancelled when the sandbox cannot be reached any more', () => {
    const scene = later();
    scene.runTo('agent');
    scene.cancel();
    scene.answer(UNREACHABLE);
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.attempt.hooks.at(-1)).toMatchObject({ hook: 'after_run', outcome: 'skipped' });
    expect(scene.state.retry).toBeNull();
  });
});

test.each([
  ['a cancel', 'cancelled by request', (scene: Scene) => scene.cancel()],
  ['a terminal state', 'cancelled: terminal', (scene: Scene) => scene.setTask('Done')],
  ['a delete', 'cancelled: delete', (scene: Scene) => scene.delete({ cancel: true })],
])('an attempt that %s stopped says "%s"', (_, detail, stop) => {
  const scene = later();
  scene.runTo('agent');
  stop(scene);
  expect(scene.attempt.result).toEqual({ outcome: 'cancelled', failure: { code: 'cancelled', detail } });
});

describe('a cancel between attempts', () => {
  test('during backoff drops the retry', () => {
    const scene = later().script('agent', FAILED);
    scene.run();
    expect(scene.state.retry).not.toBeNull();
    expect(scene.cancel()).toBeNull();
    expect(scene.state.retry).toBeNull();
    expect(() => scene.fireTimer()).toThrow('no timer');
    expect(scene.attempt.outcome).toBe('failed');
  });

  test('during backoff drops it, too, while an asked save runs', () => {
    const scene = later().script('agent', FAILED);
    scene.run();
    scene.send({ type: 'save-requested' });
    expect(scene.cancel()).toBeNull();
    scene.run();
    expect(scene.state).toMatchObject({ retry: null, stage: { name: 'idle' } });
  });

  test('of an earlier attempt leaves the running one alone', () => {
    const scene = later();
    scene.runTo('agent').take();
    expect(scene.cancel(1)).toBe('attempt_ended');
    expect(scene.run().take()).toEqual(AFTER);
    expect(scene.attempt.outcome).toBe('succeeded');
  });

  test('of an attempt that has ended, that is not the last, or that never was is refused', () => {
    const scene = later();
    scene.run();
    expect(scene.cancel()).toBe('attempt_ended');
    expect(scene.cancel(1)).toBe('attempt_ended');
    expect(scene.cancel(3)).toBe('attempt_not_found');
    expect(scene.cancel(0)).toBe('attempt_not_found');
  });
});

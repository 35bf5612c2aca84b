import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/core/lifecycle/state.ts';
import { idleScene, type Scene } from './driver.ts';
import {
  CLONE_FAILED,
  cloned,
  saved,
  DAMAGED,
  FAILED,
  FOLDER_GONE,
  GONE,
  LOST,
  SAVE_FAILED,
  SAVED_BUT_DIRTY,
  snapshotSkipped,
  UNREACHABLE,
} from './outcomes.ts';

const ATTEMPT = ['hook before_run', 'agent', 'hook after_run', 'save'];
const RESTORED = ['claim', 'clone', 'hook after_create', ...ATTEMPT];

const running = (at: string, plan: Partial<Plan> = {}): Scene => {
  const scene = idleScene({ plan });
  scene.dispatch();
  scene.runTo(at).take();
  return scene;
};

describe('a sandbox that is asleep or gone at the next attempt', () => {
  test.each([
    ['replaced', GONE],
    ['there without the folder', FOLDER_GONE],
  ])('when %s, is rebuilt from the saved branch, with after_create once', (_, outcome) => {
    const scene = idleScene().script('open', outcome);
    scene.dispatch();
    scene.runTo('clone');
    expect(scene.state).toMatchObject({ files: 'lost', stage: { restoring: true, phase: 'restoring' } });
    expect(scene.run().take()).toEqual(['open', ...RESTORED]);
    expect(scene.attempt).toMatchObject({ number: 2, outcome: 'succeeded' });
    expect(new Set(scene.claims).size).toBe(2);
    expect(scene.state.lastLoss).toContain('restored from the saved branch');
  });

  test('names the incarnation that it replaces', () => {
    const scene = idleScene();
    const old = scene.state.creationId;
    scene.script('open', FOLDER_GONE);
    scene.dispatch();
    scene.answer();
    expect(scene.pending.at(-1)?.command).toMatchObject({ type: 'open', claim: true, replaces: [old] });
  });

  test.each([
    ['the clone', 'clone', CLONE_FAILED],
    ['after_create', 'hook after_create', FAILED],
  ])('stays to be restored when %s fails, and is tried again in yet another one', (_, at, outcome) => {
    const scene = idleScene().script('open', GONE).script(at, outcome);
    scene.dispatch();
    expect(scene.run().take().at(-1)).toBe('discard');
    expect(scene.state).toMatchObject({ files: 'lost', creationId: null, saved: { status: 'saved' } });
    expect(scene.attempt.outcome).toBe('failed');
    scene.fireTimer();
    expect(scene.run().take()).toEqual(RESTORED);
    expect(new Set(scene.claims).size).toBe(3);
  });

  test('keeps the branch that it was saved on and forgets what is gone', () => {
    const scene = idleScene().script('save', SAVE_FAILED);
    scene.dispatch();
    scene.run();
    scene.script('open', GONE).script('clone', cloned('remote', 'c'.repeat(40)));
    scene.send({ type: 'wake-requested' });
    scene.run();
    expect(scene.state.lastLoss).toContain('1 unsaved commit(s)');
    expect(scene.state.saved).toMatchObject({
      status: 'saved',
      sha: 'c'.repeat(40),
      lastSaved: 'c'.repeat(40),
      unsavedCount: 0,
      nextTryAtMs: null,
    });
  });

  test.each(['save-requested', 'wake-requested'] as const)('is rebuilt for a %s, too', (type) => {
    const scene = idleScene().script('open', GONE);
    scene.send({ type });
    const last = type === 'save-requested' ? ['save'] : [];
    expect(scene.run().take()).toEqual(['open', 'claim', 'clone', 'hook after_create', ...last]);
    expect(scene.state.files).toBe('present');
    expect(scene.attempt).toMatchObject({ number: 1, outcome: 'succeeded' });
  });

  test('with nothing unsaved in it is no failed save when the clone for an asked one fails', () => {
    const scene = running('agent').script('clone', CLONE_FAILED);
    scene.answer(GONE);
    scene.cancel();
    scene.send({ type: 'save-requested' });
    scene.run();
    expect(scene.state).toMatchObject({
      files: 'lost',
      error: { code: 'clone_failed' },
      saved: { status: 'saved', reason: null, nextTryAtMs: null },
    });
  });

  test('that cannot be reached loses nothing: the attempt is tried again', () => {
    const scene = idleScene().script('open', UNREACHABLE);
    scene.dispatch();
    expect(scene.run().take()).toEqual(['open']);
    expect(scene.attempt).toMatchObject({ outcome: 'lost', result: { failure: { code: 'sandbox_lost' } } });
    expect(scene.state.files).toBe('present');
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['open', ...ATTEMPT]);
    expect(scene.state.error).toBeNull();
  });
});

describe('a sandbox that is lost in an attempt', () => {
  test.each([
    ['hook before_run', { hook: 'before_run', outcome: 'lost' }],
    ['agent', { hook: 'before_run', outcome: 'ok' }],
    ['hook after_run', { hook: 'after_run', outcome: 'lost' }],
    ['save', { hook: 'after_run', outcome: 'ok' }],
  ])('at "%s" ends it as lost, and the retry restores the files', (at, run) => {
    const scene = running(at);
    scene.answer(GONE);
    expect(scene.take()).toEqual([]);
    expect(scene.attempt).toMatchObject({ outcome: 'lost', result: { failure: { code: 'sandbox_lost' } } });
    expect(scene.attempt.hooks).toContainEqual(expect.objectContaining(run));
    expect(scene.state).toMatchObject({ files: 'lost', stage: { name: 'idle' } });
    scene.fireTimer();
    expect(scene.run().take()).toEqual(RESTORED);
  });

  test.each(['hook before_run', 'agent'])('at "%s" records after_run as skipped with the reason', (at) => {
    const scene = running(at);
    scene.answer(GONE);
    expect(scene.attempt.hooks.at(-1)).toMatchObject({
      hook: 'after_run',
      outcome: 'skipped',
      detail: 'skipped: the sandbox is gone',
    });
  });

  test('while its leftovers are killed ends it with its first cause', () => {
    const scene = running('hook before_run');
    scene.answer(FAILED);
    scene.answer(GONE);
    expect(scene.attempt).toMatchObject({
      outcome: 'failed',
      result: { failure: { code: 'before_run_failed' } },
    });
    expect(scene.state.files).toBe('lost');
  });

  test('after its caller called it a success ends it as lost', () => {
    const scene = idleScene({ plan: { agent: 'external' } });
    scene.dispatch();
    while (scene.awaited !== null) scene.answer();
    scene.finish();
    scene.runTo('save');
    scene.answer(GONE);
    expect(scene.attempt).toMatchObject({ outcome: 'lost', save: { status: 'failed' } });
  });

  test('after it failed keeps the failure', () => {
    const scene = running('agent');
    scene.answer(FAILED);
    scene.runTo('save');
    scene.answer(GONE);
    expect(scene.attempt).toMatchObject({ outcome: 'failed', result: { failure: { code: 'agent_failed' } } });
  });

  test.each(['hook before_run', 'agent', 'hook after_run', 'kill-leftovers'])(
    'to the network at "%s" leaves a save to be made up for',
    (at) => {
      const scene = idleScene().script('hook before_run', ...(at === 'kill-leftovers' ? [LOST] : []));
      scene.script('agent', FAILED);
      scene.dispatch();
      scene.runTo(at).take();
      scene.answer(UNREACHABLE);
      expect(scene.state).toMatchObject({ files: 'present', saved: { status: 'failed', tries: 1 } });
      scene.cancel();
      scene.fireTimer();
      expect(scene.run().take()).toEqual(['open', 'save']);
      expect(scene.state.saved.status).toBe('saved');
    },
  );

  test('to the network in the save leaves it succeeded', () => {
    const scene = running('save');
    scene.answer(UNREACHABLE);
    expect(scene.attempt).toMatchObject({ outcome: 'succeeded', save: { status: 'failed' } });
    expect(scene.state).toMatchObject({ files: 'present', retry: null, saved: { status: 'failed' } });
  });
});

describe('a workspace that is found damaged', () => {
  test.each(['open', 'hook before_run', 'agent', 'hook after_run', 'save'])(
    'at "%s" fails the attempt; nothing is deleted and nothing tried again',
    (at) => {
      const scene = running(at);
      const id = scene.state.creationId;
      scene.answer(DAMAGED);
      expect(scene.take()).toEqual([]);
      expect(scene.attempt).toMatchObject({
        outcome: 'failed',
        result: { failure: { code: 'workspace_damaged' } },
      });
      expect(scene.state).toMatchObject({
        damaged: '.git is gone',
        creationId: id,
        files: 'present',
        retry: null,
      });
      const shown = scene.attempt.hooks.some(({ hook }) => hook === 'after_run');
      expect(shown).toBe(at !== 'open');
    },
  );

  test('works again at a dispatch once it was repaired', () => {
    const scene = running('open');
    scene.answer(DAMAGED);
    scene.dispatch();
    expect(scene.run().take()).toEqual(['open', ...ATTEMPT]);
    expect(scene.state).toMatchObject({ damaged: null, error: null });
  });

  test('is not damaged any more once it is gone', () => {
    const scene = running('open').script('claim', UNREACHABLE);
    scene.answer(DAMAGED);
    scene.dispatch();
    scene.answer(GONE);
    scene.run();
    expect(scene.state).toMatchObject({ files: 'lost', damaged: null });
  });

  test('is kept when its task becomes terminal, and goes once it was repaired', () => {
    const scene = running('open').script('save', DAMAGED);
    scene.answer(DAMAGED);
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(['look', 'save']);
    expect(scene.state).toMatchObject({ damaged: '.git is gone', kept: { tries: 1 } });
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['look', 'save', 'hook before_remove', 'destroy']);
  });
});

describe('snapshots', () => {
  const plan = { snapshots: true };

  test('of work without a repository are no more given up for an empty one', () => {
    const work = saved('no_repository', { unsavedCount: 2 });
    const scene = idleScene({ plan }).script('save', work);
    scene.dispatch();
    scene.run();
    const id = scene.state.snapshot?.id;
    scene.script('open', GONE).script('clone from snapshot', cloned('nothing'));
    scene.dispatch();
    scene.run();
    expect(scene.attempt.result?.failure?.code).toBe('clone_failed');
    expect(scene.state).toMatchObject({ files: 'lost', snapshot: { id }, saved: { unsavedCount: 2 } });
    scene.fireTimer();
    scene.runTo('clone from snapshot');
    expect(scene.pending.at(-1)?.command).toMatchObject({ snapshot: id });
  });

  test('are taken after a save that leaves work only here', () => {
    const scene = idleScene({ plan }).script('save', SAVE_FAILED, SAVED_BUT_DIRTY);
    scene.dispatch();
    expect(scene.run().take().slice(-2)).toEqual(['save', 'snapshot']);
    scene.dispatch();
    expect(scene.run().take().slice(-2)).toEqual(['save', 'snapshot']);
    scene.dispatch();
    expect(scene.run().take().at(-1)).toBe('save');
  });

  test('are what a lost workspace is restored from', () => {
    const scene = idleScene({ plan }).script('save', SAVE_FAILED);
    scene.dispatch();
    scene.run().take();
    const id = scene.state.snapshot?.id;
    scene.script('open', GONE);
    scene.send({ type: 'wake-requested' });
    scene.runTo('clone from snapshot');
    expect(scene.pending.at(-1)?.command).toMatchObject({ snapshot: id });
    expect(scene.run().take()).toEqual(['open', 'claim', 'clone from snapshot', 'hook after_create']);
    expect(scene.state.lastLoss).toContain('restored from the last snapshot');
    expect(scene.state.saved.status).toBe('failed');
  });

  test('older than the saved branch are never restored', () => {
    const scene = idleScene({ plan }).script('save', SAVE_FAILED);
    scene.dispatch();
    scene.run();
    scene.dispatch();
    scene.run().take();
    expect(scene.state.snapshot).toBeNull();
    scene.script('open', GONE);
    scene.send({ type: 'wake-requested' });
    expect(scene.run().take()).toEqual(['open', 'claim', 'clone', 'hook after_create']);
  });

  test('that are skipped leave the last one to restore from', () => {
    const scene = idleScene({ plan }).script('save', SAVE_FAILED, SAVE_FAILED);
    scene.dispatch();
    scene.run();
    const id = scene.state.snapshot?.id;
    scene.script('snapshot', snapshotSkipped(scene.nowMs));
    scene.dispatch();
    scene.run();
    expect(scene.state.snapshot).toMatchObject({ id, skipped: 'the bundle is too large', complete: false });
  });

  test('have unsaved work pushed by the timer although the sandbox sleeps', () => {
    const scene = idleScene({ plan }).script('save', SAVE_FAILED).script('clone from snapshot', CLONE_FAILED);
    scene.dispatch();
    scene.run().take();
    scene.script('open', GONE);
    scene.fireTimer();
    scene.run();
    expect(scene.state).toMatchObject({ files: 'lost', saved: { status: 'failed', tries: 2 } });
    scene.take();
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['claim', 'clone from snapshot', 'hook after_create', 'save']);
    expect(scene.state).toMatchObject({ saved: { status: 'saved' }, snapshot: null });
  });

  test.each([
    ['gone', GONE, 'lost', 'lost'],
    ['unreachable', UNREACHABLE, 'succeeded', 'present'],
    ['damaged', DAMAGED, 'succeeded', 'present'],
  ])('interrupted by a sandbox that is %s after a failed save', (_, outcome, ends, files) => {
    const scene = idleScene({ plan }).script('save', SAVE_FAILED).script('snapshot', outcome);
    scene.dispatch();
    scene.run();
    expect(scene.attempt.outcome).toBe(ends);
    expect(scene.state.files).toBe(files);
  });

  test('interrupted after a good save leave the attempt succeeded', () => {
    const scene = idleScene({ plan }).script('save', SAVED_BUT_DIRTY).script('snapshot', GONE);
    scene.dispatch();
    scene.run();
    expect(scene.attempt.outcome).toBe('succeeded');
    expect(scene.state.files).toBe('lost');
  });
});

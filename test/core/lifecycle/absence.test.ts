import { describe, expect, test } from 'vitest';
import { idleScene, Scene } from './driver.ts';
import { absent, DAMAGED, FAILED, GONE, REFUSED, SAVE_FAILED, UNREACHABLE } from './outcomes.ts';

const running = (at: string): Scene => {
  const scene = idleScene();
  scene.dispatch();
  scene.runTo(at).take();
  return scene;
};

describe('a script that no answer came for', () => {
  test('is shown as lost, so that nobody takes it for unstarted', () => {
    const creating = new Scene().script('hook after_create', GONE);
    creating.dispatch();
    creating.run();
    expect(creating.attempt.hooks[0]).toMatchObject({ hook: 'after_create', outcome: 'lost' });
    const scene = running('agent');
    scene.answer(absent('unreachable', 'no answer for 180 s'));
    expect(scene.attempt.agentRun).toMatchObject({ outcome: 'lost', detail: 'no answer for 180 s' });
    expect(scene.attempt.agentRun?.operation).toMatch(/agent$/);
  });

  test('belongs to no attempt when a save restored the files', () => {
    const scene = idleScene().script('open', GONE).script('hook after_create', UNREACHABLE);
    const runs = scene.attempt.hooks.length;
    scene.send({ type: 'save-requested' });
    expect(scene.run().take().at(-1)).toBe('discard');
    expect(scene.attempt.hooks).toHaveLength(runs);
    expect(scene.attempt.outcome).toBe('succeeded');
  });
});

describe('a call that a living sandbox refused', () => {
  test.each([
    ['kill-leftovers', ['hook after_run', 'save']],
    ['hook after_run', ['save']],
  ])('at "%s" does not stop the attempt from ending as it would', (at, expected) => {
    const scene = idleScene().script('hook before_run', ...(at === 'kill-leftovers' ? [FAILED] : []));
    scene.dispatch();
    scene.runTo(at).take();
    scene.answer(REFUSED);
    expect(scene.run().take()).toEqual(expected);
    expect(scene.attempt.outcome).toBe(at === 'kill-leftovers' ? 'failed' : 'succeeded');
    expect(scene.state.saved.status).toBe('saved');
  });

  test('at "open" fails the attempt with the files as they were', () => {
    const scene = running('open');
    scene.answer(REFUSED);
    expect(scene.take()).toEqual([]);
    const failure = { code: 'sandbox_unavailable' };
    expect(scene.attempt).toMatchObject({ outcome: 'failed', result: { failure } });
    expect(scene.state).toMatchObject({ files: 'present', error: failure });
  });
});

describe('an attempt that never got to its files', () => {
  test('is tried again as often, and after such a pause, as the WORKFLOW.md in force says', () => {
    const scene = new Scene({ plan: { maxAttempts: 2, maxRetryBackoffMs: 500 } });
    const absence = { kind: 'refused', detail: 'the root is a file' } as const;
    const refused = { type: 'absent', absence, plan: scene.plan } as const;
    scene.script('claim', refused, refused);
    scene.dispatch();
    scene.run();
    expect(scene.state.retry).toEqual({ atMs: scene.nowMs + 500, try: 2 });
    scene.fireTimer();
    expect(scene.run().attempt).toMatchObject({ number: 2, outcome: 'failed' });
    expect(scene.state.retry).toBeNull();
  });
});

describe('an asked save', () => {
  test.each([
    ['gone', GONE, 'lost', null],
    ['unreachable', UNREACHABLE, 'present', null],
    ['damaged', DAMAGED, 'present', '.git is gone'],
  ])('whose sandbox is %s fails and leaves the last attempt as it was', (_, outcome, files, damaged) => {
    const scene = idleScene().script('save', outcome);
    scene.send({ type: 'save-requested' });
    scene.run();
    expect(scene.state).toMatchObject({ files, damaged, saved: { status: 'failed', tries: 1 } });
    expect(scene.attempt).toMatchObject({ outcome: 'succeeded', save: { status: 'saved' }, result: null });
  });

  test('that the remote refuses leaves what the attempt saved', () => {
    const scene = idleScene().script('save', SAVE_FAILED);
    scene.send({ type: 'save-requested' });
    scene.run();
    expect(scene.state.saved.status).toBe('failed');
    expect(scene.attempt.save?.status).toBe('saved');
  });

  test('is snapshotted, too, and a damage found then is kept in mind', () => {
    const scene = idleScene({ plan: { snapshots: true } })
      .script('save', SAVE_FAILED)
      .script('snapshot', DAMAGED);
    scene.send({ type: 'save-requested' });
    expect(scene.run().take()).toEqual(['open', 'save', 'snapshot']);
    expect(scene.state.damaged).toBe('.git is gone');
    expect(scene.attempt.outcome).toBe('succeeded');
  });
});

describe('an incarnation that a failed creation left', () => {
  test.each([
    ['is gone by itself', GONE, null],
    ['cannot be reached', UNREACHABLE, 'creation-1'],
  ])('when it %s, is remembered only while it may be there', (_, outcome, left) => {
    const scene = new Scene().script('clone', REFUSED).script('discard', outcome);
    scene.dispatch();
    scene.run();
    expect(scene.state).toMatchObject({ files: 'none', creationId: left });
  });

  test('that replaces another one keeps both in mind until the claim is answered', () => {
    const scene = running('open');
    const old = scene.state.creationId;
    scene.script('claim', UNREACHABLE).script('discard', UNREACHABLE);
    scene.answer(GONE);
    scene.run();
    const tried = scene.claims.at(-1);
    expect(scene.state).toMatchObject({ files: 'lost', creationId: tried, formerIds: [old] });
    scene.fireTimer();
    expect(scene.pending.at(-1)?.command).toMatchObject({ claim: true, replaces: [old, tried] });
  });
});

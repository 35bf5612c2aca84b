import { describe, expect, test } from 'vitest';
import {
  CHANGED_MS,
  KEEP_AWAKE_MS,
  nextTimerAtMs,
  REMOVED_RECORD_MS,
} from '../../../src/core/lifecycle/timer.ts';
import type { Plan } from '../../../src/core/lifecycle/state.ts';
import { idleScene, Scene, type SceneOptions } from './driver.ts';
import {
  FAILED,
  GONE,
  SAVE_FAILED,
  saved,
  SAVED_BUT_DIRTY,
  snapshotSkipped,
  UNREACHABLE,
} from './outcomes.ts';

const cloudflare = (plan: Partial<Plan> = {}): SceneOptions => ({
  plan,
  identity: { location: 'cloudflare' },
});

const ended = (options: SceneOptions, ...script: Parameters<Scene['script']>): Scene => {
  const scene = idleScene(options).script(...script);
  scene.dispatch();
  scene.run().take();
  return scene;
};
const waiting = (options: SceneOptions): Scene => {
  const scene = new Scene({ ...options, plan: { ...options.plan, agent: 'external' } });
  scene.dispatch();
  while (scene.awaited !== null) scene.answer();
  scene.take();
  return scene;
};

describe('the next timer', () => {
  test('is none while an effect is awaited, in every phase', () => {
    const scene = new Scene(cloudflare());
    scene.dispatch();
    while (scene.awaited !== null) {
      expect(nextTimerAtMs(scene.state)).toBeNull();
      scene.answer();
    }
  });

  test('is none for a workspace at rest, wherever it is', () => {
    expect(nextTimerAtMs(idleScene().state)).toBeNull();
    expect(nextTimerAtMs(idleScene(cloudflare()).state)).toBeNull();
  });

  test('is the retry in backoff', () => {
    const scene = ended({}, 'agent', FAILED);
    expect(nextTimerAtMs(scene.state)).toBe(scene.nowMs + 10_000);
  });

  test('is the next save where the last one failed, and the retry where that comes earlier', () => {
    const scene = ended({}, 'save', SAVE_FAILED);
    expect(nextTimerAtMs(scene.state)).toBe(scene.nowMs + 30_000);
    const both = idleScene().script('agent', FAILED).script('save', SAVE_FAILED);
    both.dispatch();
    both.run().take();
    expect(nextTimerAtMs(both.state)).toBe(both.nowMs + 10_000);
    both.nowMs += 60_000;
    both.apply({ type: 'timer-fired' });
    expect(both.attempt).toMatchObject({ number: 3, try: 2 });
  });

  test('is the next try of a kept workspace', () => {
    const scene = idleScene().script('save', SAVE_FAILED);
    scene.setTask('Done');
    scene.run();
    expect(nextTimerAtMs(scene.state)).toBe(scene.state.kept?.nextTryAtMs);
    scene.fireTimer();
    expect(scene.awaited).toBe('look');
    expect(nextTimerAtMs(scene.state)).toBeNull();
  });

  test('is the deadline of a caller-run agent', () => {
    const scene = waiting({ plan: { agentTimeoutMs: 5_000 } });
    expect(nextTimerAtMs(scene.state)).toBe(scene.attempt.deadlineAtMs);
  });

  test('is the end of the record, 30 days after the removal', () => {
    const scene = idleScene();
    scene.setTask('Done');
    scene.run();
    expect(nextTimerAtMs(scene.state)).toBe(scene.nowMs + REMOVED_RECORD_MS);
    expect(REMOVED_RECORD_MS).toBe(30 * 24 * 3_600_000);
  });

  test('is none where only a person can help', () => {
    const scene = ended({}, 'save', saved('unsaved', { stashes: 1 }));
    expect(nextTimerAtMs(scene.state)).toBeNull();
  });

  test.each([
    ['a retry', (): Scene => ended({}, 'agent', FAILED)],
    ['a save', (): Scene => ended({}, 'save', SAVE_FAILED)],
    ['a caller-run agent', (): Scene => waiting({})],
    ['nothing', (): Scene => idleScene()],
  ])('that fires before %s is due changes nothing', (_, build) => {
    const scene = build();
    const before = scene.state;
    scene.apply({ type: 'timer-fired' });
    expect(scene.state).toBe(before);
    expect(scene.take()).toEqual([]);
  });
});

describe('a sandbox that would sleep', () => {
  test('is kept awake at most 5 minutes from call to call while the caller works', () => {
    const scene = waiting(cloudflare({ agentTimeoutMs: 3_600_000 }));
    // The sandbox was opened two effects earlier.
    expect(scene.nowMs - scene.state.touchedAtMs).toBe(3);
    const calls: number[] = [];
    while (scene.state.stage.name === 'work' && scene.state.stage.phase === 'agent_wait') {
      scene.fireTimer();
      if (scene.take().includes('touch')) calls.push(scene.nowMs);
    }
    expect(calls.length).toBeGreaterThanOrEqual(14);
    const gaps = calls.slice(1).map((at, index) => at - (calls[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(300_000);
    expect(scene.awaited).toBe('kill-leftovers');
  });

  test('is kept awake while commits are neither on the remote nor in a snapshot', () => {
    const scene = ended(cloudflare(), 'save', saved('unsaved', { stashes: 1 }));
    // The save itself was the last call.
    expect(scene.state.touchedAtMs).toBe(scene.nowMs);
    for (let count = 0; count < 5; count += 1) {
      expect(nextTimerAtMs(scene.state)).toBe(scene.state.touchedAtMs + KEEP_AWAKE_MS);
      scene.fireTimer();
      expect(scene.take()).toEqual(['touch']);
    }
  });

  test('is touched between saves that wait longer', () => {
    const scene = ended(cloudflare(), 'save', SAVE_FAILED);
    scene.script('save', ...Array.from({ length: 6 }, () => SAVE_FAILED));
    const trace: string[] = [];
    while (scene.state.saved.status === 'failed') {
      scene.fireTimer();
      trace.push(...scene.run().take());
    }
    expect(trace.filter((name) => name === 'touch').length).toBeGreaterThan(5);
    expect(nextTimerAtMs(scene.state)).toBeNull();
  });

  test('may sleep when only uncommitted files are not saved', () => {
    expect(nextTimerAtMs(ended(cloudflare(), 'save', SAVED_BUT_DIRTY).state)).toBeNull();
  });

  test('may sleep once a snapshot holds the unsaved commits, and is saved all the same', () => {
    const scene = ended(cloudflare({ snapshots: true }), 'save', SAVE_FAILED);
    expect(nextTimerAtMs(scene.state)).toBe(scene.state.saved.nextTryAtMs);
    const stuck = ended(cloudflare({ snapshots: true }), 'save', saved('unsaved', { stashes: 1 }));
    expect(nextTimerAtMs(stuck.state)).toBeNull();
  });

  test('is kept awake when the snapshot was skipped, or is older than the last attempt', () => {
    const plan = { snapshots: true };
    const skipped = idleScene(cloudflare(plan)).script('save', saved('unsaved'));
    skipped.script('snapshot', snapshotSkipped(0));
    skipped.dispatch();
    skipped.run();
    expect(nextTimerAtMs(skipped.state)).not.toBeNull();

    const old = ended(cloudflare(plan), 'save', saved('unsaved'));
    old.script('agent', UNREACHABLE);
    old.dispatch();
    old.run();
    old.cancel();
    expect(old.state.snapshot?.complete).toBe(false);
    const atMs = nextTimerAtMs(old.state);
    expect(atMs).not.toBeNull();
    expect(atMs).toBeLessThanOrEqual(old.state.touchedAtMs + KEEP_AWAKE_MS);
  });

  test('is kept awake while it is kept with unsaved commits, without another try before its time', () => {
    const scene = idleScene(cloudflare()).script('save', ...Array.from({ length: 9 }, () => SAVE_FAILED));
    scene.setTask('Done');
    const touched: number[] = [];
    while (scene.run().state.kept) {
      const { nextTryAtMs, tries } = scene.state.kept ?? { nextTryAtMs: 0, tries: 0 };
      scene.take();
      scene.fireTimer();
      const trace = scene.take();
      expect(trace.includes('look')).toBe(scene.nowMs >= nextTryAtMs);
      if (trace.includes('touch')) touched.push(tries);
    }
    expect(new Set(touched)).toEqual(new Set([4, 5, 6, 7, 8, 9]));
  });

  test('is only touched while the caller works, though a save is due', () => {
    const scene = ended(cloudflare(), 'save', SAVE_FAILED);
    scene.dispatch({ agent: 'external' });
    scene.plan.agent = 'external';
    while (scene.awaited !== null) scene.answer();
    scene.take();
    expect(scene.state.saved.status).toBe('failed');
    scene.fireTimer();
    expect(scene.take()).toEqual(['touch']);
    expect(scene.state.stage).toMatchObject({ phase: 'agent_wait' });
  });

  test('that is gone is not touched', () => {
    const scene = ended(cloudflare(), 'save', SAVE_FAILED);
    scene.script('open', GONE).script('clone', FAILED);
    scene.script('claim', UNREACHABLE);
    scene.send({ type: 'wake-requested' });
    scene.run();
    expect(scene.state.files).toBe('lost');
    expect(nextTimerAtMs(scene.state)).toBeNull();
  });

  test('on a host is never touched', () => {
    const scene = waiting({ plan: { agentTimeoutMs: 3_600_000 } });
    scene.fireTimer();
    expect(scene.take()).toEqual(['kill-leftovers']);
    expect(nextTimerAtMs(ended({}, 'save', saved('unsaved')).state)).toBeNull();
  });
});

describe('what a person changes between attempts', () => {
  test('in a sandbox is saved, or goes into a snapshot, 2 minutes after the last change', () => {
    const scene = idleScene(cloudflare({ snapshots: true })).script('save', SAVED_BUT_DIRTY);
    scene.take();
    scene.send({ type: 'files-changed' });
    scene.nowMs += 60_000;
    scene.send({ type: 'files-changed' });
    expect(nextTimerAtMs(scene.state)).toBe(scene.nowMs + CHANGED_MS);
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['open', 'save', 'snapshot']);
    expect(nextTimerAtMs(scene.state)).toBeNull();
  });

  test('is tried again with the backoff of saves where the sandbox does not answer', () => {
    const scene = idleScene(cloudflare()).script('open', UNREACHABLE);
    scene.send({ type: 'files-changed' });
    scene.fireTimer();
    scene.run();
    expect(nextTimerAtMs(scene.state)).toBe(scene.nowMs + 30_000);
  });

  test('during an attempt is left to its save', () => {
    const scene = waiting(cloudflare());
    scene.send({ type: 'files-changed' });
    scene.finish('succeeded');
    scene.run();
    expect(nextTimerAtMs(scene.state)).toBeNull();
  });

  test('on a host needs no save: its files do not go away', () => {
    const scene = idleScene();
    scene.send({ type: 'files-changed' });
    expect(nextTimerAtMs(scene.state)).toBeNull();
  });
});

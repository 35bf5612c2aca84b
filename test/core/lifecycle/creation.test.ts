import { describe, expect, test } from 'vitest';
import { UNKNOWN_SAVED } from '../../../src/core/lifecycle/state.ts';
import { Scene } from './driver.ts';
import {
  absent,
  CLONE_FAILED,
  DAMAGED,
  DESTROY_FAILED,
  FAILED,
  GONE,
  LOST,
  NO_HOOKS,
  PLAN_REFUSED,
  REFUSED,
  TIMEOUT,
  UNREACHABLE,
} from './outcomes.ts';

const ATTEMPT = ['hook before_run', 'agent', 'hook after_run', 'save'];
const FIRST = ['claim', 'clone', 'hook after_create', ...ATTEMPT];

describe('a first dispatch', () => {
  test('claims, clones, runs after_create, and only then works', () => {
    const scene = new Scene();
    expect(scene.dispatch()).toBeNull();
    scene.run();
    expect(scene.take()).toEqual(FIRST);
    expect(scene.state).toMatchObject({ stage: { name: 'idle' }, files: 'present', attemptCount: 1 });
    expect(scene.attempt).toMatchObject({
      number: 1,
      try: 1,
      outcome: 'succeeded',
      save: { status: 'saved' },
    });
    expect(scene.attempt.hooks.map(({ hook, outcome }) => [hook, outcome])).toEqual([
      ['after_create', 'ok'],
      ['before_run', 'ok'],
      ['after_run', 'ok'],
    ]);
  });

  test('leaves out hooks that are not defined', () => {
    const scene = new Scene({ plan: { hooks: NO_HOOKS } });
    scene.dispatch();
    scene.run();
    expect(scene.take()).toEqual(['claim', 'clone', 'agent', 'save']);
  });

  test('has no files before after_create has ended', () => {
    const scene = new Scene();
    scene.dispatch();
    scene.runTo('hook after_create');
    expect(scene.state.files).toBe('none');
    scene.runTo('hook before_run');
    expect(scene.state.files).toBe('present');
  });

  test('of 20 at once gives one attempt and 19 times attempt_in_progress', () => {
    const scene = new Scene();
    const answers = Array.from({ length: 20 }, () => scene.dispatch());
    expect(answers.filter((code) => code === null)).toHaveLength(1);
    expect(answers.filter((code) => code === 'attempt_in_progress')).toHaveLength(19);
    expect(scene.run().take()).toEqual(FIRST);
  });

  test('of a task in a terminal state is refused and makes nothing', () => {
    const scene = new Scene();
    expect(scene.dispatch({ terminal: true })).toBe('task_terminal');
    expect(scene.current).toBeNull();
  });

  test('is the only request that an unknown key accepts', () => {
    const scene = new Scene();
    expect(scene.send({ type: 'save-requested' })).toBe('workspace_not_found');
    expect(scene.current).toBeNull();
  });
});

describe('a creation that fails', () => {
  const bad = [
    ['after_create exiting with 3', 'hook after_create', FAILED, 'failed', 'after_create_failed'],
    ['after_create running out of time', 'hook after_create', TIMEOUT, 'failed', 'after_create_failed'],
    ['after_create lost', 'hook after_create', LOST, 'failed', 'after_create_failed'],
    ['the sandbox gone in after_create', 'hook after_create', GONE, 'lost', 'sandbox_lost'],
    ['after_create not startable', 'hook after_create', REFUSED, 'failed', 'after_create_failed'],
    ['the clone failing', 'clone', CLONE_FAILED, 'failed', 'clone_failed'],
    ['the sandbox gone in the clone', 'clone', GONE, 'lost', 'sandbox_lost'],
    ['the sandbox unreachable in the clone', 'clone', UNREACHABLE, 'lost', 'sandbox_lost'],
    ['the sandbox unreachable', 'claim', UNREACHABLE, 'lost', 'sandbox_lost'],
    ['the sandbox replaced in between', 'claim', GONE, 'lost', 'sandbox_lost'],
    ['the root refused', 'claim', REFUSED, 'failed', 'clone_failed'],
  ] as const;

  test.each(bad)('by %s removes the files, fails the attempt and is tried again from nothing', (...row) => {
    const [, at, outcome, ends, code] = row;
    const scene = new Scene().script(at, outcome);
    scene.dispatch();
    scene.run();
    expect(scene.take().at(-1)).toBe('discard');
    expect(scene.attempt).toMatchObject({ outcome: ends, result: { failure: { code } }, save: null });
    expect(scene.state).toMatchObject({ files: 'none', creationId: null, error: { code } });
    expect(scene.state.saved).toEqual(UNKNOWN_SAVED);
    expect(scene.state.formerIds).toEqual([]);

    scene.fireTimer();
    scene.run();
    expect(scene.take()).toEqual(FIRST);
    expect(new Set(scene.claims).size).toBe(2);
    expect(scene.attempt).toMatchObject({ number: 2, try: 2, outcome: 'succeeded' });
    expect(scene.state.error).toBeNull();
  });

  test('says how the hook ended', () => {
    const scene = new Scene().script('hook after_create', FAILED, TIMEOUT);
    scene.dispatch();
    scene.run();
    expect(scene.state.error?.detail).toContain('after_create exited with 3;');
    scene.fireTimer();
    scene.run();
    expect(scene.state.error?.detail).toContain('after_create ended as timeout;');
  });

  test('records after_run as skipped', () => {
    const scene = new Scene().script('clone', CLONE_FAILED);
    scene.dispatch();
    scene.run();
    expect(scene.attempt.hooks).toMatchObject([{ hook: 'after_run', outcome: 'skipped' }]);
    expect(scene.attempt.hooks[0]?.detail).toContain('no route to host');
  });

  test('runs after_create again at the next dispatch when no try is left', () => {
    const scene = new Scene({ plan: { maxAttempts: 1 } }).script('hook after_create', FAILED);
    scene.dispatch();
    scene.run().take();
    expect(scene.state.retry).toBeNull();
    scene.dispatch();
    expect(scene.run().take()).toEqual(FIRST);
    expect(new Set(scene.claims).size).toBe(2);
  });

  test('by an invalid WORKFLOW.md claims nothing, is not tried again by itself, and starts anew when dispatched', () => {
    const scene = new Scene().script('claim', PLAN_REFUSED);
    scene.dispatch();
    scene.run();
    expect(scene.take()).toEqual(['claim']);
    expect(scene.attempt).toMatchObject({
      outcome: 'failed',
      result: { failure: { code: 'workflow_invalid' } },
    });
    expect(scene.state).toMatchObject({
      files: 'none',
      creationId: null,
      error: { code: 'workflow_invalid' },
      retry: null,
    });
    scene.dispatch();
    expect(scene.run().take()).toEqual(FIRST);
  });

  test('names what it could not remove to the next claim', () => {
    const scene = new Scene().script('clone', CLONE_FAILED).script('discard', DESTROY_FAILED);
    scene.dispatch();
    scene.run();
    const [first] = scene.claims;
    expect(scene.state).toMatchObject({ files: 'none', creationId: first });
    scene.fireTimer();
    expect(scene.pending.at(-1)?.command).toMatchObject({ type: 'open', claim: true, replaces: [first] });
    scene.run();
    expect(new Set(scene.claims).size).toBe(2);
    expect(scene.attempt.outcome).toBe('succeeded');
  });

  test('forgets no claim whose end is unknown until another one is there', () => {
    const lost = absent('refused', 'internal: no space left on device');
    const scene = new Scene().script('claim', lost, lost).script('discard', DESTROY_FAILED, DESTROY_FAILED);
    scene.dispatch();
    scene.run();
    scene.fireTimer();
    scene.run();
    scene.fireTimer();
    const [first, second, third] = scene.claims;
    const { creationId, formerIds } = scene.state;
    expect([creationId, formerIds]).toEqual([third, [first, second]]);
    expect(scene.pending.at(-1)?.command).toMatchObject({ replaces: [first, second] });
    scene.run();
    expect(scene.attempt.outcome).toBe('succeeded');
    expect(scene.state.formerIds).toEqual([]);
  });

  test('on a folder that is not ours removes nothing and waits for a person', () => {
    const scene = new Scene().script('claim', DAMAGED);
    scene.dispatch();
    scene.run();
    expect(scene.take()).toEqual(['claim']);
    expect(scene.attempt).toMatchObject({
      outcome: 'failed',
      result: { failure: { code: 'workspace_damaged' } },
    });
    expect(scene.state).toMatchObject({ damaged: '.git is gone', creationId: null, retry: null });
  });

  test('with damage under way looks at it again before anything replaces it', () => {
    const scene = new Scene().script('hook after_create', DAMAGED).script('open', DAMAGED);
    scene.dispatch();
    scene.run().take();
    scene.dispatch();
    expect(scene.run().take()).toEqual(['open']);
    scene.dispatch();
    expect(scene.run().take()).toEqual(['open', ...FIRST]);
    expect(scene.state.damaged).toBeNull();
  });
});

test('the wait before a new try doubles from 10 s and is bounded by max_retry_backoff_ms', () => {
  const scene = new Scene({ plan: { maxRetryBackoffMs: 25_000, maxAttempts: 5 } });
  scene.script('agent', FAILED, FAILED, FAILED, FAILED, FAILED);
  scene.dispatch();
  const waits: number[] = [];
  for (;;) {
    scene.run();
    if (scene.state.retry === null) break;
    waits.push(scene.state.retry.atMs - (scene.attempt.endedAtMs ?? 0));
    scene.fireTimer();
  }
  expect(waits).toEqual([10_000, 20_000, 25_000, 25_000]);
  expect(scene.attempt).toMatchObject({ number: 5, try: 5, outcome: 'failed' });
});

test('an absence keeps its words on the attempt', () => {
  const scene = new Scene().script('claim', absent('unreachable', 'no answer for 180 s'));
  scene.dispatch();
  scene.run();
  expect(scene.attempt.result?.failure?.detail).toBe('no answer for 180 s');
});

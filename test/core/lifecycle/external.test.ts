import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/core/lifecycle/state.ts';
import { Scene } from './driver.ts';
import { FAILED, NO_HOOKS, UNREACHABLE } from './outcomes.ts';

const waiting = (plan: Partial<Plan> = {}): Scene => {
  const scene = new Scene({ plan: { agent: 'external', agentTimeoutMs: 600_000, ...plan } });
  scene.dispatch();
  while (scene.awaited !== null) scene.answer();
  scene.take();
  return scene;
};
const AFTER = ['kill-leftovers', 'hook after_run', 'save'];

describe('a caller-run agent', () => {
  test('is waited for after before_run, without an effect', () => {
    const scene = new Scene({ plan: { agent: 'external' } });
    scene.dispatch();
    while (scene.awaited !== null) scene.answer();
    expect(scene.take()).toEqual(['claim', 'clone', 'hook after_create', 'hook before_run']);
    expect(scene.state.stage).toMatchObject({ phase: 'agent_wait', awaiting: null });
    expect(scene.attempt).toMatchObject({ agentStarted: true, deadlineAtMs: scene.nowMs + 3_600_000 });
  });

  test('is waited for at once where there is no before_run', () => {
    const scene = waiting({ hooks: NO_HOOKS });
    expect(scene.state.stage).toMatchObject({ phase: 'agent_wait' });
    scene.finish();
    expect(scene.run().take()).toEqual(['kill-leftovers', 'save']);
  });

  test('that finishes well has its leftovers killed, after_run run and its branch saved', () => {
    const scene = waiting();
    expect(scene.finish()).toBeNull();
    expect(scene.run().take()).toEqual(AFTER);
    expect(scene.attempt).toMatchObject({ outcome: 'succeeded', agentRun: null, save: { status: 'saved' } });
    expect(scene.toldOutcomes).toEqual(['succeeded']);
  });

  test('that reports a failure ends the attempt without a retry', () => {
    const scene = waiting();
    scene.send({ type: 'finish-requested', attempt: 1, outcome: 'failed', detail: 'tests are red' });
    expect(scene.run().take()).toEqual(AFTER);
    expect(scene.attempt).toMatchObject({
      outcome: 'failed',
      result: { failure: { code: 'agent_failed', detail: 'tests are red' } },
    });
    expect(scene.state.retry).toBeNull();
  });

  test('that does not finish in time is timed out without a retry', () => {
    const scene = waiting();
    const startedAtMs = scene.nowMs;
    scene.fireTimer();
    expect(scene.nowMs - startedAtMs).toBeGreaterThanOrEqual(600_000);
    expect(scene.run().take()).toEqual(AFTER);
    expect(scene.attempt).toMatchObject({
      outcome: 'timed_out',
      result: { failure: { code: 'agent_timeout' } },
    });
    expect(scene.toldOutcomes).toEqual(['timed_out']);
    expect(scene.state.retry).toBeNull();
  });

  test('is not timed out before its time', () => {
    const scene = waiting();
    const before = scene.state;
    scene.apply({ type: 'timer-fired' });
    expect(scene.state).toBe(before);
  });

  test('that is cancelled has its leftovers killed at once', () => {
    const scene = waiting();
    expect(scene.cancel()).toBeNull();
    expect(scene.run().take()).toEqual(AFTER);
    expect(scene.attempt.outcome).toBe('cancelled');
    expect(scene.toldOutcomes).toEqual(['cancelled']);
  });

  test('is tried again up to its start only', () => {
    const scene = new Scene({ plan: { agent: 'external' } }).script('hook before_run', FAILED);
    scene.dispatch();
    scene.run();
    expect(scene.attempt).toMatchObject({ outcome: 'failed', agentStarted: false });
    expect(scene.state.retry).toMatchObject({ try: 2 });
    scene.fireTimer();
    while (scene.awaited !== null) scene.answer();
    expect(scene.state.stage).toMatchObject({ phase: 'agent_wait' });
    scene.script('kill-leftovers', UNREACHABLE);
    scene.finish();
    scene.run();
    expect(scene.attempt.outcome).toBe('lost');
    expect(scene.state.retry).toBeNull();
  });
});

describe('finish', () => {
  test('is refused in another phase, for another attempt and a second time', () => {
    const scene = new Scene({ plan: { agent: 'external' } });
    scene.dispatch();
    expect(scene.finish()).toBe('wrong_phase');
    while (scene.awaited !== null) scene.answer();
    expect(scene.finish('succeeded', 2)).toBe('attempt_not_found');
    expect(scene.finish('succeeded', 0)).toBe('attempt_not_found');
    expect(scene.finish()).toBeNull();
    expect(scene.finish()).toBe('attempt_ended');
    scene.run();
    expect(scene.finish()).toBe('attempt_ended');
  });

  test('of an earlier attempt says that it has ended', () => {
    const scene = waiting();
    scene.finish();
    scene.run();
    scene.dispatch();
    while (scene.awaited !== null) scene.answer();
    expect(scene.finish('succeeded', 1)).toBe('attempt_ended');
    expect(scene.state.stage).toMatchObject({ phase: 'agent_wait' });
  });

  test('of an agent that the service runs is refused', () => {
    const scene = new Scene();
    scene.dispatch();
    scene.runTo('agent');
    expect(scene.finish()).toBe('wrong_phase');
  });
});

import { describe, expect, test } from 'vitest';
import { idleScene, Scene } from './driver.ts';
import {
  DAMAGED,
  FAILED,
  LOST,
  NO_HOOKS,
  REFUSED,
  SAVE_FAILED,
  scriptEnded,
  TIMEOUT,
  UNREACHABLE,
} from './outcomes.ts';

const FULL = ['open', 'hook before_run', 'agent', 'hook after_run', 'save'];

describe('a later attempt', () => {
  test('verifies the workspace and reuses the files: no clone, no after_create', () => {
    const scene = idleScene();
    scene.dispatch();
    expect(scene.run().take()).toEqual(FULL);
    expect(scene.attempt).toMatchObject({ number: 2, outcome: 'succeeded' });
    expect(scene.claims).toHaveLength(1);
  });

  test('that finds no hooks starts the agent at once', () => {
    const scene = idleScene({ plan: { hooks: NO_HOOKS } });
    scene.dispatch();
    expect(scene.run().take()).toEqual(['open', 'agent', 'save']);
  });

  test('takes the agent of its dispatch', () => {
    const scene = idleScene();
    scene.dispatch({ agent: { command: 'true' } });
    expect(scene.state).toMatchObject({ agentChoice: 'command', agentCommand: 'true' });
    scene.run();
    scene.dispatch({ agent: 'external' });
    expect(scene.state).toMatchObject({ agentChoice: 'external', agentCommand: null });
  });
});

describe('before_run', () => {
  test.each([
    ['exits with 3', FAILED, 'before_run_failed', 'failed'],
    ['runs out of time', TIMEOUT, 'before_run_failed', 'failed'],
    ['is killed', scriptEnded('killed'), 'before_run_failed', 'failed'],
    ['is lost', LOST, 'sandbox_lost', 'lost'],
    ['cannot be started', REFUSED, 'before_run_failed', 'failed'],
  ])('that %s starts no agent; after_run, the save and a retry follow', (_, outcome, code, ends) => {
    const scene = idleScene().script('hook before_run', outcome);
    scene.dispatch();
    expect(scene.run().take()).toEqual([
      'open',
      'hook before_run',
      'kill-leftovers',
      'hook after_run',
      'save',
    ]);
    expect(scene.attempt).toMatchObject({
      outcome: ends,
      agentStarted: false,
      agentRun: null,
      result: { failure: { code } },
      save: { status: 'saved' },
    });
    expect(scene.toldOutcomes.at(-1)).toBe(ends);
    expect(scene.state.retry?.try).toBe(2);
    scene.fireTimer();
    expect(scene.run().take()).toEqual(FULL);
    expect(scene.attempt).toMatchObject({ number: 3, try: 2, outcome: 'succeeded' });
    expect(scene.state.retry).toBeNull();
  });

  test.each([
    [FAILED, 'before_run exited with 3; the agent was not started'],
    [TIMEOUT, 'before_run ended as timeout; the agent was not started'],
    [
      { ...FAILED, exitCode: null, detail: 'The shell could not be started: spawn E2BIG' },
      'before_run did not start (The shell could not be started: spawn E2BIG); the agent was not started',
    ],
  ])('says how it ended', (outcome, detail) => {
    const scene = idleScene().script('hook before_run', outcome);
    scene.dispatch();
    scene.run();
    expect(scene.attempt.result?.failure?.detail).toBe(detail);
  });

  test("leaves its processes to the attempt; the agent's and after_run's are killed", () => {
    const scene = idleScene();
    scene.dispatch();
    const kept: Record<string, boolean> = {};
    while (scene.awaited !== null) {
      const command = scene.pending.at(-1)?.command;
      if (command?.type === 'run-hook') kept[command.hook] = command.keepLeftovers;
      scene.answer();
    }
    expect(kept).toEqual({ before_run: true, after_run: false });
  });
});

describe('the agent', () => {
  test.each([
    ['exits with 3', FAILED, 'failed', 'agent_failed'],
    ['is killed', scriptEnded('killed'), 'failed', 'agent_failed'],
    ['runs out of time', TIMEOUT, 'timed_out', 'agent_timeout'],
  ])('that %s is followed by after_run, the save and a retry', (_, outcome, ends, code) => {
    const scene = idleScene().script('agent', outcome);
    scene.dispatch();
    expect(scene.run().take()).toEqual(FULL);
    expect(scene.attempt).toMatchObject({ outcome: ends, result: { failure: { code } } });
    expect(scene.toldOutcomes.at(-1)).toBe(ends);
    expect(scene.state.retry).not.toBeNull();
  });

  test.each([
    [FAILED, 'the agent exited with 3'],
    [scriptEnded('killed'), 'the agent was killed'],
    [TIMEOUT, 'the agent ran out of time'],
    [LOST, 'the agent was lost'],
  ])('says how it ended', (outcome, detail) => {
    const scene = idleScene().script('agent', outcome);
    scene.dispatch();
    scene.run();
    expect(scene.attempt.result?.failure?.detail).toBe(detail);
  });

  test.each([
    ['lost', LOST, 'lost'],
    ['refused', REFUSED, 'failed'],
  ])('that is %s has its leftovers killed before after_run', (_, outcome, ends) => {
    const scene = idleScene().script('agent', outcome);
    scene.dispatch();
    expect(scene.run().take()).toEqual([...FULL.slice(0, 3), 'kill-leftovers', 'hook after_run', 'save']);
    expect(scene.attempt.outcome).toBe(ends);
  });

  test('is tried max_attempts times per dispatch', () => {
    const scene = idleScene({ plan: { maxAttempts: 2 } }).script('agent', FAILED, FAILED, FAILED);
    scene.dispatch();
    scene.run();
    scene.fireTimer();
    scene.run();
    expect(scene.state.retry).toBeNull();
    scene.dispatch();
    expect(scene.attempt.try).toBe(1);
    scene.run();
    expect(scene.state.retry?.try).toBe(2);
  });
});

describe('after_run', () => {
  test.each([
    ['fails', FAILED, 'failed'],
    ['runs out of time', TIMEOUT, 'timeout'],
    ['is lost', LOST, 'lost'],
    ['cannot be started', REFUSED, 'lost'],
  ])('that %s is noted on the attempt and otherwise ignored', (_, outcome, noted) => {
    const scene = idleScene().script('hook after_run', outcome);
    scene.dispatch();
    expect(scene.run().take()).toEqual(FULL);
    expect(scene.attempt).toMatchObject({ outcome: 'succeeded', result: null, save: { status: 'saved' } });
    expect(scene.attempt.hooks.at(-1)).toMatchObject({ hook: 'after_run', outcome: noted });
    expect(scene.state.retry).toBeNull();
  });

  test('is told how the attempt ended', () => {
    const scene = idleScene();
    scene.dispatch();
    scene.run();
    expect(scene.toldOutcomes.at(-1)).toBe('succeeded');
  });
});

describe('a save that fails at the end of an attempt', () => {
  test('leaves it succeeded and is tried again by the timer until it gets through', () => {
    const scene = idleScene().script('save', SAVE_FAILED, SAVE_FAILED, UNREACHABLE);
    scene.dispatch();
    scene.run().take();
    expect(scene.attempt).toMatchObject({ outcome: 'succeeded', save: { status: 'failed' } });
    expect(scene.state.saved).toMatchObject({
      status: 'failed',
      tries: 1,
      reason: 'network: no route to host',
    });
    const since = scene.state.saved.sinceMs;
    const waits: number[] = [];
    while (scene.state.saved.status === 'failed') {
      waits.push((scene.state.saved.nextTryAtMs ?? 0) - scene.nowMs);
      scene.fireTimer();
      expect(scene.run().take()).toEqual(['open', 'save']);
    }
    expect(waits.map((ms) => Math.round(ms / 1000))).toEqual([30, 30, 60]);
    expect(since).not.toBeNull();
    expect(scene.state.saved).toMatchObject({ status: 'saved', tries: 0, sinceMs: null, nextTryAtMs: null });
    expect(scene.attempt).toMatchObject({ number: 2, outcome: 'succeeded' });
  });

  test('is tried again soon, however many attempts ended in the same short outage', () => {
    const failures = Array.from({ length: 12 }, () => SAVE_FAILED);
    const scene = idleScene().script('save', ...failures);
    for (const _ of failures) {
      scene.dispatch();
      scene.run();
    }
    expect(scene.state.saved.tries).toBe(12);
    expect((scene.state.saved.nextTryAtMs ?? 0) - scene.nowMs).toBe(30_000);
  });

  test.each([
    ['the workspace cannot be opened', 'open', UNREACHABLE],
    ['the sandbox refuses', 'save', REFUSED],
  ])('is tried again, too, when %s', (_, at, outcome) => {
    const scene = idleScene().script('save', SAVE_FAILED);
    scene.dispatch();
    scene.run();
    scene.script(at, outcome);
    scene.fireTimer();
    scene.run();
    expect(scene.state.saved).toMatchObject({ status: 'failed', tries: 2 });
    scene.fireTimer();
    scene.run();
    expect(scene.state.saved.status).toBe('saved');
    expect(scene.state.error).toBeNull();
  });

  test('waits for a person once the workspace is found damaged', () => {
    const scene = idleScene().script('save', DAMAGED);
    scene.dispatch();
    scene.run();
    expect(scene.attempt).toMatchObject({
      outcome: 'failed',
      result: { failure: { code: 'workspace_damaged' } },
    });
    expect(scene.state).toMatchObject({
      damaged: '.git is gone',
      retry: null,
      saved: { status: 'failed' },
    });
    expect(() => scene.fireTimer()).toThrow('no timer');
  });
});

describe('a dispatch', () => {
  test('during backoff starts now and counts tries anew', () => {
    const scene = idleScene().script('agent', FAILED);
    scene.dispatch();
    scene.run().take();
    expect(scene.dispatch()).toBeNull();
    expect(scene.attempt).toMatchObject({ number: 3, try: 1 });
    expect(scene.state.retry).toBeNull();
    expect(scene.run().take()).toEqual(FULL);
  });

  test('that comes when a retry is due starts one attempt', () => {
    const scene = idleScene().script('agent', FAILED);
    scene.dispatch();
    scene.run().take();
    scene.nowMs = scene.state.retry?.atMs ?? 0;
    scene.dispatch();
    scene.apply({ type: 'timer-fired' });
    expect(scene.take()).toEqual(['open']);
    expect(scene.attempt).toMatchObject({ number: 3, try: 1 });
  });

  test.each(['open', 'hook before_run', 'agent', 'hook after_run', 'save'])(
    'while an attempt waits for "%s" is refused',
    (at) => {
      const scene = idleScene();
      scene.dispatch();
      scene.runTo(at).take();
      const before = scene.state;
      expect(scene.dispatch()).toBe('attempt_in_progress');
      expect(scene.state).toBe(before);
    },
  );

  test('during an asked save waits for it, and a second one is refused', () => {
    const scene = idleScene();
    scene.send({ type: 'save-requested' });
    expect(scene.dispatch()).toBeNull();
    expect(scene.dispatch()).toBe('attempt_in_progress');
    expect(scene.state.attemptCount).toBe(1);
    expect(scene.run().take()).toEqual(['open', 'save', ...FULL]);
    expect(scene.attempt).toMatchObject({ number: 2, try: 1, outcome: 'succeeded' });
  });

  test('that waited for a save is dropped by a terminal state', () => {
    const scene = idleScene();
    scene.send({ type: 'save-requested' });
    scene.dispatch();
    scene.setTask('Done');
    scene.setTask('In Progress');
    expect(scene.run().take()).toEqual(['open', 'save']);
    expect(scene.state.attemptCount).toBe(1);
  });

  test('renames the task; the first explicit id replaces a defaulted one', () => {
    const scene = idleScene();
    expect(scene.state.task).toMatchObject({ id: 'ABC-1', idGiven: false });
    scene.dispatch({ task: { identifier: 'ABC-2', id: '10001', title: 'New', state: null } });
    expect(scene.state.task).toMatchObject({
      id: '10001',
      idGiven: true,
      identifier: 'ABC-2',
      title: 'New',
      state: 'In Progress',
    });
    scene.run();
    scene.dispatch({ task: { identifier: 'ABC-2', id: '10002', title: null, state: null } });
    expect(scene.state.task).toMatchObject({ id: '10001', title: 'New' });
  });
});

describe('an asked save', () => {
  test('opens and saves', () => {
    const scene = idleScene();
    expect(scene.send({ type: 'save-requested' })).toBeNull();
    expect(scene.run().take()).toEqual(['open', 'save']);
  });

  test('during another one joins it', () => {
    const scene = idleScene();
    scene.send({ type: 'save-requested' });
    expect(scene.send({ type: 'save-requested' })).toBeNull();
    expect(scene.run().take()).toEqual(['open', 'save']);
  });

  test('is refused during an attempt, without files, when damaged and when removed', () => {
    const running = new Scene();
    running.dispatch();
    expect(running.send({ type: 'save-requested' })).toBe('attempt_in_progress');
    running.cancel();
    running.run();
    expect(running.send({ type: 'save-requested' })).toBe('wrong_phase');
    const damaged = idleScene().script('open', DAMAGED);
    damaged.dispatch();
    damaged.run();
    expect(damaged.send({ type: 'save-requested' })).toBe('workspace_damaged');
    const removed = idleScene();
    removed.setTask('Done');
    removed.run();
    expect(removed.send({ type: 'save-requested' })).toBe('workspace_not_found');
  });

  test('that WORKFLOW.md holds up is tried again and leaves the last attempt as it ended', () => {
    const scene = idleScene().script('open', { type: 'plan-refused', detail: 'line 3' });
    scene.send({ type: 'save-requested' });
    scene.run();
    expect(scene.state.saved).toMatchObject({ status: 'failed', reason: 'line 3' });
    expect(scene.attempt).toMatchObject({ outcome: 'succeeded', result: null });
    expect(scene.state.error).toMatchObject({ code: 'workflow_invalid' });
    scene.fireTimer();
    scene.run();
    expect(scene.state).toMatchObject({ error: null, saved: { status: 'saved' } });
  });
});

describe('a wake', () => {
  test('during other work has nothing to do', () => {
    const scene = idleScene();
    scene.dispatch();
    const before = scene.state;
    expect(scene.send({ type: 'wake-requested' })).toBeNull();
    expect(scene.state).toBe(before);
  });

  test('is refused without files', () => {
    const scene = new Scene();
    scene.dispatch();
    scene.cancel();
    scene.run();
    expect(scene.send({ type: 'wake-requested' })).toBe('wrong_phase');
  });

  test('verifies the files and does nothing more', () => {
    const scene = idleScene();
    expect(scene.send({ type: 'wake-requested' })).toBeNull();
    expect(scene.run().take()).toEqual(['open']);
    expect(scene.state.stage.name).toBe('idle');
  });

  test('that fails says why until it works', () => {
    const scene = idleScene().script('open', UNREACHABLE);
    scene.send({ type: 'wake-requested' });
    scene.run();
    expect(scene.state).toMatchObject({ files: 'present', error: { code: 'sandbox_lost' } });
    expect(scene.attempt.outcome).toBe('succeeded');
    scene.send({ type: 'wake-requested' });
    scene.run();
    expect(scene.state.error).toBeNull();
  });
});

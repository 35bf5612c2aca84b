/** Alarms and long operations against the clock: section 8's hand-over, an agent of an hour, and calls that never come back. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EffectRunner } from '../../durable-objects/effect-runner.ts';
import type { EffectContext, EffectEnd } from '../../durable-objects/effects/context.ts';
import { runLook } from '../../durable-objects/effects/open.ts';
import { runCancel, runOperation } from '../../durable-objects/effects/operation.ts';
import type { Reply } from '../../src/sandbox/client.ts';
import type { OperationView } from '../../src/sandbox/protocol.ts';

const MINUTE = 60_000;
const RUN_MS = 10 * MINUTE;
const PLATFORM_MS = 15 * MINUTE;
const SPEC = { id: 'g1-a1-e1-agent', kind: 'script', timeout_ms: 2 * 60 * MINUTE } as never;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const answer = (view: object): Reply<OperationView> => ({ kind: 'answer', value: view as OperationView });
const RUNNING = answer({ state: 'running' });
const SILENCE: Reply<OperationView> = { kind: 'unreachable', detail: 'nobody there' };

/** A sandbox whose operation ends at `endAtMs`; polls wait as long as they are asked to. */
function buildSandbox(endAtMs: number) {
  const starts: string[] = [];
  const view = () =>
    Date.now() >= endAtMs ? answer({ state: 'ended', outcome: 'failed', exit_code: 7 }) : RUNNING;
  const wait = async (waitMs: number) => {
    await pause(Math.max(0, Math.min(waitMs, endAtMs - Date.now())));
    return view();
  };
  return {
    starts,
    start: async (_target: unknown, { id, wait_ms }: { id: string; wait_ms: number }) => {
      starts.push(id);
      return wait(wait_ms);
    },
    poll: async (_target: unknown, _id: string, { waitMs = 0 }: { waitMs?: number }) => wait(waitMs),
  };
}

function buildContext(client: object, issuedAtMs: number, deadlineAtMs: number): EffectContext {
  const state = {
    creationId: 'c',
    directory: '/w',
    stage: { name: 'work', phase: 'agent', stop: null, awaiting: 'g1-e1' },
  };
  return { client, issuedAtMs, deadlineAtMs, state: () => state } as unknown as EffectContext;
}

/** Alarm after alarm, until the effect has ended; answers how long each took. */
async function runAlarms(perform: (deadlineAtMs: number) => Promise<EffectEnd>) {
  const effect = { id: 'g1-e1', command: { type: 'kill-leftovers' }, issuedAtMs: Date.now() } as const;
  const ends: EffectEnd[] = [];
  const runner = new EffectRunner({
    pending: () => (ends.some((end) => end !== 'later') ? [] : [effect]),
    perform: (_effect, deadlineAtMs) => perform(deadlineAtMs),
    end: async (_effect, end) => void ends.push(end),
  });
  const alarms: number[] = [];
  while (!ends.some((end) => end !== 'later') && alarms.length < 50) {
    const startedAtMs = Date.now();
    const alarm = runner.run(startedAtMs + RUN_MS).then(() => alarms.push(Date.now() - startedAtMs));
    const count = alarms.length;
    while (alarms.length === count) await vi.advanceTimersByTimeAsync(1_000);
    await alarm;
  }
  return { alarms, last: ends.at(-1) };
}

test('an agent of one hour is followed over several alarms, each well inside 15 minutes, to its true exit code', async () => {
  const issuedAtMs = Date.now();
  const sandbox = buildSandbox(issuedAtMs + 60 * MINUTE);
  const { alarms, last } = await runAlarms(async (deadlineAtMs) => {
    const followed = await runOperation(buildContext(sandbox, issuedAtMs, deadlineAtMs), SPEC);
    if ('end' in followed) return followed.end;
    expect(followed.view).toMatchObject({ outcome: 'failed', exit_code: 7 });
    return 'done';
  });
  expect(last).toBe('done');
  expect(alarms.length).toBeGreaterThanOrEqual(6);
  expect(Math.max(...alarms)).toBeLessThan(PLATFORM_MS - MINUTE);
  expect(new Set(sandbox.starts)).toEqual(new Set(['g1-a1-e1-agent']));
});

test('a call that never comes back ends its alarm in time, and the next one repeats it', async () => {
  let calls = 0;
  const { alarms, last } = await runAlarms(async () => {
    calls += 1;
    return calls === 1 ? new Promise<never>(() => undefined) : 'done';
  });
  expect(last).toBe('done');
  expect(alarms).toHaveLength(2);
  expect(Math.max(...alarms)).toBeLessThan(PLATFORM_MS - MINUTE);
});

test('a sandbox that stays silent is given up when its operation cannot be running any more, over however many alarms', async () => {
  const issuedAtMs = Date.now();
  const silent = { start: async () => SILENCE, poll: async () => SILENCE };
  const { last } = await runAlarms(async (deadlineAtMs) => {
    const followed = await runOperation(buildContext(silent, issuedAtMs, deadlineAtMs), SPEC);
    return 'end' in followed ? followed.end : 'done';
  });
  expect(last).toMatchObject({ type: 'absent', absence: { kind: 'unreachable' } });
  const minutes = (Date.now() - issuedAtMs) / MINUTE;
  expect(minutes).toBeGreaterThan(120);
  expect(minutes).toBeLessThan(130);
});

test('an operation that is said to run long after its timeout is given up', async () => {
  const issuedAtMs = Date.now();
  const sandbox = buildSandbox(Number.POSITIVE_INFINITY);
  const { last } = await runAlarms(async (deadlineAtMs) => {
    const followed = await runOperation(buildContext(sandbox, issuedAtMs, deadlineAtMs), SPEC);
    return 'end' in followed ? followed.end : 'done';
  });
  expect(last).toMatchObject({ type: 'absent', absence: { kind: 'unreachable' } });
});

test('a cancel outlasts a sandbox that is away', async () => {
  const backAtMs = Date.now() + 8 * MINUTE;
  const client = { cancel: async () => (Date.now() < backAtMs ? SILENCE : answer({ state: 'ended' })) };
  const { last } = await runAlarms((deadlineAtMs) =>
    runCancel(buildContext(client, Date.now(), deadlineAtMs), 'g1-a1-e1-agent', 'g1-e1'),
  );
  expect(last).toBe('done');
  expect(Date.now()).toBeGreaterThanOrEqual(backAtMs);
});

test('a cancel that overtook its start is over as soon as the sandbox has heard of it', async () => {
  const unknown = { kind: 'refused', error: { code: 'operation_not_found', detail: 'none' } };
  const startedAtMs = Date.now();
  const { last } = await runAlarms((deadlineAtMs) =>
    runCancel(
      buildContext({ cancel: async () => unknown }, startedAtMs, deadlineAtMs),
      'g1-a1-e1-agent',
      'g1-e1',
    ),
  );
  expect(last).toBe('done');
  expect(Date.now() - startedAtMs).toBeLessThan(MINUTE);
});

const nobodyKnows = () => Promise.reject(new Error('no such container'));

test('a look ends as unreachable where nobody can say whether the sandbox is awake', async () => {
  const project = { workflowInForce: async () => ({ ok: false }) };
  const { last } = await runAlarms((deadlineAtMs) => {
    const context = buildContext({}, Date.now(), deadlineAtMs);
    return runLook({ ...context, access: { isAwake: nobodyKnows }, project } as unknown as EffectContext);
  });
  expect(last).toMatchObject({
    absence: { kind: 'unreachable', detail: expect.stringContaining('container') },
  });
});

/** One sandbox operation from start to end: started once by id, found again after any interruption. */
import { isStoppable } from '../../src/core/lifecycle/work.ts';
import type { Reply } from '../../src/sandbox/client.ts';
import { MAX_WAIT_MS, type OperationSpec, type OperationView } from '../../src/sandbox/protocol.ts';
import { absenceOf, absent, at, insist, type EffectContext, type EffectEnd } from './context.ts';

/** How long after its own timeout an operation may take to be stopped and reported. */
const GRACE_MS = 60_000;

export type Followed = { view: OperationView } | { end: EffectEnd };

type WithoutWait<T> = T extends unknown ? Omit<T, 'wait_ms'> : never;

/** Starts it, or joins the run that an earlier try started, and follows it to its end. */
export async function runOperation(
  context: EffectContext,
  spec: WithoutWait<OperationSpec>,
): Promise<Followed> {
  const state = context.state();
  const waitMs = Math.max(0, Math.min(MAX_WAIT_MS, context.deadlineAtMs - Date.now()));
  // A stop that came before the start: whether an earlier try of this effect started it, only the sandbox knows.
  if (isStopping(context)) return stopBeforeStart(context, spec.id);
  const started = await insist(
    context,
    () => context.client.start(at(state), { ...spec, wait_ms: waitMs }),
    overAtMs(context, spec.timeout_ms),
  );
  if (started === null) return { end: 'later' };
  if (started.kind !== 'answer') return { end: absent(absenceOf(started)) };
  return started.value.state === 'ended'
    ? { view: started.value }
    : follow(context, spec.id, spec.timeout_ms);
}

/** Follows what an earlier try of the effect has started; null: nothing of it is there. */
export async function rejoinOperation(
  context: EffectContext,
  { id, timeout_ms: timeoutMs }: Pick<OperationSpec, 'id' | 'timeout_ms'>,
): Promise<Followed | null> {
  const found = await insist(context, () => context.client.poll(at(context.state()), id, { output: 'none' }));
  if (found === null) return { end: 'later' };
  if (found.kind === 'answer') return follow(context, id, timeoutMs);
  if (found.kind === 'refused' && found.error.code === 'operation_not_found') return null;
  return { end: absent(absenceOf(found)) };
}

/** A sandbox that does not answer may come back with its operation; from here on it cannot be running any more. */
const overAtMs = ({ issuedAtMs }: EffectContext, timeoutMs: number): number =>
  issuedAtMs + timeoutMs + GRACE_MS;

/** Once stopped, after_run and the save still run: only what a stop ends is not started any more. */
function isStopping(context: EffectContext): boolean {
  const { stage } = context.state();
  return stage.name === 'work' && stage.stop !== null && isStoppable(stage.phase);
}

async function stopBeforeStart(context: EffectContext, id: string): Promise<Followed> {
  const found = await insist(context, () => context.client.cancel(at(context.state()), id));
  if (found === null) return { end: 'later' };
  if (found.kind === 'answer') return { view: found.value };
  if (found.kind === 'refused' && found.error.code === 'operation_not_found')
    return {
      end: {
        type: 'script-ended',
        outcome: 'cancelled',
        exitCode: null,
        durationMs: 0,
        detail: 'stopped before it started',
      },
    };
  return { end: absent(absenceOf(found)) };
}

async function follow(context: EffectContext, id: string, timeoutMs: number): Promise<Followed> {
  const overdueAtMs = Math.max(overAtMs(context, timeoutMs), Date.now() + GRACE_MS);
  for (;;) {
    const waitMs = Math.min(MAX_WAIT_MS, context.deadlineAtMs - Date.now());
    if (waitMs <= 0) return { end: 'later' };
    const polled = await insist(
      context,
      () => context.client.poll(at(context.state()), id, { waitMs, output: 'none' }),
      overAtMs(context, timeoutMs),
    );
    if (polled === null) return { end: 'later' };
    if (polled.kind !== 'answer') return { end: absent(absenceOf(polled)) };
    if (polled.value.state === 'ended') return readKept(context, id);
    // The supervisor ends it in time; one that says otherwise is not believed for ever.
    if (Date.now() >= overdueAtMs)
      return { end: absent({ kind: 'unreachable', detail: 'the operation did not end in its time' }) };
  }
}

async function readKept(context: EffectContext, id: string): Promise<Followed> {
  const kept = await insist(context, () =>
    context.client.poll(at(context.state()), id, { waitMs: 0, output: 'kept' }),
  );
  if (kept === null) return { end: 'later' };
  return kept.kind === 'answer' ? { view: kept.value } : { end: absent(absenceOf(kept)) };
}

/** Repeated until it gets through. One that overtakes its start is remembered there: the start finds itself cancelled. */
export async function runCancel(
  context: EffectContext,
  operation: string,
  awaiting: string,
): Promise<EffectEnd> {
  const isRunning = () => {
    const { stage } = context.state();
    return (stage.name === 'work' || stage.name === 'removal') && stage.awaiting === awaiting;
  };
  while (isRunning()) {
    const result = await insist(context, () => context.client.cancel(at(context.state()), operation));
    if (result === null) return 'later';
    if (!mayWorkLater(result)) return 'done';
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (Date.now() >= context.deadlineAtMs) return 'later';
  }
  return 'done';
}

const mayWorkLater = (result: Reply<OperationView>): boolean =>
  result.kind === 'unreachable' || (result.kind === 'refused' && result.error.code === 'internal');

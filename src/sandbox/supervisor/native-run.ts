/** Takes one operation that the supervisor performs itself from its start to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { buildMarker } from './base-environment.ts';
import { performNative, type NativeResult, type NativeSpec } from './native-operations.ts';
import { buildEnd, type Operation } from './operation.ts';
import { outcomeOfEnding, type Ending } from './operation-record.ts';
import type { Surroundings } from './script-run.ts';
import type { Setting } from './script-start.ts';

/** What an aborted operation may take to give its answer; then its processes are killed and it has none. */
const ABORT_MS = 3_000;

export function startNative(spec: NativeSpec, setting: Setting, surroundings: Surroundings): void {
  const { operation, machine, marker } = setting;
  const place = {
    ...setting.place,
    gitEnv: { ...setting.place.gitEnv, ...buildMarker(machine, marker) },
  };
  const abort = new AbortController();
  const work = perform(spec, () => performNative(spec, place, abort.signal));
  let cause: Ending['cause'] | null = null;
  const stop = async (wanted: Ending['cause']): Promise<void> => {
    if (cause === null) {
      cause = wanted;
      abort.abort();
    }
    const answer = await Promise.race([work, sleep(ABORT_MS, null)]);
    await surroundings.killOperation(operation);
    const known = cause === 'shutdown' && !isWhole(answer) ? null : answer;
    const end = { ...known, outcome: outcomeOfEnding(cause), detail: describe(cause, spec) };
    operation.finish(buildEnd(end, Date.now()));
  };
  const timer = setTimeout(() => void stop('timeout'), spec.timeout_ms);
  const conclude = async (): Promise<void> => {
    const result = await work;
    clearTimeout(timer);
    if (cause === null) operation.finish(buildEnd(result, Date.now()));
  };
  operation.onStop(stop);
  void conclude();
}

/** One that was cut off says of itself that it was cancelled, and knows of the files what git could tell until then. */
const isWhole = (answer: NativeResult | null): boolean =>
  answer?.outcome === 'ok' && answer.snapshot?.status !== 'skipped';

/** Its supervisor died, and with it what it was doing. */
export async function loseNative(operation: Operation, surroundings: Surroundings): Promise<void> {
  await surroundings.killOperation(operation);
  const detail = 'The supervisor was restarted while it worked on this.';
  operation.finish(buildEnd({ outcome: 'lost', detail }, Date.now()));
}

/** A bug there is this operation's failure, not the supervisor's end. No credential gets into its text. */
async function perform(spec: NativeSpec, work: () => Promise<NativeResult>): Promise<NativeResult> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remote = 'remote' in spec ? spec.remote : null;
    const text = remote === null ? reason : reason.replaceAll(remote.url, remote.origin);
    return { outcome: 'failed', detail: `Internal error: ${text}`.slice(0, 4000) };
  }
}

function describe(cause: Ending['cause'], spec: NativeSpec): string {
  switch (cause) {
    case 'timeout':
      return `The ${spec.kind} took longer than ${spec.timeout_ms} ms and was ended.`;
    case 'cancelled':
      return `The ${spec.kind} was cancelled.`;
    case 'shutdown':
      return `The sandbox was ended during the ${spec.kind}.`;
    default:
      return cause satisfies never;
  }
}

/** A caller's command in the workspace while its attempt waits for it: output as it comes, one NDJSON line each. */
import type { ExecLine } from '../../src/core/api.ts';
import { planConfinement } from '../../src/core/confinement.ts';
import { failure, type Failure } from '../../src/core/failure.ts';
import { refuseExec } from '../../src/core/lifecycle/exec.ts';
import { gatherMs, HOLD_MS } from '../../src/core/output-pace.ts';
import type { Masker, MaskStream } from '../../src/core/redact.ts';
import { err, ok, type Result } from '../../src/core/result.ts';
import { MAX_WAIT_MS, type OperationView } from '../../src/sandbox/protocol.ts';
import { at, insist, pause, type EffectContext } from './context.ts';
import { limitNetwork } from './network.ts';
import { agentEnvironment } from './process-environment.ts';
import { keptWorkflow } from './scripts.ts';

export async function streamExec(
  context: EffectContext,
  id: string,
  command: string,
  timeoutMs: number,
): Promise<Result<ReadableStream<Uint8Array>, Failure>> {
  const operation = `x-${id}`;
  const attempt = context.state().attempt?.number ?? null;
  const workflow = keptWorkflow(context.store);
  const environment = await agentEnvironment(context, workflow);
  if (!environment.ok) return environment;
  await limitNetwork(context, null);
  // `finish` and the like may come while any of these calls is under way.
  const tooLate = refuseExec(context.state(), attempt);
  if (tooLate) return err(tooLate);
  const target = at(context.state());
  const started = await insist(context, () =>
    context.client.start(target, {
      id: operation,
      kind: 'script',
      role: 'agent',
      script: command,
      timeout_ms: timeoutMs,
      ...environment.value,
      leftovers: 'keep',
      confinement: planConfinement(context.state().identity, workflow, 'agent'),
      wait_ms: 0,
    }),
  );
  const refused = refuseExec(context.state(), attempt);
  if (refused) {
    // Leftovers may have been killed before it began.
    await insist(context, () => context.client.cancel(target, operation));
    return err(refused);
  }
  if (started?.kind === 'answer') return ok(followOutput(context, operation, await context.values.masker()));
  const detail =
    started?.kind === 'refused' ? started.error.detail : (started?.detail ?? 'no answer in time');
  return err(failure('sandbox_unavailable', `the command was not started: ${detail}`));
}

/** A reader that goes away stops the polling, not the command. */
function followOutput(context: EffectContext, operation: string, masker: Masker): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const offsets = { stdout: 0, stderr: 0 };
  const masks = { stdout: masker.stream(), stderr: masker.stream() };
  let polls = 0;
  return new ReadableStream({
    // A pull that brings nothing is not repeated by the stream: it lasts until there is something to say.
    async pull(controller) {
      for (;;) {
        const isHolding = STREAMS.some((stream) => masks[stream].isHolding);
        const view = await pollOutput(context, operation, offsets, isHolding ? HOLD_MS : MAX_WAIT_MS);
        const lines = takeLines(view, offsets, masks);
        for (const line of lines) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
        if (lines.some((line) => 'outcome' in line)) return controller.close();
        if (lines.length > 0) return pause(gatherMs(polls++));
      }
    },
  });
}

/** The last line is the outcome; null: the command was lost. */
function takeLines(
  view: OperationView | null,
  offsets: { stdout: number; stderr: number },
  masks: Record<'stdout' | 'stderr', MaskStream>,
): ExecLine[] {
  if (view === null) return [{ outcome: 'lost', exit_code: null, duration_ms: 0 }];
  const lines: ExecLine[] = [];
  const isOver = view.state === 'ended' && view.outcome !== null && !hasMore(view);
  for (const stream of STREAMS) {
    const chunk = view.chunks?.[stream];
    if (chunk) offsets[stream] = chunk.next;
    const isQuiet = !hasMore(view);
    const data = masks[stream].push(chunk?.text ?? '') + (isQuiet ? masks[stream].flush() : '');
    if (data !== '') lines.push({ stream, data });
  }
  if (view.outcome !== null && isOver)
    lines.push({ outcome: view.outcome, exit_code: view.exit_code, duration_ms: view.duration_ms ?? 0 });
  return lines;
}

const STREAMS = ['stdout', 'stderr'] as const;

const hasMore = (view: OperationView): boolean =>
  view.chunks?.stdout.text !== '' || view.chunks.stderr.text !== '';

async function pollOutput(
  context: EffectContext,
  operation: string,
  offsets: { stdout: number; stderr: number },
  waitMs: number,
): Promise<OperationView | null> {
  const polled = await insist(context, () =>
    context.client.poll(at(context.state()), operation, {
      waitMs,
      output: 'none',
      stdoutOffset: offsets.stdout,
      stderrOffset: offsets.stderr,
    }),
  );
  return polled?.kind === 'answer' ? polled.value : null;
}

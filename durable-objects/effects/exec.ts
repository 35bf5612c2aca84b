/** A caller's command in the workspace while its attempt waits for it: output as it comes, one NDJSON line each. */
import type { ExecLine } from '../../src/core/api.ts';
import { planConfinement } from '../../src/core/confinement.ts';
import { failure, type Failure } from '../../src/core/failure.ts';
import { err, ok, type Result } from '../../src/core/result.ts';
import { MAX_WAIT_MS, type OperationView } from '../../src/sandbox/protocol.ts';
import { at, insist, type EffectContext } from './context.ts';
import { agentEnvironment } from './process-environment.ts';
import { keptWorkflow } from './scripts.ts';

export async function streamExec(
  context: EffectContext,
  id: string,
  command: string,
  timeoutMs: number,
): Promise<Result<ReadableStream<Uint8Array>, Failure>> {
  const operation = `x-${id}`;
  const workflow = keptWorkflow(context.store);
  const started = await insist(context, async () =>
    context.client.start(at(context.state()), {
      id: operation,
      kind: 'script',
      role: 'agent',
      script: command,
      timeout_ms: timeoutMs,
      ...(await agentEnvironment(context, workflow)),
      leftovers: 'keep',
      confinement: planConfinement(context.state().identity, workflow, 'agent'),
      wait_ms: 0,
    }),
  );
  if (started?.kind === 'answer') return ok(followOutput(context, operation));
  const detail =
    started?.kind === 'refused' ? started.error.detail : (started?.detail ?? 'no answer in time');
  return err(failure('sandbox_unavailable', `the command was not started: ${detail}`));
}

/** A reader that goes away stops the polling, not the command. */
function followOutput(context: EffectContext, operation: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const offsets = { stdout: 0, stderr: 0 };
  return new ReadableStream({
    async pull(controller) {
      const emit = (line: ExecLine) => controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      const view = await pollOutput(context, operation, offsets);
      if (view === null) {
        emit({ outcome: 'lost', exit_code: null, duration_ms: 0 });
        return controller.close();
      }
      for (const stream of ['stdout', 'stderr'] as const) {
        const chunk = view.chunks?.[stream];
        if (!chunk) continue;
        offsets[stream] = chunk.next;
        if (chunk.text !== '') emit({ stream, data: chunk.text });
      }
      if (view.state !== 'ended' || view.outcome === null || hasMore(view)) return;
      emit({ outcome: view.outcome, exit_code: view.exit_code, duration_ms: view.duration_ms ?? 0 });
      controller.close();
    },
  });
}

const hasMore = (view: OperationView): boolean =>
  view.chunks?.stdout.text !== '' || view.chunks.stderr.text !== '';

async function pollOutput(
  context: EffectContext,
  operation: string,
  offsets: { stdout: number; stderr: number },
): Promise<OperationView | null> {
  const polled = await insist(context, () =>
    context.client.poll(at(context.state()), operation, {
      waitMs: MAX_WAIT_MS,
      output: 'none',
      stdoutOffset: offsets.stdout,
      stderrOffset: offsets.stderr,
    }),
  );
  return polled?.kind === 'answer' ? polled.value : null;
}

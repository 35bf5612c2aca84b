/** Hooks and the agent: which script, with which environment, and what its end means. */
import { planConfinement } from '../../src/core/confinement.ts';
import type { Failure } from '../../src/core/failure.ts';
import type { ProcessEnv } from '../../src/core/hook-env.ts';
import type { Result } from '../../src/core/result.ts';
import type { ScriptSpec } from '../../src/sandbox/protocol.ts';
import { absent, type CommandOf, type EffectContext, type EffectEnd } from './context.ts';
import { maskOutput } from './masking.ts';
import { limitNetwork } from './network.ts';
import { rejoinOperation, runOperation } from './operation.ts';
import { agentEnvironment, hookEnvironment } from './process-environment.ts';
import { agentCommandOf, keptWorkflow } from './scripts.ts';

export async function runHook(context: EffectContext, command: CommandOf<'run-hook'>): Promise<EffectEnd> {
  const workflow = keptWorkflow(context.store);
  const environment = await hookEnvironment(context, workflow, command.hook, command.outcome);
  return runScript(context, environment, {
    id: command.operation,
    kind: 'script',
    role: 'hook',
    script: workflow.hooks[command.hook] ?? '',
    timeout_ms: workflow.hookTimeoutMs,
    leftovers: command.keepLeftovers ? 'keep' : 'kill',
    confinement: planConfinement(context.state().identity, workflow, command.hook),
  });
}

export async function runAgent(context: EffectContext, command: CommandOf<'run-agent'>): Promise<EffectEnd> {
  const workflow = keptWorkflow(context.store);
  return runScript(context, await agentEnvironment(context, workflow), {
    id: command.operation,
    kind: 'script',
    role: 'agent',
    script: agentCommandOf(context.state(), workflow) ?? '',
    timeout_ms: workflow.agent.timeoutMs,
    leftovers: 'kill',
    confinement: planConfinement(context.state().identity, workflow, 'agent'),
  });
}

async function runScript(
  context: EffectContext,
  environment: Result<ProcessEnv, Failure>,
  spec: Omit<ScriptSpec, 'wait_ms' | keyof ProcessEnv>,
): Promise<EffectEnd> {
  await limitNetwork(context, null);
  const followed = environment.ok
    ? await runOperation(context, { ...spec, ...environment.value })
    : ((await rejoinOperation(context, spec)) ?? { end: refused(environment.error) });
  if ('end' in followed) return followed.end;
  const { view } = followed;
  const isSilent = view.stdout.text === '' && view.stderr.text === '';
  const masker = isSilent ? null : await context.values.masker();
  for (const stream of ['stdout', 'stderr'] as const)
    context.store.saveOutput(spec.id, stream, masker ? maskOutput(masker, view[stream]) : view[stream]);
  if (view.outcome === null)
    return absent({ kind: 'unreachable', detail: 'the operation ended without an outcome' });
  return {
    type: 'script-ended',
    outcome: view.outcome,
    exitCode: view.exit_code,
    durationMs: view.duration_ms ?? 0,
    detail: view.detail,
  };
}

/** It waits for a person, who would not see why: the step fails and says so. */
const refused = ({ detail }: Failure): EffectEnd => absent({ kind: 'refused', detail });

/** The environment of a process that is about to start: values fetched in clear now and kept nowhere. */
import type { Failure } from '../../src/core/failure.ts';
import { buildAgentEnv, buildHookEnv, type AgentEnvInput, type ProcessEnv } from '../../src/core/hook-env.ts';
import type { Hook } from '../../src/core/lifecycle/state.ts';
import { ok, type Result } from '../../src/core/result.ts';
import type { WorkflowSettings } from '../../src/core/workflow.ts';
import type { EffectContext } from './context.ts';

export async function hookEnvironment(
  context: EffectContext,
  workflow: WorkflowSettings,
  hook: Hook,
  outcome: string | null,
): Promise<Result<ProcessEnv, Failure>> {
  const { workflowDir } = context.state();
  const input = await agentInput(context, workflow);
  if (!input.ok) return input;
  return ok(
    buildHookEnv({
      ...input.value,
      hook,
      sandboxHooks: workflow.sandboxHooks,
      workflowDir: workflowDir ?? undefined,
      outcome: outcome ?? undefined,
    }),
  );
}

export async function agentEnvironment(
  context: EffectContext,
  workflow: WorkflowSettings,
): Promise<Result<ProcessEnv, Failure>> {
  const input = await agentInput(context, workflow);
  return input.ok ? ok(buildAgentEnv(input.value)) : input;
}

async function agentInput(
  context: EffectContext,
  workflow: WorkflowSettings,
): Promise<Result<AgentEnvInput, Failure>> {
  const values = await context.values.environment();
  if (!values.ok) return values;
  const environment = values.value;
  const { identity, task, attempt, directory } = context.state();
  return ok({
    location: identity.location,
    workspacePath: identity.location === 'docker' ? '/workspace' : (directory ?? '/workspace'),
    key: identity.key,
    branch: identity.branch,
    task: { id: task.id, identifier: task.identifier, title: task.title, state: task.state },
    attempt: attempt?.number,
    global: environment.global,
    project: environment.project,
    dockerEnv: workflow.docker.env,
    gitIdentity: { name: workflow.git.userName, email: workflow.git.userEmail },
  });
}

/** The environment of a process that is about to start: values fetched in clear now and kept nowhere. */
import { buildAgentEnv, buildHookEnv, type AgentEnvInput, type ProcessEnv } from '../../src/core/hook-env.ts';
import type { Hook } from '../../src/core/lifecycle/state.ts';
import type { Workflow } from '../../src/core/workflow.ts';
import type { EffectContext } from './context.ts';

export async function hookEnvironment(
  context: EffectContext,
  workflow: Workflow,
  hook: Hook,
  outcome: string | null,
): Promise<ProcessEnv> {
  const { workflowDir } = context.state();
  return buildHookEnv({
    ...(await agentInput(context, workflow)),
    hook,
    sandboxHooks: workflow.sandboxHooks,
    workflowDir: workflowDir ?? undefined,
    outcome: outcome ?? undefined,
  });
}

export async function agentEnvironment(context: EffectContext, workflow: Workflow): Promise<ProcessEnv> {
  return buildAgentEnv(await agentInput(context, workflow));
}

async function agentInput(context: EffectContext, workflow: Workflow): Promise<AgentEnvInput> {
  const environment = await context.values.environment();
  const { identity, task, attempt, directory } = context.state();
  return {
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
  };
}

/** The scripts and settings of WORKFLOW.md that the work under way began with; a later upload reaches the next one. */
import type { Plan, State } from '../../src/core/lifecycle/state.ts';
import type { Workflow, WorkflowSettings } from '../../src/core/workflow.ts';
import type { Env } from '../../src/sandbox/env.ts';
import type { WorkspaceStore } from '../workspace-store.ts';

const NAME = 'workflow';

/** No effect needs the prompt, which may be as large as the file, nor what is wrong with the file. */
export const keepWorkflow = (store: WorkspaceStore, workflow: Workflow): void =>
  store.setMeta(NAME, JSON.stringify({ ...workflow, misspelt: undefined, prompt: undefined }));

export function keptWorkflow(store: WorkspaceStore): WorkflowSettings {
  const value = store.meta(NAME);
  if (value === null) throw new Error('no WORKFLOW.md was kept before an effect that needs it');
  return JSON.parse(value) as WorkflowSettings;
}

export function agentCommandOf(state: State, workflow: WorkflowSettings): string | null {
  if (state.agentChoice === 'external') return null;
  return state.agentChoice === 'command' ? state.agentCommand : workflow.agent.command;
}

export function buildPlan(state: State, workflow: Workflow, env: Env): Plan {
  const { hooks, agent } = workflow;
  return {
    hooks: {
      after_create: hooks.after_create !== null,
      before_run: hooks.before_run !== null,
      after_run: hooks.after_run !== null,
      before_remove: hooks.before_remove !== null,
    },
    agent: agentCommandOf(state, workflow) === null ? 'external' : 'command',
    agentTimeoutMs: agent.timeoutMs,
    maxAttempts: agent.maxAttempts,
    maxRetryBackoffMs: agent.maxRetryBackoffMs,
    snapshots: env.SNAPSHOTS !== undefined,
  };
}

/** The scripts and settings of WORKFLOW.md that the work under way began with; a later upload reaches the next one. */
import type { Plan, State } from '../../src/core/lifecycle/state.ts';
import type { Workflow } from '../../src/core/workflow.ts';
import type { Env } from '../../src/sandbox/env.ts';
import type { WorkspaceStore } from '../workspace-store.ts';

const NAME = 'workflow';

export const keepWorkflow = (store: WorkspaceStore, workflow: Workflow): void =>
  store.setMeta(NAME, JSON.stringify(workflow));

export function keptWorkflow(store: WorkspaceStore): Workflow {
  const value = store.meta(NAME);
  if (value === null) throw new Error('no WORKFLOW.md was kept before an effect that needs it');
  return JSON.parse(value) as Workflow;
}

export function agentCommandOf(state: State, workflow: Workflow): string | null {
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

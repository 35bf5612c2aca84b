/** What people must not miss about a project or a workspace. */
import { lacksSnapshots } from './lifecycle/saving.ts';
import type { Location, State } from './lifecycle/state.ts';
import type { Workflow } from './workflow.ts';

export interface Warning {
  code: string;
  message: string;
}

const PLAIN_HOST: Warning = {
  code: 'plain_host',
  message:
    'agents and hooks run on this machine as your user, without a sandbox; ask for isolation "bubblewrap" or another location unless you trust them',
};

const HOOKS_ON_HOST: Warning = {
  code: 'hooks_on_host',
  message:
    'hooks run outside the sandbox in a directory the agent controls: anything they run there (git, npm lifecycle hooks) reads agent-written files; keep hooks in the sandbox unless you are sure',
};

const NETWORK_NOT_LIMITED: Warning = {
  code: 'network_not_limited',
  message:
    'location host cannot limit the network: `network` in WORKFLOW.md has no effect; use location docker or cloudflare',
};

const NO_SNAPSHOTS: Warning = {
  code: 'snapshots_unavailable',
  message:
    'this deployment has no snapshot store (R2 binding SNAPSHOTS): after the loss of a sandbox a workspace comes back from its saved branch alone, and what was not saved is gone',
};

interface ProjectFacts {
  location: Location;
  isolation: 'bubblewrap' | null;
  workflow: Workflow;
  hasWorkflowError: boolean;
  hasSnapshots: boolean;
}

export function buildProjectWarnings(project: ProjectFacts): Warning[] {
  const { location, isolation, workflow, hasWorkflowError, hasSnapshots } = project;
  const warnings: Warning[] = [];
  if (location === 'host' && isolation === null) warnings.push(PLAIN_HOST);
  if (location === 'docker' && workflow.sandboxHooks === 'host') warnings.push(HOOKS_ON_HOST);
  if (location === 'host' && workflow.network !== 'all') warnings.push(NETWORK_NOT_LIMITED);
  if (!hasSnapshots) warnings.push(NO_SNAPSHOTS);
  if (workflow.misspelt.length > 0)
    warnings.push({
      code: 'workflow_misspelt',
      message: `WORKFLOW.md has names that nothing reads: ${workflow.misspelt.join(', ')}`,
    });
  if (hasWorkflowError)
    warnings.push({
      code: 'workflow_refused',
      message: 'the last WORKFLOW.md was refused; the one before it stays in force',
    });
  return warnings;
}

export function buildWorkspaceWarnings(state: State): Warning[] {
  const warnings: Warning[] = [];
  if (state.identity.location === 'host' && state.identity.isolation === null) warnings.push(PLAIN_HOST);
  if (state.saved.status === 'diverged' || state.saved.status === 'head_elsewhere')
    warnings.push({
      code: 'work_on_rescue_refs',
      message: 'the work is saved on rescue refs, not on the task branch',
    });
  if (lacksSnapshots(state)) warnings.push(NO_SNAPSHOTS);
  if (state.snapshot !== null && state.snapshot.skipped !== null)
    warnings.push({
      code: 'snapshot_skipped',
      message: `unsaved work has no snapshot: ${state.snapshot.skipped}`,
    });
  return warnings;
}

/** What a supervisor can be asked apart from the workspace's own matters. One workspace in a sandbox, any number on a host. */
import type { Result } from '../../core/result.ts';
import type { InventoryAnswer, OpenAnswer, OpenRequest, SupervisorError } from '../protocol.ts';
import type { Confinements } from './confinements.ts';
import type { Workspace } from './workspace.ts';

/** Where the WORKFLOW.md is that a project is registered from; `keep`: over restarts, too. */
export interface WorkflowFolder {
  readonly project: string;
  readonly directory: string;
  readonly keep: boolean;
}

export interface Supervisor {
  readonly mode: 'host' | 'sandbox';
  readonly confinements: Confinements;
  open(request: OpenRequest): Promise<Result<OpenAnswer, SupervisorError>>;
  /** Of a workspace that is claimed by `creationId`. */
  find(creationId: string, directory: string): Result<Workspace, SupervisorError>;
  /** Files, claim and records; idempotent: an absent workspace is a destroyed one. */
  destroy(creationId: string, directory: string): Promise<Result<null, SupervisorError>>;
  inventory(): Promise<Result<InventoryAnswer, SupervisorError>>;
  registerWorkflow(folder: WorkflowFolder): Result<null, SupervisorError>;
  /** Goes on with what a former supervisor left. */
  resume(): Promise<void>;
  /** Ends everything that was started. */
  shutdown(): Promise<void>;
}

export const unsupported = (what: string): SupervisorError => ({
  code: 'not_found',
  detail: `${what} is for hosts; this is a sandbox.`,
});

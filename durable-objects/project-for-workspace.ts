/** What a project answers to its own workspaces. */
import type { WorkspaceView } from '../src/core/api.ts';
import type { Workflow } from '../src/core/workflow.ts';
import type { Answer } from './rpc.ts';

export interface WorkspaceSummary {
  view: WorkspaceView;
  generation: number;
  terminal: boolean;
  /** false: the task's id is only its identifier's default. */
  idGiven: boolean;
  /** Grows with every change; an older report that arrives late is dropped. */
  version: number;
}

export interface ProcessEnvironment {
  global: Record<string, string>;
  project: Record<string, string>;
  /** Of both, those that were flagged secret. */
  secretNames: string[];
  /** The repository's credential in the forms that it travels in; in no process's environment. */
  gitSecrets: string[];
}

export interface ProjectForWorkspace {
  /** The WORKFLOW.md in force, parsed. */
  workflowInForce(): Answer<{ workflow: Workflow; text: string }>;
  /** Values in clear, for a process that is about to start; never stored by the caller. */
  processEnvironment(): Answer<ProcessEnvironment>;
  hasCredential(): Promise<boolean>;
  /** The `Authorization` header for that repository's host; null: no credential for it. For the git gateway only. */
  gitAuthorization(repositoryUrl: string): Answer<string | null>;
  report(summary: WorkspaceSummary): Promise<void>;
}

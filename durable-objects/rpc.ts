/** What the Durable Objects answer to the Worker: one interface per class. Expected failures are values; a throw is a bug or the platform. */
import type {
  AttemptPage,
  AttemptView,
  Dispatch,
  Dispatched,
  EnvironmentView,
  ProjectView,
  PutProject,
  TaskStateAnswer,
  WorkspaceDetail,
  WorkspacePage,
  WorkspaceView,
} from '../src/core/api.ts';
import type { Failure } from '../src/core/failure.ts';
import type { Result } from '../src/core/result.ts';

export type Answer<T> = Promise<Result<T, Failure>>;

/** `Idempotency-Key` with a digest of the request that it was sent with. */
export interface Idempotency {
  key: string;
  digest: string;
}

export interface ListQuery {
  limit: number;
  cursor: string | null;
  status: string | null;
  saved: string | null;
}

/** One object named `directory`: which projects there are, and the global environment. */
export interface DirectoryRpc {
  listProjects(limit: number, cursor: string | null): Promise<{ ids: string[]; nextCursor: string | null }>;
  addProject(project: string): Promise<void>;
  dropProject(project: string): Promise<void>;
  /** Where the last sweep stopped, in the sweep's own words; null: at the end. Kept for the next tick. */
  loadSweepPosition(): Promise<string | null>;
  saveSweepPosition(position: string | null): Promise<void>;
  /** Names are checked by the caller; null deletes. */
  patchEnvironment(patch: Record<string, string | null>): Answer<EnvironmentView>;
  listEnvironment(): Promise<EnvironmentView>;
  /** In clear, for the projects' processes. */
  environmentValues(): Answer<Record<string, string>>;
}

/** One object per project, named by its id. Everything but `put` answers `project_not_found` until it was put. */
export interface ProjectRpc {
  put(project: string, settings: PutProject): Answer<{ created: boolean; project: ProjectView }>;
  get(): Answer<ProjectView>;
  remove(): Answer<null>;
  putWorkflow(text: string): Answer<ProjectView>;
  getWorkflow(): Answer<string>;
  patchEnvironment(patch: Record<string, string | null>): Answer<EnvironmentView>;
  listEnvironment(): Answer<EnvironmentView>;
  dispatch(input: Dispatch, idempotency: Idempotency | null): Answer<Dispatched>;
  /** `task` is the task's id. */
  setTaskState(task: string, state: string): Answer<TaskStateAnswer>;
  listWorkspaces(query: ListQuery): Answer<WorkspacePage>;
  /**
   * Looks at up to `limit` workspaces past `cursor` (null: from the start) that may have to go; `nextCursor` null: done.
   * `waitMs`: how long to wait for removals that it started. `force`: kept ones do not wait for their backoff.
   */
  sweep(
    cursor: string | null,
    limit: number,
    options: { force: boolean; waitMs: number },
  ): Answer<{
    lookedAt: number;
    removed: number;
    kept: { project: string; key: string; reason: string }[];
    nextCursor: string | null;
  }>;
}

/** One object per task's workspace, named `<project>/<key>`. Answers `workspace_not_found` before the first dispatch. */
export interface WorkspaceRpc {
  view(): Answer<WorkspaceDetail>;
  listAttempts(limit: number, cursor: string | null): Answer<AttemptPage>;
  /** With the kept output of its hooks and agent. */
  attempt(number: number): Answer<AttemptView>;
  /** Plain text of all that was kept, with a marker where text is missing. */
  attemptLog(number: number): Answer<ReadableStream<Uint8Array>>;
  save(): Answer<WorkspaceView>;
  cancelAttempt(number: number): Answer<AttemptView>;
  finishAttempt(
    number: number,
    input: { outcome: 'succeeded' | 'failed'; detail: string | null },
    idempotency: Idempotency | null,
  ): Answer<AttemptView>;
  /** `gone`: it was removed before. */
  remove(
    options: { cancel: boolean; discard: boolean },
    idempotency: Idempotency | null,
  ): Answer<{ gone: boolean; workspace: WorkspaceView }>;
  /** NDJSON of `ExecLine`; only in phase `agent_wait`. */
  exec(command: string, timeoutMs: number): Answer<ReadableStream<Uint8Array>>;
}

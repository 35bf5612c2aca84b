/** What the Durable Objects answer to the Worker: one interface per class. Expected failures are values; a throw is a bug or the platform. */
import type {
  ApiTokenView,
  AttemptPage,
  AttemptView,
  AuditEntry,
  AuditPage,
  Credential,
  Dispatch,
  Dispatched,
  EnvironmentView,
  NewApiToken,
  PatchEnvironment,
  ProjectView,
  PutProject,
  TaskStateAnswer,
  WorkspaceDetail,
  WorkspacePage,
  WorkspaceView,
} from '../src/core/api.ts';
import type { Ownership } from '../src/core/cleanup.ts';
import type { Failure } from '../src/core/failure.ts';
import type { Result } from '../src/core/result.ts';
import type { FileAnswer } from './workspace-files.ts';

export type Answer<T> = Promise<Result<T, Failure>>;

/** In clear, for a process that is about to start; `flagged`: names said to be secret by whoever set them. */
export interface EnvironmentValues {
  values: Record<string, string>;
  flagged: string[];
}

/** One entry of a workspace's event log; `data` is JSON. */
export interface StoredEvent {
  seq: number;
  at_ms: number;
  name: string;
  data: string;
}

/** `Idempotency-Key` with a digest of the request that it was sent with. */
export interface Idempotency {
  key: string;
  digest: string;
}

/** What the git gateway needs to serve one grant. Holds the credential: never logged, never sent to a client. */
export interface GitGrant {
  operation: 'clone' | 'save';
  repositoryUrl: string;
  authorization: string | null;
  allowedRefs: { branch: string; rescuePrefix: string };
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
  /** true the first time that this nonce comes; remembered until `expiresAtMs`. */
  useOnce(nonce: string, expiresAtMs: number): Promise<boolean>;
  createToken(id: string, hash: string, input: NewApiToken): Promise<ApiTokenView>;
  listTokens(): Promise<ApiTokenView[]>;
  findToken(hash: string): Promise<ApiTokenView | null>;
  /** false: there is none. */
  revokeToken(id: string): Promise<boolean>;
  recordAudit(entry: Omit<AuditEntry, 'at' | 'seq'>): Promise<void>;
  listAudit(limit: number, cursor: string | null): Promise<AuditPage>;
  /** Names are checked by the caller; null deletes. */
  patchEnvironment(patch: PatchEnvironment): Answer<EnvironmentView>;
  listEnvironment(): Promise<EnvironmentView>;
  /** In clear, for the projects' processes. */
  environmentValues(): Answer<EnvironmentValues>;
}

/** One object per project, named by its id. Everything but `put` answers `project_not_found` until it was put. */
export interface ProjectRpc {
  put(project: string, settings: PutProject): Answer<{ created: boolean; project: ProjectView }>;
  get(): Answer<ProjectView>;
  remove(): Answer<null>;
  putWorkflow(text: string): Answer<ProjectView>;
  getWorkflow(): Answer<string>;
  patchEnvironment(patch: PatchEnvironment): Answer<EnvironmentView>;
  listEnvironment(): Answer<EnvironmentView>;
  /** null takes it away. Write-only: no answer holds it. */
  putCredential(credential: Credential | null): Answer<ProjectView>;
  dispatch(input: Dispatch, idempotency: Idempotency | null): Answer<Dispatched>;
  /** `task` is the task's id. */
  setTaskState(task: string, state: string): Answer<TaskStateAnswer>;
  listWorkspaces(query: ListQuery): Answer<WorkspacePage>;
  /** Server-Sent Events: each workspace that changed since `after`, then live; null: from now on. */
  openEvents(after: number | null): Answer<ReadableStream<Uint8Array>>;
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
  /** Of these, those that no live workspace has and no dispatch has reserved. */
  keysWithoutWorkspace(keys: string[]): Promise<string[]>;
}

/** One object per task's workspace, named `<project>/<key>`. Answers `workspace_not_found` before the first dispatch. */
export interface WorkspaceRpc {
  view(): Answer<WorkspaceDetail>;
  listAttempts(limit: number, cursor: string | null): Answer<AttemptPage>;
  /** With the kept output of its hooks and agent. */
  attempt(number: number): Answer<AttemptView>;
  /** Plain text of all that was kept, with a marker where text is missing. */
  attemptLog(number: number): Answer<ReadableStream<Uint8Array>>;
  /** What happened, oldest first, numbers above `after`; the oldest of a long story are no longer kept. */
  events(after: number, limit: number): Promise<StoredEvent[]>;
  /** Server-Sent Events past the number `after`, then live; null: from now on. Ends when its reader falls behind. */
  openEvents(after: number | null): Answer<ReadableStream<Uint8Array>>;
  /** `path` relative to the workspace; a sandbox that sleeps is brought back first. */
  readFile(path: string): Answer<FileAnswer>;
  /** Answers the new ETag. `ifMatch` null: whatever is there now. */
  writeFile(file: {
    path: string;
    bytes: Uint8Array<ArrayBuffer>;
    ifMatch: string | null;
  }): Answer<string | null>;
  /** Whose a sandbox or folder of this key is, by its creation id. */
  ownershipOf(creationId: string): Promise<Ownership>;
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
  redeemGrant(hash: string): Promise<GitGrant | null>;
  /** Adds to the workspace's event log. */
  recordAudit(event: string, data: Record<string, unknown>): Promise<void>;
  /** NDJSON of `ExecLine`; only in phase `agent_wait`. */
  exec(command: string, timeoutMs: number): Answer<ReadableStream<Uint8Array>>;
}

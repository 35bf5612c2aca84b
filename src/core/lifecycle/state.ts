/** What is known of one task's workspace: the whole durable state that `step` decides on. Instants are `…AtMs`, Unix milliseconds. */

export type Hook = 'after_create' | 'before_run' | 'after_run' | 'before_remove';
export type Location = 'cloudflare' | 'docker' | 'host';

/** Recorded when the workspace is created; later changes of the project do not reach it. */
export interface Identity {
  project: string;
  key: string;
  branch: string;
  sandboxId: string;
  location: Location;
  isolation: 'bubblewrap' | null;
  /** Location cloudflare: its sandbox was made so that its network can be limited. */
  limited: boolean;
  repository: { url: string; baseBranch: string | null; depth: number | null } | null;
  /** `workspace.root` as written; null: the location's default. */
  root: string | null;
}

export interface Task {
  id: string;
  /** false while the id is only the identifier's default: the first explicit id replaces it. */
  idGiven: boolean;
  identifier: string;
  title: string;
  state: string;
  terminal: boolean;
}

/** What an attempt needs to know of WORKFLOW.md to be decided on; the scripts themselves are kept beside the state. */
export interface Plan {
  hooks: Record<Hook, boolean>;
  agent: 'command' | 'external';
  agentTimeoutMs: number;
  maxAttempts: number;
  maxRetryBackoffMs: number;
  /** A snapshot store is configured. */
  snapshots: boolean;
}

export type AttemptOutcome = 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'lost';
type RunOutcome = 'ok' | 'failed' | 'killed' | 'timeout' | 'cancelled' | 'lost' | 'skipped';

type AttemptFailureCode =
  | 'clone_failed'
  | 'after_create_failed'
  | 'before_run_failed'
  | 'agent_failed'
  | 'agent_timeout'
  | 'sandbox_lost'
  | 'sandbox_unavailable'
  | 'workspace_damaged'
  | 'cancelled'
  | 'workflow_invalid';

export interface AttemptFailure {
  code: AttemptFailureCode;
  detail: string;
}

/** One hook or agent run; its output is kept beside the state under `operation`. */
export interface Run {
  operation: string;
  outcome: RunOutcome;
  exitCode: number | null;
  durationMs: number;
  detail: string | null;
}
export type HookRun = Run & { hook: Hook };

export interface Attempt {
  number: number;
  /** Counted since the dispatch, from 1. */
  try: number;
  startedAtMs: number;
  endedAtMs: number | null;
  /** null until the plan in force was read. */
  plan: Plan | null;
  /** What it will end as, once that is known; the first cause wins. */
  result: { outcome: AttemptOutcome; failure: AttemptFailure | null } | null;
  outcome: AttemptOutcome | null;
  beforeRunReached: boolean;
  agentStarted: boolean;
  /** When a caller-run agent is timed out. */
  deadlineAtMs: number | null;
  hooks: HookRun[];
  agentRun: Run | null;
  save: { status: SavedStatus; sha: string | null } | null;
}

export type SavedStatus =
  | 'unknown'
  | 'saved'
  | 'nothing_to_save'
  | 'diverged'
  | 'head_elsewhere'
  | 'unsaved'
  | 'failed'
  | 'no_repository';

/** What is known of the branch and the work tree, as of `checkedAtMs`. */
export interface Saved {
  status: SavedStatus;
  sha: string | null;
  savedAtMs: number | null;
  reason: string | null;
  sinceMs: number | null;
  tries: number;
  nextTryAtMs: number | null;
  rescueRefs: { ref: string; sha: string }[];
  remoteSha: string | null;
  head: string | null;
  base: string | null;
  /** The remote's task branch as last seen: the next push's lease. */
  lastSaved: string | null;
  stashes: number;
  unsavedCount: number;
  unsavedCommits: { sha: string; subject: string }[];
  uncommitted: { modified: number; untracked: number; files: string[] };
  checkedAtMs: number | null;
}

export interface Snapshot {
  /** Of the last one that was written, which a skipped one does not replace; empty: there is none. */
  id: string;
  atMs: number;
  head: string | null;
  /** Commits and files that the remote does not have were all in it. */
  complete: boolean;
  skipped: string | null;
}

/** What starts an attempt: `try` since the dispatch. */
export interface Retry {
  atMs: number;
  try: number;
}

export type WorkPhase =
  | 'opening'
  | 'claiming'
  | 'cloning'
  | 'restoring'
  | 'after_create'
  | 'before_run'
  | 'agent'
  | 'agent_wait'
  | 'settling'
  | 'after_run'
  | 'saving'
  | 'snapshotting'
  | 'discarding';

type StopReason = 'cancel' | 'terminal' | 'delete';

/** One piece of work on the files; only one at a time owns them. `awaiting` is the id of the effect whose result moves it on. */
export interface Work {
  name: 'work';
  goal: 'attempt' | 'save' | 'wake';
  phase: WorkPhase;
  awaiting: string | null;
  /** The sandbox operation of the awaited effect, where it has one. */
  operation: string | null;
  /** In force since the sandbox was opened. */
  plan: Plan | null;
  /** This work had to bring the files back. */
  restoring: boolean;
  stop: StopReason | null;
}

export type RemovalPhase = 'looking' | 'claiming' | 'restoring' | 'saving' | 'before_remove' | 'destroying';

export interface Removal {
  name: 'removal';
  phase: RemovalPhase;
  awaiting: string | null;
  operation: string | null;
  /** Of the WORKFLOW.md in force when the removal looked; until then, of the last attempt's. */
  beforeRemove: boolean;
  /** The branch is safe, or a person gave the work up. */
  saveSettled: boolean;
  /** The sandbox was gone and this removal brought it back: done once, or a sandbox that keeps going away holds it up forever. */
  rebuilt: boolean;
}

export type Stage = { name: 'idle' } | Work | Removal | { name: 'removed'; atMs: number };

export interface State {
  identity: Identity;
  task: Task;
  /** Counts the workspaces that this key has had. */
  generation: number;
  createdAtMs: number;
  updatedAtMs: number;
  /** `none`: never created, or thrown away; `lost`: there were files, they must be brought back. */
  files: 'none' | 'present' | 'lost';
  creationId: string | null;
  /** Incarnations that may be there instead of `creationId`: it is claimed, or destroyed, and nobody has answered for certain. */
  formerIds: string[];
  directory: string | null;
  workflowDir: string | null;
  stage: Stage;
  attemptCount: number;
  /** The running attempt, else the last one. */
  attempt: Attempt | null;
  retry: Retry | null;
  /** A dispatch that waits for a save or wake that was under way. */
  queued: boolean;
  agentCommand: string | null;
  agentChoice: 'workflow' | 'command' | 'external';
  removalWish: { by: 'terminal' | 'delete'; discard: boolean } | null;
  kept: { reason: string; sinceMs: number; tries: number; nextTryAtMs: number } | null;
  damaged: string | null;
  /** Why the last creation or wake failed. */
  error: AttemptFailure | null;
  saved: Saved;
  snapshot: Snapshot | null;
  /** What the last restore could not bring back. */
  lastLoss: string | null;
  /** A person's change to the files of a sandbox that no save has looked at since. */
  changedAtMs: number | null;
  /** The last call that kept a sleeping location awake. */
  touchedAtMs: number;
  effectCount: number;
  saveCount: number;
}

export const UNKNOWN_SAVED: Saved = {
  status: 'unknown',
  sha: null,
  savedAtMs: null,
  reason: null,
  sinceMs: null,
  tries: 0,
  nextTryAtMs: null,
  rescueRefs: [],
  remoteSha: null,
  head: null,
  base: null,
  lastSaved: null,
  stashes: 0,
  unsavedCount: 0,
  unsavedCommits: [],
  uncommitted: { modified: 0, untracked: 0, files: [] },
  checkedAtMs: null,
};

/** A workspace that nothing has happened to yet. */
export function buildInitialState(identity: Identity, task: Task, generation: number, atMs: number): State {
  return {
    identity,
    task,
    generation,
    createdAtMs: atMs,
    updatedAtMs: atMs,
    files: 'none',
    creationId: null,
    formerIds: [],
    directory: null,
    workflowDir: null,
    stage: { name: 'idle' },
    attemptCount: 0,
    attempt: null,
    retry: null,
    queued: false,
    agentCommand: null,
    agentChoice: 'workflow',
    removalWish: null,
    kept: null,
    damaged: null,
    error: null,
    saved: UNKNOWN_SAVED,
    snapshot: null,
    lastLoss: null,
    changedAtMs: null,
    touchedAtMs: atMs,
    effectCount: 0,
    saveCount: 0,
  };
}

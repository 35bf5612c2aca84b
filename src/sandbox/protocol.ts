/**
 * The supervisor's HTTP protocol, version 1: the one contract between the control plane and the program in a sandbox.
 * Both sides parse with these schemas; answers of a sandbox are untrusted, so every text and list in them is bounded.
 */
import * as z from 'zod';

/** Every answer of a supervisor carries this header; an answer without it comes from something in between. */
export const SUPERVISOR_HEADER = 'x-edge-harness-supervisor';
export const PROTOCOL_VERSION = '1';
/** The creation id that the caller expects: the wrong one does nothing and answers `other_incarnation`. */
export const CREATION_HEADER = 'x-edge-harness-creation';
/** The workspace directory as `open` answered it, percent-encoded. */
export const DIRECTORY_HEADER = 'x-edge-harness-directory';
/** How a terminal is confined: `Confinement` as JSON. */
export const CONFINEMENT_HEADER = 'x-edge-harness-confinement';
/** In the image the supervisor listens here; 3000 belongs to the SDK's own server. */
export const SUPERVISOR_PORT = 8730;
/** The longest that one call may wait: under every proxy's idle limit seen (120 s). */
export const MAX_WAIT_MS = 50_000;

/** Kept per stream: the first bytes and the last bytes, cut on code points. */
export const HOOK_OUTPUT = { headBytes: 16 * 1024, tailBytes: 48 * 1024 } as const;
export const AGENT_OUTPUT = { headBytes: 256 * 1024, tailBytes: 4 * 1024 * 1024 } as const;

const text = (max: number) => z.string().max(max);
const count = z.number().int().nonnegative();
const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const gitRef = text(1024);

export const OperationId = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,99}$/);
const CreationId = z.string().regex(/^[a-z0-9-]{8,64}$/);

export const OpenRequest = z.strictObject({
  project: text(63),
  key: text(128),
  creation_id: CreationId,
  /** true: take a fresh disk; false: only find out whether it is still ours. */
  claim: z.boolean(),
  /** `workspace.root` as written in WORKFLOW.md; the host resolves it, a sandbox ignores it. */
  root: text(4096).nullable(),
  /** The directory recorded at creation; then `root` is not resolved again. */
  directory: text(4096).nullable(),
  /** The WORKFLOW.md in force: a host keeps it, so that SYMPHONY_WORKFLOW_DIR names a folder that holds it. */
  workflow: text(1024 * 1024).nullable(),
});
export type OpenRequest = z.infer<typeof OpenRequest>;

/** `absent`: no files yet or no longer; `whole`: our repository; `damaged`: something else lies there, `damage` says what. */
export const OpenAnswer = z.object({
  mode: z.enum(['host', 'sandbox']),
  directory: text(4096),
  workflow_dir: text(4096).nullable(),
  files: z.enum(['absent', 'whole', 'damaged']),
  damage: text(2000).nullable(),
});
export type OpenAnswer = z.infer<typeof OpenAnswer>;

/** How one script is confined. `none`: in the sandbox or on the plain host, as the location is. */
export const Confinement = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('bubblewrap') }),
  z.strictObject({
    kind: z.literal('docker'),
    image: text(512),
    network: z.union([z.literal('all'), z.literal('none')]),
  }),
]);
export type Confinement = z.infer<typeof Confinement>;

const operation = {
  id: OperationId,
  wait_ms: count.max(MAX_WAIT_MS),
  timeout_ms: count.min(1).max(86_400_000),
};

export const ScriptSpec = z.strictObject({
  ...operation,
  kind: z.literal('script'),
  role: z.enum(['hook', 'agent']),
  script: text(1024 * 1024),
  /** Laid over the base set of the machine (PATH, HOME, LANG, TERM, SHELL, USER, PWD). */
  env: z.record(text(256), text(1024 * 1024)),
  /** Names that a login profile may have exported: unset before the script runs. */
  unset: z.array(text(256)).max(1000),
  /** `kill`: what the script leaves behind — and what earlier operations left — is killed before the operation ends. */
  leftovers: z.enum(['keep', 'kill']),
  confinement: Confinement,
});
export type ScriptSpec = z.infer<typeof ScriptSpec>;

/** `url` is used for this one operation and never written down; `origin` is what `git remote` shows. */
const Remote = z.strictObject({
  url: text(4096),
  origin: text(4096),
  /** Left out, a submodule is fetched over https and http alone. */
  local_submodules: z.literal(true).optional(),
});
export type Remote = z.infer<typeof Remote>;

export const CloneSpec = z.strictObject({
  ...operation,
  kind: z.literal('clone'),
  /** null: an empty repository on the task branch. */
  remote: Remote.nullable(),
  branch: gitRef,
  base_branch: gitRef.nullable(),
  depth: count.min(1).nullable(),
  user: z.strictObject({ name: text(512), email: text(512) }),
});
export type CloneSpec = z.infer<typeof CloneSpec>;

export const SaveSpec = z.strictObject({
  ...operation,
  kind: z.literal('save'),
  remote: Remote.nullable(),
  branch: gitRef,
  /** `symphony-rescue/<key>/<attempt>`. */
  rescue: gitRef,
  /** Where the task branch started: HEAD there means that there is nothing to save. null: unborn. */
  base: sha.nullable(),
  /** What the remote's task branch was when we last saw it; null: it was absent. The push's lease. */
  last_saved: sha.nullable(),
});
export type SaveSpec = z.infer<typeof SaveSpec>;

/** Writes the bundle that `GET /snapshots/{operation id}` streams. */
export const SnapshotSpec = z.strictObject({
  ...operation,
  kind: z.literal('snapshot'),
  branch: gitRef,
  max_bytes: count,
});
export type SnapshotSpec = z.infer<typeof SnapshotSpec>;

/** Rebuilds the files from the bundle that `PUT /snapshots/{snapshot}` uploaded before. */
export const RestoreSpec = z.strictObject({
  ...operation,
  kind: z.literal('restore'),
  snapshot: OperationId,
  remote: Remote.nullable(),
  branch: gitRef,
  user: z.strictObject({ name: text(512), email: text(512) }),
});
export type RestoreSpec = z.infer<typeof RestoreSpec>;

export const OperationSpec = z.discriminatedUnion('kind', [
  ScriptSpec,
  CloneSpec,
  SaveSpec,
  SnapshotSpec,
  RestoreSpec,
]);
export type OperationSpec = z.infer<typeof OperationSpec>;

export const KeptOutput = z.object({
  text: text(6 * 1024 * 1024),
  /** Bytes that the process wrote, kept or not. */
  total_bytes: count,
  truncated: z.boolean(),
});
export type KeptOutput = z.infer<typeof KeptOutput>;

/** New output of one stream since the asked offset; `from` is above it where text is no longer kept. Offsets count bytes of the UTF-8 text. */
const OutputChunk = z.object({ from: count, next: count, text: text(2 * 1024 * 1024) });

export const Outcome = z.enum(['ok', 'failed', 'killed', 'timeout', 'cancelled', 'lost']);
export type Outcome = z.infer<typeof Outcome>;

const GitFailureReason = z.enum(['auth', 'not_found', 'network', 'timeout', 'refused', 'other']);
type GitFailureReason = z.infer<typeof GitFailureReason>;
const GitFailure = z.object({ reason: GitFailureReason, detail: text(4000) });
type GitFailure = z.infer<typeof GitFailure>;

/** What is in the work tree now. `unsaved_*`: commits of HEAD that are neither in `base` nor in what the remote had last. */
export const GitFacts = z.object({
  head: sha.nullable(),
  /** The branch that HEAD names, null when detached. */
  head_branch: gitRef.nullable(),
  stashes: count,
  unsaved_count: count,
  unsaved_commits: z.array(z.object({ sha, subject: text(300) })).max(10),
  uncommitted: z.object({ modified: count, untracked: count, files: z.array(text(4096)).max(100) }),
});
export type GitFacts = z.infer<typeof GitFacts>;

export const CloneResult = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    /** Start of the task branch: the base branch's commit (merge base when the task branch existed). */
    base: sha.nullable(),
    /** The remote's task branch when we cloned; null when it did not exist. */
    remote_sha: sha.nullable(),
    head: sha.nullable(),
  }),
  z.object({ ok: z.literal(false), failure: GitFailure }),
]);
export type CloneResult = z.infer<typeof CloneResult>;

const SaveStatus = z.enum([
  'saved',
  'nothing_to_save',
  'diverged',
  'head_elsewhere',
  'unsaved',
  'failed',
  'no_repository',
]);
type SaveStatus = z.infer<typeof SaveStatus>;

export const SaveResult = z.object({
  status: SaveStatus,
  /** The sha of ours that is on the remote's task branch; null when none is. */
  sha: sha.nullable(),
  /** What the remote answered for the task branch; null: absent, or not asked. */
  remote_sha: sha.nullable(),
  rescue_refs: z.array(z.object({ ref: gitRef, sha })).max(200),
  facts: GitFacts,
  failure: GitFailure.nullable(),
});
export type SaveResult = z.infer<typeof SaveResult>;

export const SnapshotResult = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('written'),
    bytes: count,
    sha256: text(64),
    head: sha.nullable(),
    facts: GitFacts,
  }),
  z.object({ status: z.literal('skipped'), reason: text(1000) }),
]);
export type SnapshotResult = z.infer<typeof SnapshotResult>;

export const RestoreResult = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), facts: GitFacts }),
  z.object({
    ok: z.literal(false),
    failure: GitFailure,
    /** The snapshot itself is at fault: another try would fail as well. */
    unusable: z.boolean().default(false),
  }),
]);
export type RestoreResult = z.infer<typeof RestoreResult>;

export const OperationView = z.object({
  id: OperationId,
  kind: z.enum(['script', 'clone', 'save', 'snapshot', 'restore']),
  state: z.enum(['running', 'ended']),
  started_at_ms: count,
  ended_at_ms: count.nullable(),
  /** null while it runs. */
  outcome: Outcome.nullable(),
  exit_code: z.number().int().nullable(),
  signal: text(20).nullable(),
  duration_ms: count.nullable(),
  /** A plain sentence where the outcome is not `ok`; the supervisor's own, not the script's. */
  detail: text(4000).nullable(),
  /** What is kept so far; with `?output=none` empty texts. */
  stdout: KeptOutput,
  stderr: KeptOutput,
  /** Only where offsets were asked for. */
  chunks: z.object({ stdout: OutputChunk, stderr: OutputChunk }).nullable(),
  /** Only of the kind that has one, once ended. */
  clone: CloneResult.nullable(),
  save: SaveResult.nullable(),
  snapshot: SnapshotResult.nullable(),
  restore: RestoreResult.nullable(),
});
export type OperationView = z.infer<typeof OperationView>;

/** `GET /operations/{id}`: waits until it ended, or until there is output past an offset, at most `wait_ms`. */
export const OperationQuery = z.object({
  wait_ms: z.coerce.number().int().min(0).max(MAX_WAIT_MS).default(0),
  stdout_offset: z.coerce.number().int().min(0).optional(),
  stderr_offset: z.coerce.number().int().min(0).optional(),
  output: z.enum(['kept', 'none']).default('kept'),
});

export const KillAnswer = z.object({ killed: count });

export const HealthAnswer = z.object({
  protocol: z.literal(PROTOCOL_VERSION),
  mode: z.enum(['host', 'sandbox']),
  /** Docker and bubblewrap are there to be asked for. */
  confinements: z.array(z.enum(['none', 'bubblewrap', 'docker'])),
});
export type HealthAnswer = z.infer<typeof HealthAnswer>;

/** Folders under the allowed roots: `creation_id` is null where nothing proves that the folder is ours. Host only. */
export const InventoryAnswer = z.object({
  workspaces: z
    .array(
      z.object({
        directory: text(4096),
        project: text(63).nullable(),
        key: text(128),
        creation_id: text(64).nullable(),
        claimed_at_ms: count.nullable(),
      }),
    )
    .max(10_000),
});
export type InventoryAnswer = z.infer<typeof InventoryAnswer>;

export const SupervisorErrorCode = z.enum([
  'bad_request',
  'unauthorized',
  'not_found',
  'no_incarnation',
  'other_incarnation',
  'foreign_directory',
  'key_conflict',
  'workspace_root_refused',
  'workspace_damaged',
  'directory_gone',
  'operation_not_found',
  'operation_conflict',
  'file_not_found',
  'file_changed',
  'path_refused',
  'too_large',
  'confinement_unavailable',
  'removal_failed',
  'internal',
]);
export type SupervisorErrorCode = z.infer<typeof SupervisorErrorCode>;

export const SupervisorError = z.object({ code: SupervisorErrorCode, detail: text(4000) });
export type SupervisorError = z.infer<typeof SupervisorError>;

/**
 * | method and path              | body → answer                                    | notes |
 * | GET  /healthz                | → HealthAnswer                                   | no token, no creation id |
 * | POST /open                   | OpenRequest → OpenAnswer                         | idempotent |
 * | POST /operations             | OperationSpec → OperationView                    | idempotent by id |
 * | GET  /operations/{id}        | OperationQuery → OperationView                   | long poll |
 * | POST /operations/{id}/cancel | → OperationView                                  | returns once the processes are gone; ended already: unchanged; unknown: `operation_not_found`, and a start that comes later ends as cancelled |
 * | POST /leftovers/kill         | → KillAnswer                                     | operations of role `agent` end; then everything of this workspace that is not an operation still running |
 * | GET  /facts?base&last_saved  | → GitFacts                                       | runs nothing that the repository configures |
 * | GET  /snapshots/{id}         | → bytes; PUT with bytes → 204                    | streams |
 * | DELETE /snapshots/{id}       | → 204                                            | |
 * | GET  /files?path             | folder: FileList; file: bytes with ETag          | |
 * | PUT  /files?path             | bytes, If-Match → 204 with ETag                  | |
 * | GET  /terminal?cols&rows     | a WebSocket; CONFINEMENT_HEADER                  | host only: the image has the SDK's terminals |
 * | POST /destroy                | → 204                                            | host only: files, claim and operations' records; idempotent |
 * | GET  /inventory              | → InventoryAnswer                                | host only, no creation id |
 * All but `/healthz`, `/open` and `/inventory` carry CREATION_HEADER and DIRECTORY_HEADER.
 */
export const FileList = z.object({
  entries: z
    .array(
      z.object({
        name: text(1024),
        kind: z.enum(['file', 'folder', 'link', 'other']),
        size: count,
        modified_at_ms: z.number(),
      }),
    )
    .max(10_000),
});
export type FileList = z.infer<typeof FileList>;

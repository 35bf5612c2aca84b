/** The wire model of API version 1: requests and answers, as `api.md` shows them. The one source of types, validation and OpenAPI. */
import * as z from 'zod';
import { findBranchFault } from './repository-url.ts';

export const ProjectId = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'must be 1 to 63 small letters, digits and dashes, without a dash at either end',
  );
/** @public Named in the OpenAPI document. */
export const LocationName = z.enum(['cloudflare', 'docker', 'host']);

const instant = z.iso.datetime();
const count = z.number().int().nonnegative();

/** For what becomes an argument, a path or an id: no process can be given a NUL. */
const carryable = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !text.includes('\0'), { error: 'holds a NUL, which no process can be given' });

const branchName = z.string().superRefine((name, context) => {
  const fault = findBranchFault(name);
  if (fault !== null)
    context.addIssue({ code: 'custom', message: `${JSON.stringify(name.slice(0, 100))} ${fault}` });
});

export const PutProject = z.strictObject({
  repository: z
    .strictObject({
      url: carryable(2048),
      base_branch: branchName.optional(),
      depth: z.number().int().min(1).max(1_000_000).optional(),
    })
    .optional(),
  location: LocationName.optional(),
  isolation: z.literal('bubblewrap').optional(),
  workflow: z.string().optional(),
});
export type PutProject = z.infer<typeof PutProject>;

export const DiagnosticView = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  message: z.string(),
  path: z.string().optional(),
  line: count.optional(),
  column: count.optional(),
});

export const ProjectView = z.object({
  id: ProjectId,
  repository: z
    .object({ url: z.string(), base_branch: z.string().nullable(), depth: count.nullable() })
    .nullable(),
  location: LocationName,
  isolation: z.literal('bubblewrap').nullable(),
  workflow: z.string().nullable().describe('The WORKFLOW.md in force.'),
  workflow_error: z
    .object({
      at: instant,
      code: z.string(),
      detail: z.string(),
      text: z.string(),
      diagnostics: z.array(DiagnosticView),
    })
    .nullable()
    .describe('The last upload, when it was refused; the text before it stays in force.'),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  credential: z.enum(['set', 'none']),
  created_at: instant,
  updated_at: instant,
});
export type ProjectView = z.infer<typeof ProjectView>;

export const ProjectPage = z.object({
  projects: z.array(ProjectView),
  next_cursor: z.string().nullable(),
});

/** For the repository's host; sent as HTTP basic authentication by the git gateway. */
export const Credential = z.strictObject({
  kind: z.literal('token'),
  username: z
    .string()
    .min(1)
    .max(256)
    .regex(/^[!-9;-~]+$/)
    .optional(),
  token: z
    .string()
    .min(1)
    .max(8192)
    .regex(/^[!-~]+$/),
});
export type Credential = z.infer<typeof Credential>;

const EnvironmentValue = z.string().max(128 * 1024);
/** `secret`: masked although its name does not say TOKEN, SECRET, KEY or PASSWORD. */
export const PatchEnvironment = z.record(
  z.string(),
  z.union([EnvironmentValue, z.null(), z.strictObject({ value: EnvironmentValue, secret: z.boolean() })]),
);
export type PatchEnvironment = z.infer<typeof PatchEnvironment>;
export const EnvironmentView = z.object({
  names: z.array(
    z.object({
      name: z.string(),
      withheld_from_hooks: z.boolean().describe('Agents get it, hooks never do.'),
      /** Masked in outputs, logs, events and errors. */
      secret: z.boolean(),
      /** Secret, but shorter than what can be masked without hiding ordinary text. */
      too_short_to_mask: z.boolean(),
      updated_at: instant,
    }),
  ),
});
export type EnvironmentView = z.infer<typeof EnvironmentView>;

export const Dispatch = z.strictObject({
  task: z.strictObject({
    identifier: z.string().min(1),
    id: carryable(1024).optional(),
    title: z
      .string()
      .max(512 * 1024)
      .optional(),
    state: z.string().max(256).optional(),
  }),
  agent: z
    .union([
      z.literal('external'),
      z.strictObject({
        command: carryable(64 * 1024),
      }),
    ])
    .optional(),
});
export type Dispatch = z.infer<typeof Dispatch>;

export const TaskState = z.strictObject({ state: z.string().max(256) });
export const FinishAttempt = z.strictObject({
  outcome: z.enum(['succeeded', 'failed']),
  detail: z.string().max(4096).optional(),
});
export const Exec = z.strictObject({
  command: carryable(1024 * 1024),
  timeout_ms: z.number().int().min(1).max(3_600_000).optional(),
});

export const WorkspaceStatus = z.enum([
  'creating',
  'ready',
  'running',
  'kept',
  'damaged',
  'removing',
  'removed',
  'failed',
]);
export type WorkspaceStatus = z.infer<typeof WorkspaceStatus>;

export const WorkspacePhase = z.enum([
  'cloning',
  'restoring',
  'after_create',
  'before_run',
  'agent',
  'agent_wait',
  'after_run',
  'saving',
  'before_remove',
  'destroying',
]);
export type WorkspacePhase = z.infer<typeof WorkspacePhase>;

export const SavedStatusName = z.enum([
  'saved',
  'nothing_to_save',
  'diverged',
  'head_elsewhere',
  'unsaved',
  'failed',
  'no_repository',
  'unknown',
]);

/** @public Named in the OpenAPI document. */
export const AttemptOutcomeName = z.enum(['succeeded', 'failed', 'timed_out', 'cancelled', 'lost']);
const RunOutcomeName = z.enum(['ok', 'failed', 'killed', 'timeout', 'cancelled', 'lost', 'skipped']);
/** @public Named in the OpenAPI document. */
export const FailureView = z.object({ code: z.string(), detail: z.string() });

export const WorkspaceView = z.object({
  project: ProjectId,
  key: z.string(),
  path: z.string().nullable().describe('Its folder, where its processes run.'),
  branch: z.string(),
  location: LocationName,
  task: z.object({ id: z.string(), identifier: z.string(), title: z.string(), state: z.string() }),
  status: WorkspaceStatus.describe('`failed`: creation failed and no retry is due.'),
  phase: WorkspacePhase.nullable().describe('What it is doing; null when it is idle.'),
  in_use: z.boolean().describe('An attempt is open.'),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  saved: z.object({
    status: SavedStatusName,
    sha: z.string().nullable().describe('Commit saved last.'),
    at: instant.nullable(),
    reason: z.string().nullable(),
    since: instant.nullable(),
    tries: count,
    next_try_at: instant.nullable(),
    rescue_refs: z
      .array(z.object({ ref: z.string(), sha: z.string() }))
      .describe('Branches that hold what could not go to the task branch.'),
    remote_sha: z.string().nullable().describe('Where the branch is on the remote.'),
  }),
  head: z.string().nullable().describe('Commit that is checked out.'),
  base: z.string().nullable().describe('Commit that the task branch started from.'),
  unsaved_commits: z
    .array(z.object({ sha: z.string(), subject: z.string() }))
    .describe('Not on the remote; at most 10.'),
  uncommitted: z.object({
    modified: count,
    untracked: count,
    files: z.array(z.string()).describe('At most 100.'),
    checked_at: instant.nullable().describe('Facts about files are as old as this.'),
  }),
  snapshot: z
    .object({
      state: z
        .enum(['written', 'skipped', 'unavailable'])
        .describe('`unavailable`: this deployment keeps no snapshots; only the saved branch survives.'),
      at: instant.nullable(),
      reason: z.string().nullable().describe('Why there is none.'),
    })
    .nullable()
    .describe('The last snapshot of unsaved work; null: none was needed.'),
  last_loss: z.string().nullable().describe('What the last restore could not bring back.'),
  attempt_count: count,
  last_attempt: z.object({ number: count, outcome: AttemptOutcomeName.nullable() }).nullable(),
  /** Of the last attempt: the hook or agent that ended last. */
  last_run: z.object({ hook: z.string(), outcome: RunOutcomeName }).nullable(),
  next_retry_at: instant.nullable(),
  kept: z
    .object({ reason: z.string(), since: instant, tries: count, next_try_at: instant })
    .nullable()
    .describe('Why its removal is put off: the branch could not be saved.'),
  error: FailureView.nullable(),
  created_at: instant,
  updated_at: instant,
  removed_at: instant.nullable(),
});
export type WorkspaceView = z.infer<typeof WorkspaceView>;

/** @public Named in the OpenAPI document. */
export const OutputView = z.object({ text: z.string(), total_bytes: count, truncated: z.boolean() });
const runView = {
  outcome: RunOutcomeName,
  exit_code: z.number().int().nullable(),
  duration_ms: count,
  detail: z.string().nullable(),
};
const runOutput = { stdout: OutputView.optional(), stderr: OutputView.optional() };

export const AttemptView = z.object({
  number: count.describe('Counts the attempts of the workspace.'),
  try: count.describe('Counts the tries since the dispatch.'),
  outcome: AttemptOutcomeName.nullable(),
  phase: WorkspacePhase.nullable(),
  started_at: instant,
  ended_at: instant.nullable(),
  failure: FailureView.nullable(),
  hooks: z.array(
    z.object({
      hook: z.enum(['after_create', 'before_run', 'after_run', 'before_remove']),
      ...runView,
      ...runOutput,
    }),
  ),
  agent: z.object({ ...runView, ...runOutput }).nullable(),
  save: z.object({ status: SavedStatusName, sha: z.string().nullable() }).nullable(),
});
export type AttemptView = z.infer<typeof AttemptView>;

export const WorkspaceDetail = WorkspaceView.extend({ attempts: z.array(AttemptView) });
export type WorkspaceDetail = z.infer<typeof WorkspaceDetail>;
export const WorkspacePage = z.object({
  workspaces: z.array(WorkspaceView),
  next_cursor: z.string().nullable(),
});
export type WorkspacePage = z.infer<typeof WorkspacePage>;
export const AttemptPage = z.object({ attempts: z.array(AttemptView), next_cursor: z.string().nullable() });
export type AttemptPage = z.infer<typeof AttemptPage>;

export const Dispatched = z.object({ workspace: WorkspaceView, attempt: AttemptView.nullable() });
export type Dispatched = z.infer<typeof Dispatched>;
export const TaskStateAnswer = z.object({
  workspace: WorkspaceView,
  effect: z.enum(['none', 'removal_started', 'cancelling']),
});
export type TaskStateAnswer = z.infer<typeof TaskStateAnswer>;

export const SweepReport = z.object({
  looked_at: count,
  removed: count,
  kept: z.array(z.object({ project: z.string(), key: z.string(), reason: z.string() })),
  /** Folders on the sandbox host that no workspace goes by. */
  orphans: z.array(
    z.object({
      /** null: nothing says whose it is. */
      project: z.string().nullable(),
      key: z.string(),
      directory: z.string(),
      removed: z.boolean(),
      reason: z.string(),
    }),
  ),
  duration_ms: count,
});
export type SweepReport = z.infer<typeof SweepReport>;

/** A line of `exec`'s answer; the last one has the outcome. */
export const ExecLine = z.union([
  z.object({ stream: z.enum(['stdout', 'stderr']), data: z.string() }),
  z.object({
    outcome: z.enum(['ok', 'failed', 'killed', 'timeout', 'cancelled', 'lost']),
    exit_code: z.number().int().nullable(),
    duration_ms: count,
  }),
]);
export type ExecLine = z.infer<typeof ExecLine>;

/** `read` < `dispatch` < `admin`: each may do what stands left of it. */
export const TokenScope = z.enum(['read', 'dispatch', 'admin']);
export type TokenScope = z.infer<typeof TokenScope>;

export const NewApiToken = z.strictObject({
  name: z.string().min(1).max(100),
  scope: TokenScope,
  /** Limits the token to one project; others answer 404. */
  project: ProjectId.optional(),
});
export type NewApiToken = z.infer<typeof NewApiToken>;

export const ApiTokenView = z.object({
  id: z.string(),
  name: z.string(),
  scope: TokenScope,
  project: ProjectId.nullable(),
  created_at: instant,
});
export type ApiTokenView = z.infer<typeof ApiTokenView>;
/** `token` is shown this once: only its hash is kept. */
export const CreatedApiToken = ApiTokenView.extend({ token: z.string() });
export const ApiTokenList = z.object({ tokens: z.array(ApiTokenView) });

export const AuditEntry = z.object({
  seq: count,
  at: instant,
  actor: z.string(),
  /** The route, such as `POST /v1/projects/{project}/dispatch`. */
  action: z.string(),
  project: z.string().nullable(),
  /** Workspace, task or token, with what was asked for (`discard=true`). */
  target: z.string().nullable(),
  status: count,
});
export type AuditEntry = z.infer<typeof AuditEntry>;
export const AuditPage = z.object({ entries: z.array(AuditEntry), next_cursor: z.string().nullable() });
export type AuditPage = z.infer<typeof AuditPage>;

/** Every failure's body: `application/problem+json`. @public */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: count,
  code: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  diagnostics: z.array(DiagnosticView).optional(),
});
export type Problem = z.infer<typeof Problem>;

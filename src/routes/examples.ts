/** One small story, told by every example of OpenAPI and the docs: project `demo`, task `ABC-1`. A test parses each by its schema. */
import type { AttemptView, ProjectView, WorkspaceView } from '../core/api.ts';

const SHA = '8a7d3a1c0f1e4b6f9d2c5e8b7a6f4d3c2b1a0f9e';
const BASE = '1f0e9d8c7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f2e';
const EMPTY = { text: '', total_bytes: 0, truncated: false };

export const workflowExample = `---
hooks:
  after_create: npm ci
  before_run: git fetch origin
agent:
  command: claude -p "$(cat WORKFLOW.md)"
---
Work on the task until its tests pass.
`;

export const putProjectExample = {
  repository: { url: 'https://git.example.com/team/shop.git', base_branch: 'main' },
  location: 'cloudflare',
};

export const projectExample: ProjectView = {
  id: 'demo',
  repository: { url: 'https://git.example.com/team/shop.git', base_branch: 'main', depth: null },
  location: 'cloudflare',
  isolation: null,
  workflow: workflowExample,
  workflow_error: null,
  warnings: [],
  credential: 'none',
  created_at: '2026-11-30T09:00:00.000Z',
  updated_at: '2026-11-30T09:00:00.000Z',
};

export const patchEnvironmentExample = { NPM_CONFIG_REGISTRY: 'https://npm.example.com', OLD_NAME: null };

export const environmentExample = {
  names: [
    {
      name: 'ANTHROPIC_API_KEY',
      withheld_from_hooks: true,
      secret: true,
      too_short_to_mask: false,
      updated_at: '2026-11-30T09:00:00.000Z',
    },
    {
      name: 'NPM_CONFIG_REGISTRY',
      withheld_from_hooks: false,
      secret: false,
      too_short_to_mask: false,
      updated_at: '2026-11-30T09:00:00.000Z',
    },
  ],
};

export const dispatchExample = {
  task: { identifier: 'ABC-1', id: '10001', title: 'Fix the login page', state: 'In Progress' },
};

export const workspaceExample: WorkspaceView = {
  project: 'demo',
  key: 'ABC-1',
  path: '/workspace',
  branch: 'symphony/ABC-1',
  location: 'cloudflare',
  task: { id: '10001', identifier: 'ABC-1', title: 'Fix the login page', state: 'In Progress' },
  status: 'running',
  phase: 'agent',
  in_use: true,
  warnings: [],
  saved: {
    status: 'unsaved',
    sha: SHA,
    at: '2026-11-30T09:05:00.000Z',
    reason: null,
    since: '2026-11-30T09:09:00.000Z',
    tries: 0,
    next_try_at: null,
    rescue_refs: [],
    remote_sha: SHA,
  },
  head: BASE,
  base: BASE,
  unsaved_commits: [{ sha: SHA, subject: 'Check the password on the server' }],
  uncommitted: { modified: 0, untracked: 1, files: ['notes.txt'], checked_at: '2026-11-30T09:09:00.000Z' },
  snapshot: null,
  last_loss: null,
  attempt_count: 1,
  last_attempt: { number: 1, outcome: null },
  last_run: { hook: 'before_run', outcome: 'ok' },
  next_retry_at: null,
  kept: null,
  error: null,
  created_at: '2026-11-30T09:01:00.000Z',
  updated_at: '2026-11-30T09:09:00.000Z',
  removed_at: null,
};

export const attemptExample: AttemptView = {
  number: 1,
  try: 1,
  outcome: null,
  phase: 'agent',
  started_at: '2026-11-30T09:01:00.000Z',
  ended_at: null,
  failure: null,
  hooks: [
    {
      hook: 'before_run',
      outcome: 'ok',
      exit_code: 0,
      duration_ms: 812,
      detail: null,
      stdout: { text: 'Already up to date.\n', total_bytes: 20, truncated: false },
      stderr: EMPTY,
    },
  ],
  agent: null,
  save: null,
};

export const logExample = '== before_run: ok, exit 0, 812 ms\nAlready up to date.\n';

export const execExample =
  '{"stream":"stdout","data":"?? notes.txt\\n"}\n{"outcome":"ok","exit_code":0,"duration_ms":41}\n';

export const sweepExample = {
  looked_at: 3,
  removed: 1,
  kept: [{ project: 'demo', key: 'ABC-2', reason: 'the remote refused the push' }],
  orphans: [],
  duration_ms: 2140,
};

export const hookExample = {
  id: 'guard-bash',
  document: {
    mode: 'best_effort',
    events: {
      pre_tool_use: [{ type: 'command', command: 'node scripts/guard.js', matcher: 'Bash', timeoutSec: 15 }],
    },
  },
};

export const tokenExample = {
  id: '0e3c9c5e-5a41-4e0c-9a53-2f0a6f1c7d11',
  name: 'ci',
  scope: 'dispatch',
  project: 'demo',
  created_at: '2026-11-30T09:00:00.000Z',
} as const;

export const auditExample = {
  seq: 7,
  at: '2026-11-30T09:00:00.000Z',
  actor: 'token 0e3c9c5e-5a41-4e0c-9a53-2f0a6f1c7d11 (ci)',
  action: 'POST /v1/projects/{project}/dispatch',
  project: 'demo',
  target: null,
  status: 202,
};

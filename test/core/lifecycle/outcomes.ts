/** Answers of the world: the good one of each effect, and short names for the bad ones. */
import type { Command } from '../../../src/core/lifecycle/effect.ts';
import type { Absence, Outcome, SaveReport } from '../../../src/core/lifecycle/event.ts';
import type { Hook, Plan, Run } from '../../../src/core/lifecycle/state.ts';

export const NO_HOOKS: Record<Hook, boolean> = {
  after_create: false,
  before_run: false,
  after_run: false,
  before_remove: false,
};

export const scriptEnded = (
  outcome: Exclude<Run['outcome'], 'skipped'>,
  exitCode: number | null = null,
): Outcome => ({
  type: 'script-ended',
  outcome,
  exitCode: outcome === 'ok' ? 0 : exitCode,
  durationMs: 5,
  detail: null,
});
export const FAILED = scriptEnded('failed', 3);
export const TIMEOUT = scriptEnded('timeout');
export const LOST = scriptEnded('lost');

export const absent = (kind: Absence['kind'], detail = `the sandbox is ${kind}`): Outcome => ({
  type: 'absent',
  absence: { kind, detail },
});
export const GONE = absent('gone');
export const UNREACHABLE = absent('unreachable');
export const REFUSED = absent('refused');
export const DAMAGED = absent('damaged', '.git is gone');

export const CLONE_FAILED: Outcome = {
  type: 'clone-failed',
  detail: 'network: no route to host',
  cancelled: false,
};
export const PLAN_REFUSED: Outcome = { type: 'plan-refused', detail: 'WORKFLOW.md is invalid' };
export const DESTROY_FAILED: Outcome = { type: 'destroy-failed', detail: 'the sandbox does not stop' };
export const TASK_OPEN: Outcome = { type: 'task-open' };
export const FOLDER_GONE: Outcome = openedAs('absent');

const SHA = 'a'.repeat(40);

const REPORT: SaveReport = {
  status: 'saved',
  sha: SHA,
  rescueRefs: [],
  remoteSha: SHA,
  head: SHA,
  stashes: 0,
  unsavedCount: 0,
  unsavedCommits: [],
  uncommitted: { modified: 0, untracked: 0, files: [] },
  reason: null,
};

export const saved = (
  status: SaveReport['status'] = 'saved',
  more: Partial<SaveReport> = {},
): Extract<Outcome, { type: 'saved' }> => ({
  type: 'saved',
  report: { ...REPORT, status, sha: status === 'saved' ? SHA : null, ...more },
});
export const SAVE_FAILED = saved('failed', {
  reason: 'network: no route to host',
  unsavedCount: 1,
  unsavedCommits: [{ sha: SHA, subject: 'Work' }],
});
/** The branch is safe, but a person's file is only here. */
export const SAVED_BUT_DIRTY = saved('saved', {
  uncommitted: { modified: 0, untracked: 1, files: ['notes.txt'] },
});

export const looked = (found: 'present' | 'gone', hooks: Record<Hook, boolean>): Outcome => ({
  type: 'looked',
  found,
  hooks,
});

export const snapshotted = (id: string, atMs: number): Outcome => ({
  type: 'snapshotted',
  snapshot: { id, atMs, head: SHA, complete: true, skipped: null },
});
export const snapshotSkipped = (atMs: number): Outcome => ({
  type: 'snapshotted',
  snapshot: { id: '', atMs, head: SHA, complete: false, skipped: 'the bundle is too large' },
});

export const cloned = (
  from: 'remote' | 'snapshot' | 'nothing',
  remoteSha: string | null = null,
): Outcome => ({
  type: 'cloned',
  base: SHA,
  remoteSha,
  head: from === 'nothing' ? null : SHA,
  from,
});

function openedAs(files: 'absent' | 'whole', plan?: Plan): Outcome {
  const hooks = NO_HOOKS;
  const some: Plan = {
    hooks,
    agent: 'command',
    agentTimeoutMs: 1,
    maxAttempts: 5,
    maxRetryBackoffMs: 1,
    snapshots: false,
  };
  return { type: 'opened', plan: plan ?? some, files, directory: '/workspaces/ABC-1', workflowDir: null };
}

/** How this effect ends when nothing goes wrong. */
export function answerWell(command: Command, plan: Plan, atMs: number): Outcome {
  switch (command.type) {
    case 'open':
      return openedAs(command.claim ? 'absent' : 'whole', plan);
    case 'clone':
      return cloned(command.snapshot === null ? 'remote' : 'snapshot');
    case 'run-hook':
    case 'run-agent':
      return scriptEnded('ok');
    case 'kill-leftovers':
      return { type: 'leftovers-killed' };
    case 'save':
      return saved();
    case 'snapshot':
      return snapshotted(command.operation, atMs);
    case 'look':
      return looked('present', plan.hooks);
    case 'destroy':
      return { type: 'destroyed' };
    case 'cancel-operation':
    case 'touch':
      throw new Error(`${command.type} has no result`);
  }
}

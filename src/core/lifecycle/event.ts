/** Facts that `step` takes in, in the past tense. Results name the effect they answer: a late one matches nothing and changes nothing. */
import type { Failure } from '../failure.ts';
import type { Hook, Identity, Plan, Run, Saved, SavedStatus, Snapshot, Task } from './state.ts';

/** What a sandbox call found instead of our files. */
export type Absence =
  | { kind: 'gone'; detail: string }
  | { kind: 'damaged'; detail: string }
  | { kind: 'refused'; detail: string }
  | { kind: 'unreachable'; detail: string };

export type Request =
  | {
      type: 'dispatched';
      /** Used where this dispatch creates the workspace. */
      identity: Identity;
      task: Pick<Task, 'identifier'> & { id: string | null; title: string | null; state: string | null };
      terminal: boolean;
      agent: { command: string } | 'external' | null;
    }
  | { type: 'task-state-changed'; state: string; terminal: boolean }
  | { type: 'cancel-requested'; attempt: number }
  | { type: 'finish-requested'; attempt: number; outcome: 'succeeded' | 'failed'; detail: string | null }
  | { type: 'delete-requested'; cancel: boolean; discard: boolean }
  | { type: 'save-requested' }
  | { type: 'wake-requested' }
  /** By a person, in a file or a terminal, outside of any attempt. */
  | { type: 'files-changed' }
  /** `force`: a person asked, the backoff of a kept workspace does not count. */
  | { type: 'swept'; terminal: boolean; force: boolean };

type ScriptEnd = Pick<Run, 'exitCode' | 'durationMs' | 'detail'> & {
  outcome: Exclude<Run['outcome'], 'skipped'>;
};

export type SaveReport = Pick<
  Saved,
  | 'sha'
  | 'rescueRefs'
  | 'remoteSha'
  | 'head'
  | 'stashes'
  | 'unsavedCount'
  | 'unsavedCommits'
  | 'uncommitted'
  | 'reason'
> & { status: Exclude<SavedStatus, 'unknown'> };

export type Outcome =
  | {
      type: 'opened';
      plan: Plan;
      files: 'absent' | 'whole';
      directory: string;
      workflowDir: string | null;
    }
  | { type: 'plan-refused'; detail: string }
  /** `plan`: in force where the sandbox should have been opened. */
  | { type: 'absent'; absence: Absence; plan?: Plan }
  | {
      type: 'cloned';
      base: string | null;
      remoteSha: string | null;
      head: string | null;
      from: 'remote' | 'snapshot' | 'nothing';
    }
  | { type: 'clone-failed'; detail: string; cancelled: boolean }
  | ({ type: 'script-ended' } & ScriptEnd)
  | { type: 'leftovers-killed' }
  | { type: 'saved'; report: SaveReport }
  | { type: 'snapshotted'; snapshot: Snapshot }
  | { type: 'looked'; found: 'present' | 'gone'; hooks: Record<Hook, boolean> }
  /** Instead of a look: by the WORKFLOW.md in force the task's state is not terminal. */
  | { type: 'task-open' }
  | { type: 'destroyed' }
  | { type: 'destroy-failed'; detail: string };

export type Event = (
  | Request
  | { type: 'timer-fired' }
  | { type: 'effect-ended'; effect: string; outcome: Outcome }
) & {
  atMs: number;
  /** A fresh random id, used where a new incarnation begins. */
  newId: string;
};

/** What goes into the workspace's event log beside the state. */
export interface Note {
  event: 'workspace' | 'attempt' | 'hook' | 'save' | 'removal' | 'ignored';
  data: Record<string, unknown>;
}

export interface Step<S, E> {
  state: S;
  effects: E[];
  notes: Note[];
  /** The request was turned down; then nothing has changed. */
  refused: Failure | null;
}

/**
 * Taking a workspace away: look → (rebuild where that is needed) → save → before_remove → destroy → removed.
 * It ends as `removed`, or as `kept` with the reason and the next try.
 */
import { removalRetryDelayMs } from '../backoff.ts';
import { awaitCommand, note, operationId, type Draft } from './draft.ts';
import type { Absence, Outcome } from './event.ts';
import { awaitClaim, forgetIncarnations } from './files.ts';
import { recordRestored } from './restored.ts';
import { beginSaving, hasWorkToSave, isRemovable, recordSave, usableSnapshot } from './saving.ts';
import type { Removal, State } from './state.ts';

export function beginRemoval(draft: Draft): void {
  const { state } = draft;
  const removal: Removal = {
    name: 'removal',
    phase: 'looking',
    awaiting: null,
    operation: null,
    beforeRemove: state.attempt?.plan?.hooks.before_remove === true,
    saveSettled: state.removalWish?.discard === true,
    rebuilt: false,
  };
  state.stage = removal;
  state.retry = null;
  note(draft, 'removal', { started: state.removalWish?.by ?? 'terminal' });
  // Without files there is nothing to look at; destroying is idempotent and ends a half-made sandbox, too.
  if (state.files === 'none' && state.damaged === null) return beginDestroying(draft, removal);
  awaitCommand(draft, removal, { type: 'look' });
}

/** A result of the effect that the removal waits for. false: this phase has no row for it. */
export function onRemovalOutcome(draft: Draft, removal: Removal, outcome: Outcome): boolean {
  switch (outcome.type) {
    case 'looked':
      onLooked(draft, removal, outcome);
      return true;
    case 'task-open':
      onTaskOpen(draft, removal);
      return true;
    case 'opened':
      onReclaimed(draft, removal);
      return true;
    case 'cloned':
      onRebuilt(draft, removal, outcome);
      return true;
    case 'clone-failed':
      onRebuildFailed(draft, removal, outcome.detail);
      return true;
    case 'saved':
      recordSave(draft, outcome.report);
      removal.saveSettled ||= isRemovable(draft.state.saved);
      afterSave(draft, removal);
      return true;
    case 'script-ended':
      note(draft, 'hook', {
        hook: 'before_remove',
        outcome: outcome.outcome,
        exit_code: outcome.exitCode,
        duration_ms: outcome.durationMs,
      });
      beginDestroying(draft, removal);
      return true;
    case 'destroyed':
      becomeRemoved(draft);
      return true;
    case 'destroy-failed':
      onDestroyFailed(draft, outcome.detail);
      return true;
    case 'absent':
      onAbsent(draft, removal, outcome.absence);
      return true;
    case 'plan-refused':
      onRebuildFailed(draft, removal, outcome.detail);
      return true;
    case 'leftovers-killed':
    case 'snapshotted':
      return false;
  }
}

function onLooked(draft: Draft, removal: Removal, looked: Extract<Outcome, { type: 'looked' }>): void {
  removal.beforeRemove = looked.hooks.before_remove;
  // What a failed restore left in the sandbox is not the work.
  if (looked.found === 'gone' || draft.state.files === 'lost') return onFilesGone(draft, removal);
  if (removal.saveSettled) return beginBeforeRemove(draft, removal);
  beginSaving(draft, removal);
}

/** Nobody but the task's state asked for the removal. */
export const isForStateAlone = ({ removalWish }: State): boolean => removalWish?.by === 'terminal';

/** The terminal states have changed: as re-opened, before anything was touched. */
function onTaskOpen(draft: Draft, removal: Removal): void {
  const { state } = draft;
  // A person asked for it meanwhile.
  if (!isForStateAlone(state)) return awaitCommand(draft, removal, { type: 'look' });
  state.stage = { name: 'idle' };
  state.task.terminal = false;
  state.removalWish = null;
  state.kept = null;
  note(draft, 'removal', { called_off: "the task's state is not terminal any more" });
}

/** What was saved is not saved again; the sandbox is rebuilt only for before_remove, or for work that is in a snapshot alone. */
function onFilesGone(draft: Draft, removal: Removal): void {
  const { state } = draft;
  state.damaged = null;
  if (state.files === 'present') state.files = 'lost';
  removal.saveSettled ||= !hasWorkToSave(state);
  if (state.files === 'none') return beginDestroying(draft, removal);
  if (removal.saveSettled && !removal.beforeRemove) return beginDestroying(draft, removal);
  if (removal.rebuilt) return onRebuildFailed(draft, removal, 'it went away again');
  removal.phase = 'claiming';
  awaitClaim(draft, removal);
}

function onReclaimed(draft: Draft, removal: Removal): void {
  const { state } = draft;
  removal.phase = 'restoring';
  state.formerIds = [];
  const snapshot = usableSnapshot(state);
  awaitCommand(draft, removal, { type: 'clone', operation: operationId(state, 'restore'), snapshot });
}

/** The files stay `lost`: after_create did not run for them, so nothing but this removal may use them. */
function onRebuilt(draft: Draft, removal: Removal, cloned: Extract<Outcome, { type: 'cloned' }>): void {
  removal.rebuilt = true;
  // Unsaved work is in the snapshot alone: a clone of the branch must not pass for it.
  if (!removal.saveSettled && cloned.from !== 'snapshot')
    return onRebuildFailed(draft, removal, 'its snapshot could not be restored');
  recordRestored(draft, cloned);
  if (removal.saveSettled) return beginBeforeRemove(draft, removal);
  beginSaving(draft, removal);
}

/** before_remove must not hold up the removal of work that is safe; work that is not safe waits for a better time. */
function onRebuildFailed(draft: Draft, removal: Removal, detail: string): void {
  note(draft, 'removal', { rebuild_failed: detail });
  if (removal.saveSettled) return beginDestroying(draft, removal);
  keep(draft, `the sandbox is gone and could not be rebuilt to save its work: ${detail}`);
}

function afterSave(draft: Draft, removal: Removal): void {
  const { saved } = draft.state;
  if (!removal.saveSettled) return keep(draft, describeUnsaved(saved.status, saved.reason, saved.stashes));
  if (saved.status === 'diverged' || saved.status === 'head_elsewhere')
    note(draft, 'removal', { warning: 'the work is on rescue refs only', rescue_refs: saved.rescueRefs });
  beginBeforeRemove(draft, removal);
}

function describeUnsaved(status: string, reason: string | null, stashes: number): string {
  if (status === 'no_repository')
    return 'the project has no repository and the workspace has commits: delete it with discard=true';
  if (stashes > 0)
    return `${stashes} stash(es) would be lost: apply or drop them, or delete with discard=true`;
  return `the branch could not be saved: ${reason ?? status}`;
}

function beginBeforeRemove(draft: Draft, removal: Removal): void {
  if (!removal.beforeRemove || draft.state.damaged !== null) return beginDestroying(draft, removal);
  removal.phase = 'before_remove';
  awaitCommand(draft, removal, {
    type: 'run-hook',
    hook: 'before_remove',
    operation: operationId(draft.state, 'before_remove'),
    keepLeftovers: false,
    outcome: null,
  });
}

/** From here on there are no files to go back to: a later try goes on right here, a re-opened task starts from its branch. */
function beginDestroying(draft: Draft, removal: Removal): void {
  draft.state.files = 'none';
  draft.state.damaged = null;
  removal.phase = 'destroying';
  awaitCommand(draft, removal, { type: 'destroy', forget: true });
}

function onAbsent(draft: Draft, removal: Removal, absence: Absence): void {
  switch (removal.phase) {
    case 'looking':
    case 'saving':
      return onAbsentBeforeSaved(draft, removal, absence);
    case 'claiming':
    case 'restoring':
      return onRebuildFailed(draft, removal, absence.detail);
    case 'before_remove':
      note(draft, 'hook', { hook: 'before_remove', outcome: 'lost', detail: absence.detail });
      return beginDestroying(draft, removal);
    case 'destroying':
      return absence.kind === 'gone' ? becomeRemoved(draft) : onDestroyFailed(draft, absence.detail);
  }
}

function onAbsentBeforeSaved(draft: Draft, removal: Removal, absence: Absence): void {
  const { state } = draft;
  // Damage where our files are known not to be is somebody else's: there is nothing of ours in it.
  const isGone = absence.kind === 'gone' || (absence.kind === 'damaged' && state.files === 'lost');
  if (isGone) return onFilesGone(draft, removal);
  if (absence.kind === 'damaged') state.damaged = absence.detail;
  if (removal.saveSettled) return beginDestroying(draft, removal);
  keep(draft, absence.kind === 'damaged' ? `the workspace is damaged: ${absence.detail}` : absence.detail);
}

const onDestroyFailed = (draft: Draft, detail: string) =>
  keep(draft, `the files could not be removed: ${detail}`);

/** A kept workspace is tried again when its backoff is over. */
export const isRemovalDue = ({ kept }: State, atMs: number): boolean =>
  kept === null || kept.nextTryAtMs <= atMs;

function keep(draft: Draft, reason: string): void {
  const { state } = draft;
  const tries = (state.kept?.tries ?? 0) + 1;
  state.stage = { name: 'idle' };
  state.kept = {
    reason,
    sinceMs: state.kept?.sinceMs ?? draft.atMs,
    tries,
    nextTryAtMs: draft.atMs + removalRetryDelayMs(tries),
  };
  note(draft, 'removal', { kept: reason, next_try_at_ms: state.kept.nextTryAtMs });
}

function becomeRemoved(draft: Draft): void {
  const { state } = draft;
  state.stage = { name: 'removed', atMs: draft.atMs };
  forgetIncarnations(draft);
  state.kept = null;
  state.snapshot = null;
  note(draft, 'removal', { removed: true });
}

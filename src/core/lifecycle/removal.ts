/**
 * Taking a workspace away: look → (rebuild where that is needed) → save → before_remove → destroy → removed.
 * It ends as `removed`, or as `kept` with the reason and the next try.
 */
import { removalRetryDelayMs } from '../backoff.ts';
import { await_, note, operationId, type Draft } from './draft.ts';
import type { Absence, Outcome } from './event.ts';
import { beginSaving, isRemovable, recordSave } from './saving.ts';
import type { Removal } from './state.ts';

export function beginRemoval(draft: Draft): void {
  const { state } = draft;
  const removal: Removal = {
    name: 'removal',
    phase: 'looking',
    awaiting: null,
    operation: null,
    beforeRemove: false,
    saveSettled: state.removalWish?.discard === true,
  };
  state.stage = removal;
  state.retry = null;
  state.queued = false;
  note(draft, 'removal', { started: state.removalWish?.by ?? 'terminal' });
  // Without files there is nothing to look at; destroying is idempotent and ends a half-made sandbox, too.
  if (state.files === 'none' && state.damaged === null) return beginDestroying(draft, removal);
  await_(draft, removal, { type: 'look' });
}

/** A result of the effect that the removal waits for. false: this phase has no row for it. */
export function onRemovalOutcome(draft: Draft, removal: Removal, outcome: Outcome): boolean {
  switch (outcome.type) {
    case 'looked':
      onLooked(draft, removal, outcome);
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
      keep(draft, `the files could not be removed: ${outcome.detail}`);
      return true;
    case 'absent':
      onAbsent(draft, removal, outcome.absence);
      return true;
    case 'plan-refused':
    case 'leftovers-killed':
    case 'snapshotted':
      return false;
  }
}

function onLooked(draft: Draft, removal: Removal, looked: Extract<Outcome, { type: 'looked' }>): void {
  removal.beforeRemove = looked.hooks.before_remove;
  if (looked.found === 'asleep') return onFilesGone(draft, removal);
  if (removal.saveSettled) return beginBeforeRemove(draft, removal);
  beginSaving(draft, removal);
}

/** What was saved is not saved again; the sandbox is rebuilt only for before_remove, or for work that is in a snapshot alone. */
function onFilesGone(draft: Draft, removal: Removal): void {
  const { state } = draft;
  state.files = 'lost';
  removal.saveSettled ||= isRemovable(state.saved);
  if (removal.saveSettled && !removal.beforeRemove) return beginDestroying(draft, removal);
  const replaces = state.creationId;
  state.creationId = draft.newId;
  removal.phase = 'claiming';
  await_(draft, removal, { type: 'open', creationId: draft.newId, claim: true, replaces });
}

function onReclaimed(draft: Draft, removal: Removal): void {
  const { state } = draft;
  removal.phase = 'restoring';
  const snapshot = state.snapshot?.skipped === null ? state.snapshot.id : null;
  await_(draft, removal, { type: 'clone', operation: operationId(state, 'restore'), snapshot });
}

function onRebuilt(draft: Draft, removal: Removal, cloned: Extract<Outcome, { type: 'cloned' }>): void {
  const { state } = draft;
  state.files = 'present';
  if (cloned.from !== 'snapshot') state.saved = { ...state.saved, lastSaved: cloned.remoteSha };
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
  await_(draft, removal, {
    type: 'run-hook',
    hook: 'before_remove',
    operation: operationId(draft.state, 'before_remove'),
    keepLeftovers: false,
    outcome: null,
  });
}

function beginDestroying(draft: Draft, removal: Removal): void {
  removal.phase = 'destroying';
  await_(draft, removal, { type: 'destroy', forget: true });
}

function onAbsent(draft: Draft, removal: Removal, absence: Absence): void {
  if (removal.phase === 'before_remove') return beginDestroying(draft, removal);
  if (absence.kind === 'gone' && removal.phase === 'looking') return onFilesGone(draft, removal);
  if (removal.phase === 'claiming' || removal.phase === 'restoring')
    return onRebuildFailed(draft, removal, absence.detail);
  if (absence.kind === 'damaged') draft.state.damaged = absence.detail;
  if (removal.saveSettled) return beginDestroying(draft, removal);
  if (absence.kind === 'gone') return onFilesGone(draft, removal);
  keep(draft, absence.kind === 'damaged' ? `the workspace is damaged: ${absence.detail}` : absence.detail);
}

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
  state.files = 'none';
  state.kept = null;
  state.damaged = null;
  state.snapshot = null;
  note(draft, 'removal', { removed: true });
}

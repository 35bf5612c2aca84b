/** Saving the branch, and what follows from the answer; shared by attempts, asked saves and removals. */
import { saveRetryDelayMs } from '../backoff.ts';
import { awaitCommand, note, operationId, type Draft } from './draft.ts';
import type { SaveReport } from './event.ts';
import type { Standing } from './files.ts';
import type { Removal, Saved, Snapshot, State, Work } from './state.ts';

export function beginSaving(draft: Draft, stage: Work | Removal): Standing {
  const { state } = draft;
  state.saveCount += 1;
  state.changedAtMs = null;
  stage.phase = 'saving';
  // The key cannot hold a rescue ref's separator: `symphony-rescue/<key>/<attempt>` collides with no task branch.
  const rescue = `symphony-rescue/${state.identity.key}/${state.attempt?.number ?? 0}`;
  awaitCommand(draft, stage, { type: 'save', operation: operationId(state, 'save'), rescue });
  return 'waiting';
}

export function recordSave(draft: Draft, report: SaveReport): void {
  const { state } = draft;
  const failed = report.status === 'failed';
  const { sha, ...facts } = report;
  state.saved = {
    ...state.saved,
    ...facts,
    sha: sha ?? state.saved.sha,
    lastSaved: sha ?? state.saved.lastSaved,
    savedAtMs: failed || sha === null ? state.saved.savedAtMs : draft.atMs,
    ...(failed ? planNextTry(draft) : { sinceMs: null, tries: 0, nextTryAtMs: null }),
    checkedAtMs: draft.atMs,
  };
  state.touchedAtMs = draft.atMs;
  // Whatever was found before: a repository that answers is not damaged.
  state.damaged = null;
  // An older snapshot must never bring back less than the remote has.
  if (isRemovable(state.saved)) state.snapshot = null;
  note(draft, 'save', { status: report.status, sha, rescue_refs: report.rescueRefs, reason: report.reason });
}

/** A save that could not even be asked for: the sandbox did not answer. */
export function recordSaveFailure(draft: Draft, reason: string): void {
  const { state } = draft;
  state.saved = { ...state.saved, status: 'failed', reason, ...planNextTry(draft) };
  note(draft, 'save', { status: 'failed', reason });
}

function planNextTry({ state, atMs }: Draft): Pick<Saved, 'sinceMs' | 'tries' | 'nextTryAtMs'> {
  const { sinceMs, tries } = state.saved;
  const since = sinceMs ?? atMs;
  return { sinceMs: since, tries: tries + 1, nextTryAtMs: atMs + saveRetryDelayMs(atMs - since) };
}

/** May the files go? Only when the work is elsewhere, or there is none. */
export function isRemovable(saved: Saved): boolean {
  switch (saved.status) {
    case 'saved':
    case 'nothing_to_save':
    case 'diverged':
    case 'head_elsewhere':
      return true;
    case 'no_repository':
      return saved.head === null && saved.unsavedCount === 0 && saved.stashes === 0;
    case 'unsaved':
    case 'failed':
    case 'unknown':
      return false;
  }
}

/** Is there work in the files that is nowhere else? */
export function hasUnsavedWork(state: State): boolean {
  return (
    !isRemovable(state.saved) || state.saved.uncommitted.modified + state.saved.uncommitted.untracked > 0
  );
}

/** The snapshot that a restore begins from. */
export const usableSnapshot = ({ snapshot }: State): string | null =>
  snapshot === null || snapshot.id === '' ? null : snapshot.id;

/** There was no snapshot store when the last attempt began: only the saved branch outlives the sandbox. */
export const lacksSnapshots = ({ attempt, snapshot }: State): boolean =>
  snapshot === null && attempt?.plan?.snapshots === false;

/** Is there anything that a save could still bring away? Files that are gone live on in a snapshot, if anywhere. */
export const hasWorkToSave = (state: State): boolean => !isRemovable(state.saved) && mayHoldWork(state);

/** Whatever was saved before: is there still something that could hold work? */
export const mayHoldWork = (state: State): boolean =>
  state.files === 'present' || (state.files === 'lost' && usableSnapshot(state) !== null);

export function recordSnapshot(draft: Draft, snapshot: Snapshot): void {
  const id = snapshot.skipped === null ? snapshot.id : (usableSnapshot(draft.state) ?? '');
  draft.state.snapshot = { ...snapshot, id };
  note(draft, 'workspace', {
    snapshot: snapshot.skipped === null ? 'written' : 'skipped',
    reason: snapshot.skipped,
  });
}

/** Commits that are neither on the remote nor in a snapshot: a sandbox that holds them must not sleep. */
export function mustStayAwake(state: State): boolean {
  if (isRemovable(state.saved)) return false;
  const snapshot = state.snapshot;
  if (snapshot === null || snapshot.skipped !== null || !snapshot.complete) return true;
  return snapshot.atMs < (state.saved.checkedAtMs ?? 0);
}

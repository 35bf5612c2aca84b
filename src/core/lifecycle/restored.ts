/** What a fresh clone means for what is known of the branch, and what a restore could not bring back. */
import { note, type Draft } from './draft.ts';
import type { Outcome } from './event.ts';
import { isRemovable } from './saving.ts';
import { UNKNOWN_SAVED, type Saved } from './state.ts';

type Cloned = Extract<Outcome, { type: 'cloned' }>;

export function recordCloned(draft: Draft, cloned: Cloned): void {
  const { state } = draft;
  const { saved } = state;
  state.saved = {
    ...saved,
    // A restored task branch keeps its first base; a fresh start from the base branch has a new one.
    base: cloned.remoteSha === null && cloned.from === 'remote' ? cloned.base : (saved.base ?? cloned.base),
    lastSaved: cloned.from === 'snapshot' ? saved.lastSaved : cloned.remoteSha,
    head: cloned.head,
  };
}

export function recordRestored(draft: Draft, cloned: Cloned): void {
  recordLoss(draft, cloned);
  recordCloned(draft, cloned);
  // A snapshot brings unsaved work back; anything else brings back exactly what is on the remote.
  if (cloned.from !== 'snapshot')
    draft.state.saved = { ...draft.state.saved, ...buildCleanFacts(draft, cloned) };
}

function buildCleanFacts({ state, atMs }: Draft, { from, remoteSha }: Cloned): Partial<Saved> {
  const { stashes, unsavedCount, unsavedCommits, uncommitted, tries, nextTryAtMs, sinceMs } = UNKNOWN_SAVED;
  const clean = {
    stashes,
    unsavedCount,
    unsavedCommits,
    uncommitted,
    tries,
    nextTryAtMs,
    sinceMs,
    checkedAtMs: atMs,
  };
  if (isRemovable(state.saved)) return clean;
  const status = from === 'nothing' ? 'no_repository' : remoteSha === null ? 'nothing_to_save' : 'saved';
  return { ...clean, status, sha: remoteSha ?? state.saved.sha, reason: null };
}

/** Says in one sentence what the restore could not bring back. */
function recordLoss(draft: Draft, cloned: Cloned): void {
  const { saved } = draft.state;
  const files = saved.uncommitted.modified + saved.uncommitted.untracked;
  const loss =
    cloned.from === 'snapshot'
      ? 'the sandbox was replaced; restored from the last snapshot: ignored files and later changes are gone'
      : `the sandbox was replaced; restored from the saved branch: ignored files and everything later are gone, at the last look ${saved.unsavedCount} unsaved commit(s) and ${files} uncommitted file(s)`;
  draft.state.lastLoss = loss;
  note(draft, 'workspace', { restored_from: cloned.from, loss, head: cloned.head });
}

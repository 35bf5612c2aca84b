/**
 * Bringing the files to where work can begin: open → (claim → clone or restore → after_create) → ready.
 * Attempts, saves and wakes share it. Every function answers how the work stands now.
 */
import { await_, note, operationId, settle, type Draft } from './draft.ts';
import type { Absence, Outcome } from './event.ts';
import type { AttemptFailure, Work } from './state.ts';

/** `ready`: go on with what the work is for; `over`: it ends here; `waiting`: an effect is under way. */
export type Standing = 'waiting' | 'ready' | 'over';

export function beginOpening(draft: Draft, work: Work): Standing {
  const { state } = draft;
  if (state.files !== 'present' || state.creationId === null)
    return beginClaiming(draft, work, state.files === 'lost');
  work.phase = 'opening';
  await_(draft, work, { type: 'open', creationId: state.creationId, claim: false, replaces: null });
  return 'waiting';
}

/** A new incarnation: its id is stored before the sandbox hears of it. */
function beginClaiming(draft: Draft, work: Work, restoring: boolean): Standing {
  const { state } = draft;
  const replaces = state.creationId;
  state.creationId = draft.newId;
  work.phase = 'claiming';
  work.restoring = restoring;
  await_(draft, work, { type: 'open', creationId: draft.newId, claim: true, replaces });
  return 'waiting';
}

export function onOpened(draft: Draft, work: Work, opened: Extract<Outcome, { type: 'opened' }>): Standing {
  const { state } = draft;
  work.plan = opened.plan;
  if (work.goal === 'attempt' && state.attempt) state.attempt.plan = opened.plan;
  state.directory = opened.directory;
  state.workflowDir = opened.workflowDir;
  state.damaged = null;
  state.touchedAtMs = draft.atMs;
  if (work.phase === 'claiming') return work.stop ? beginDiscarding(draft, work) : beginCloning(draft, work);
  if (work.stop) return 'over';
  return opened.files === 'absent' ? loseFiles(draft, work, 'the workspace folder is gone') : 'ready';
}

/** The files are not there any more: nothing runs before they are brought back in a new incarnation. */
function loseFiles(draft: Draft, work: Work, detail: string): Standing {
  draft.state.files = 'lost';
  note(draft, 'workspace', { lost: detail, creation_id: draft.state.creationId });
  return work.stop ? 'over' : beginClaiming(draft, work, true);
}

function beginCloning(draft: Draft, work: Work): Standing {
  const { state } = draft;
  const snapshot = work.restoring && state.snapshot?.skipped === null ? state.snapshot.id : null;
  work.phase = work.restoring ? 'restoring' : 'cloning';
  await_(draft, work, { type: 'clone', operation: operationId(state, work.phase), snapshot });
  return 'waiting';
}

export function onCloned(draft: Draft, work: Work, cloned: Extract<Outcome, { type: 'cloned' }>): Standing {
  const { state } = draft;
  if (work.restoring) recordLoss(draft, cloned);
  state.saved = {
    ...state.saved,
    // A restored task branch keeps its first base; a fresh start from the base branch has a new one.
    base:
      cloned.remoteSha === null && cloned.from === 'remote' ? cloned.base : (state.saved.base ?? cloned.base),
    lastSaved: cloned.from === 'snapshot' ? state.saved.lastSaved : cloned.remoteSha,
    head: cloned.head,
  };
  if (work.stop) return beginDiscarding(draft, work);
  if (work.plan?.hooks.after_create !== true) return becomeReady(draft);
  work.phase = 'after_create';
  await_(draft, work, {
    type: 'run-hook',
    hook: 'after_create',
    operation: operationId(state, 'after_create'),
    keepLeftovers: false,
    outcome: null,
  });
  return 'waiting';
}

/** Says in one sentence what the last restore could not bring back. */
function recordLoss(draft: Draft, cloned: Extract<Outcome, { type: 'cloned' }>): void {
  const { saved } = draft.state;
  const files = saved.uncommitted.modified + saved.uncommitted.untracked;
  const loss =
    cloned.from === 'snapshot'
      ? 'the sandbox was replaced; restored from the last snapshot: ignored files and later changes are gone'
      : `the sandbox was replaced; restored from the saved branch: ${saved.unsavedCount} unsaved commit(s), ${files} uncommitted file(s) and all ignored files are gone`;
  draft.state.lastLoss = loss;
  note(draft, 'workspace', { restored_from: cloned.from, loss, head: cloned.head });
}

export function onAfterCreateEnded(
  draft: Draft,
  work: Work,
  ended: Extract<Outcome, { type: 'script-ended' }>,
): Standing {
  if (work.stop) return beginDiscarding(draft, work);
  if (ended.outcome === 'ok') return becomeReady(draft);
  const how = ended.outcome === 'failed' ? `exited with ${ended.exitCode}` : `ended as ${ended.outcome}`;
  const detail = `after_create ${how}; the files were removed and the next try starts from nothing`;
  failWork(draft, work, 'failed', { code: 'after_create_failed', detail });
  return beginDiscarding(draft, work);
}

function becomeReady(draft: Draft): Standing {
  draft.state.files = 'present';
  draft.state.error = null;
  return 'ready';
}

/** What a failed or cancelled creation left is thrown away with its incarnation. */
function beginDiscarding(draft: Draft, work: Work): Standing {
  work.phase = 'discarding';
  await_(draft, work, { type: 'destroy', forget: false });
  return 'waiting';
}

export function onCloneFailed(draft: Draft, work: Work, detail: string): Standing {
  failWork(draft, work, 'failed', { code: 'clone_failed', detail });
  return beginDiscarding(draft, work);
}

/** The discarded creation is gone: the next one starts from nothing, or from what was saved of an earlier life. */
export function onDiscarded(draft: Draft, work: Work): Standing {
  draft.state.files = work.restoring ? 'lost' : 'none';
  draft.state.creationId = null;
  return 'over';
}

/** A call that found something else than our files while they were being opened or made. */
export function onAbsentWhileOpening(draft: Draft, work: Work, absence: Absence): Standing {
  const { state } = draft;
  if (absence.kind === 'gone' && work.phase === 'opening') return loseFiles(draft, work, absence.detail);
  if (absence.kind === 'damaged') {
    state.damaged = absence.detail;
    // A folder that was never ours must not be thrown away as if it were.
    if (work.phase !== 'opening') state.creationId = null;
    failWork(draft, work, 'failed', { code: 'workspace_damaged', detail: absence.detail });
    return 'over';
  }
  if (absence.kind === 'refused') {
    failWork(draft, work, 'failed', { code: 'clone_failed', detail: absence.detail });
    return work.phase === 'opening' ? 'over' : beginDiscarding(draft, work);
  }
  failWork(draft, work, 'lost', { code: 'sandbox_lost', detail: absence.detail });
  return work.phase === 'opening' ? 'over' : beginDiscarding(draft, work);
}

/** Notes why the work cannot reach its goal: on the attempt, or as a save that has to be tried again. */
export function failWork(draft: Draft, work: Work, outcome: 'failed' | 'lost', cause: AttemptFailure): void {
  draft.state.error = cause;
  if (work.goal === 'attempt') settle(draft, outcome, cause);
}

/**
 * Bringing the files to where work can begin: open → (claim → clone or restore → after_create) → ready.
 * Attempts, saves and wakes share it. Every function answers how the work stands now.
 */
import { awaitCommand, note, operationId, settle, type Draft } from './draft.ts';
import { describeEnd } from './ended.ts';
import type { Absence, Outcome } from './event.ts';
import { recordCloned, recordRestored } from './restored.ts';
import { usableSnapshot } from './saving.ts';
import { UNKNOWN_SAVED, type AttemptFailure, type Removal, type Work, type WorkPhase } from './state.ts';

/** `ready`: go on with what the work is for; `over`: it ends here; `waiting`: an effect is under way. */
export type Standing = 'waiting' | 'ready' | 'over';

export function beginOpening(draft: Draft, work: Work): Standing {
  const { state } = draft;
  // What was found damaged is looked at again before anything replaces it.
  const isKnown = state.files === 'present' || state.damaged !== null;
  if (!isKnown || state.creationId === null) return beginClaiming(draft, work);
  work.phase = 'opening';
  awaitCommand(draft, work, { type: 'open', creationId: state.creationId, claim: false, replaces: [] });
  return 'waiting';
}

function beginClaiming(draft: Draft, work: Work): Standing {
  work.phase = 'claiming';
  work.restoring = draft.state.files === 'lost';
  awaitClaim(draft, work);
  return 'waiting';
}

/** A new incarnation: its id is stored before the sandbox hears of it, and no id before it is forgotten until this one is there. */
export function awaitClaim(draft: Draft, stage: Work | Removal): void {
  const { state, newId } = draft;
  if (state.creationId !== null) state.formerIds.push(state.creationId);
  state.creationId = newId;
  awaitCommand(draft, stage, {
    type: 'open',
    creationId: newId,
    claim: true,
    replaces: [...state.formerIds],
  });
}

/** The claim was turned down for certain: what is there is not the new incarnation. */
export function withdrawClaim({ state }: Draft): void {
  state.creationId = state.formerIds.pop() ?? null;
}

export function onOpened(draft: Draft, work: Work, opened: Extract<Outcome, { type: 'opened' }>): Standing {
  const { state } = draft;
  work.plan = opened.plan;
  if (work.goal === 'attempt' && state.attempt) state.attempt.plan = opened.plan;
  state.directory = opened.directory;
  state.workflowDir = opened.workflowDir;
  state.damaged = null;
  state.touchedAtMs = draft.atMs;
  if (work.phase === 'claiming') {
    state.formerIds = [];
    return work.stop ? beginDiscarding(draft, work) : beginCloning(draft, work);
  }
  if (work.stop) return 'over';
  if (opened.files === 'absent') return loseFiles(draft, work, 'the workspace folder is gone');
  return state.files === 'present' ? becomeReady(draft) : beginClaiming(draft, work);
}

/** The files are not there any more: nothing runs before they are brought back in a new incarnation. */
function loseFiles(draft: Draft, work: Work, detail: string): Standing {
  const { state } = draft;
  state.damaged = null;
  if (state.files === 'present') state.files = 'lost';
  note(draft, 'workspace', { lost: detail, creation_id: state.creationId });
  return work.stop ? 'over' : beginClaiming(draft, work);
}

function beginCloning(draft: Draft, work: Work): Standing {
  const { state } = draft;
  const snapshot = work.restoring ? usableSnapshot(state) : null;
  work.phase = work.restoring ? 'restoring' : 'cloning';
  awaitCommand(draft, work, { type: 'clone', operation: operationId(state, work.phase), snapshot });
  return 'waiting';
}

export function onCloned(draft: Draft, work: Work, cloned: Extract<Outcome, { type: 'cloned' }>): Standing {
  const { state } = draft;
  // An empty repository is no restore of work that a snapshot alone holds.
  if (work.restoring && cloned.from === 'nothing' && usableSnapshot(state) !== null)
    return onCloneFailed(draft, work, 'its snapshot could not be restored, and there is no repository');
  if (work.restoring) recordRestored(draft, cloned);
  else recordFirstClone(draft, cloned);
  if (work.stop) return beginDiscarding(draft, work);
  if (work.plan?.hooks.after_create !== true) return becomeReady(draft);
  work.phase = 'after_create';
  awaitCommand(draft, work, {
    type: 'run-hook',
    hook: 'after_create',
    operation: operationId(state, 'after_create'),
    keepLeftovers: false,
    outcome: null,
  });
  return 'waiting';
}

export function onAfterCreateEnded(
  draft: Draft,
  work: Work,
  ended: Extract<Outcome, { type: 'script-ended' }>,
): Standing {
  if (work.stop) return beginDiscarding(draft, work);
  if (ended.outcome === 'ok') return becomeReady(draft);
  const detail = `after_create ${describeEnd(ended)}; the files were removed and the next try starts from nothing`;
  failWork(draft, work, 'failed', { code: 'after_create_failed', detail });
  return beginDiscarding(draft, work);
}

function recordFirstClone(draft: Draft, cloned: Extract<Outcome, { type: 'cloned' }>): void {
  recordCloned(draft, cloned);
  note(draft, 'workspace', { cloned_from: cloned.from, head: cloned.head });
}

function becomeReady(draft: Draft): Standing {
  if (draft.state.files !== 'present') note(draft, 'workspace', { ready: true });
  draft.state.files = 'present';
  draft.state.error = null;
  return 'ready';
}

/** What a failed or cancelled creation left is thrown away with its incarnation. */
function beginDiscarding(draft: Draft, work: Work): Standing {
  work.phase = 'discarding';
  awaitCommand(draft, work, { type: 'destroy', forget: false });
  return 'waiting';
}

export function onCloneFailed(draft: Draft, work: Work, detail: string): Standing {
  failWork(draft, work, 'failed', { code: 'clone_failed', detail });
  return beginDiscarding(draft, work);
}

/**
 * The discarded creation is over: the next one starts from nothing, or from what was saved of an earlier life.
 * What may still be there is replaced by the next claim.
 */
export function onDiscarded(draft: Draft, work: Work, what: 'is gone' | 'may be there'): Standing {
  const { state } = draft;
  if (what === 'is gone') forgetIncarnations(draft);
  // What it left of an earlier life is known still; of a first one there is nothing to know.
  if (!work.restoring) state.saved = UNKNOWN_SAVED;
  return 'over';
}

export function forgetIncarnations({ state }: Draft): void {
  state.creationId = null;
  state.formerIds = [];
}

/** A call that found something else than our files while they were being opened or made. */
export function onAbsentWhileOpening(draft: Draft, work: Work, absence: Absence): Standing {
  const { state } = draft;
  if (absence.kind === 'gone' && work.phase === 'opening') return loseFiles(draft, work, absence.detail);
  if (absence.kind === 'damaged') {
    state.damaged = absence.detail;
    if (work.phase === 'claiming') withdrawClaim(draft);
    failWork(draft, work, 'failed', { code: 'workspace_damaged', detail: absence.detail });
    return 'over';
  }
  if (absence.kind === 'refused') {
    failWork(draft, work, 'failed', { code: codeOfRefusal(work.phase), detail: absence.detail });
    return work.phase === 'opening' ? 'over' : beginDiscarding(draft, work);
  }
  failWork(draft, work, 'lost', { code: 'sandbox_lost', detail: absence.detail });
  return work.phase === 'opening' ? 'over' : beginDiscarding(draft, work);
}

/** Names the step that was refused: opening what is there clones nothing. */
function codeOfRefusal(phase: WorkPhase): AttemptFailure['code'] {
  if (phase === 'opening') return 'sandbox_unavailable';
  return phase === 'after_create' ? 'after_create_failed' : 'clone_failed';
}

/** Notes why the work cannot reach its goal: on the attempt, or as a save that has to be tried again. */
export function failWork(draft: Draft, work: Work, outcome: 'failed' | 'lost', cause: AttemptFailure): void {
  if (!work.stop) draft.state.error = cause;
  if (work.goal === 'attempt') settle(draft, outcome, cause);
}

export const isOpening = (phase: WorkPhase): boolean => phase === 'opening' || phase === 'claiming';
export const isCloning = (phase: WorkPhase): boolean => phase === 'cloning' || phase === 'restoring';
export const isCreating = (phase: WorkPhase): boolean =>
  isOpening(phase) || isCloning(phase) || phase === 'after_create';

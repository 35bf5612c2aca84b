/** What it means for work under way that a call found something else than our files. */
import { beginAfterRun, beginSettling } from './attempt.ts';
import { settle, type Draft } from './draft.ts';
import type { Absence } from './event.ts';
import { isCreating, onAbsentWhileOpening, onDiscarded, type Standing } from './files.ts';
import { beginSaving, isRemovable, recordSaveFailure } from './saving.ts';
import type { Attempt, Work } from './state.ts';

export function onAbsent(draft: Draft, work: Work, absence: Absence): Standing {
  const { attempt } = draft.state;
  if (work.goal === 'attempt' && attempt) recordLostRun(work, attempt, absence);
  if (isCreating(work.phase)) return onAbsentWhileOpening(draft, work, absence);
  if (work.phase === 'discarding')
    return onDiscarded(draft, work, absence.kind === 'gone' ? 'is gone' : 'may be there');
  if (work.phase === 'saving') return onAbsentWhileSaving(draft, work, absence);
  if (work.phase === 'snapshotting') return onAbsentWhileSnapshotting(draft, work, absence);
  return attempt ? onAbsentWhileRunning(draft, work, attempt, absence) : 'over';
}

/** after_run and the save have nothing to run on any more, unless it was only this call that was refused. */
function onAbsentWhileRunning(draft: Draft, work: Work, attempt: Attempt, absence: Absence): Standing {
  if (absence.kind === 'refused') return onRefusedWhileRunning(draft, work, attempt, absence.detail);
  settleAbsence(draft, absence);
  // The files may still be there, with work that nobody has saved.
  if (absence.kind !== 'gone') recordSaveFailure(draft, absence.detail);
  return 'over';
}

/** The incarnation lives: the attempt goes on to its end. */
function onRefusedWhileRunning(draft: Draft, work: Work, attempt: Attempt, detail: string): Standing {
  if (work.phase === 'after_run') return beginSaving(draft, work);
  if (work.phase === 'settling') return beginAfterRun(draft, work, attempt);
  const code = work.phase === 'before_run' ? 'before_run_failed' : 'agent_failed';
  settle(draft, 'failed', { code, detail });
  return beginSettling(draft, work);
}

/** Whether the script had begun is not known: it counts as lost, so that it never runs twice. */
function recordLostRun(work: Work, attempt: Attempt, { detail }: Absence): void {
  const { operation, phase } = work;
  if (operation === null) return;
  const run = { operation, outcome: 'lost', exitCode: null, durationMs: 0, detail } as const;
  if (phase === 'agent') attempt.agentRun = run;
  else if (phase === 'after_create' || phase === 'before_run' || phase === 'after_run')
    attempt.hooks.push({ hook: phase, ...run });
}

/** A sandbox that did not answer is saved later; one that is gone took the attempt's work along. */
function onAbsentWhileSaving(draft: Draft, work: Work, absence: Absence): Standing {
  const { state } = draft;
  recordSaveFailure(draft, absence.detail);
  if (work.goal === 'attempt' && state.attempt) state.attempt.save = { status: 'failed', sha: null };
  if (absence.kind === 'gone' || absence.kind === 'damaged') loseWork(draft, work, absence);
  return 'over';
}

/** The save came before: only what it could not bring away is lost. */
function onAbsentWhileSnapshotting(draft: Draft, work: Work, absence: Absence): Standing {
  if (absence.kind === 'damaged') draft.state.damaged = absence.detail;
  if (absence.kind !== 'gone') return 'over';
  if (isRemovable(draft.state.saved)) draft.state.files = 'lost';
  else loseWork(draft, work, absence);
  return 'over';
}

function loseWork(draft: Draft, work: Work, absence: Absence): void {
  if (work.goal === 'attempt') return settleAbsence(draft, absence);
  markAbsence(draft, absence);
}

/** What the sandbox held when it vanished can no longer be called succeeded; any other first cause stays. */
function settleAbsence(draft: Draft, absence: Absence): void {
  markAbsence(draft, absence);
  const { attempt } = draft.state;
  if (attempt?.result?.outcome === 'succeeded') attempt.result = null;
  if (absence.kind === 'damaged')
    settle(draft, 'failed', { code: 'workspace_damaged', detail: absence.detail });
  else settle(draft, 'lost', { code: 'sandbox_lost', detail: absence.detail });
}

function markAbsence({ state }: Draft, absence: Absence): void {
  if (absence.kind === 'gone') state.files = 'lost';
  if (absence.kind === 'damaged') state.damaged = absence.detail;
}

/** Work on the files from begin to end: what each result leads to, for attempts, asked saves and wakes. */
import { retryDelayMs } from '../backoff.ts';
import {
  beginAfterRun,
  beginAttemptRun,
  beginSettling,
  onAbsentWhileRunning,
  onAgentEnded,
  onBeforeRunEnded,
} from './attempt.ts';
import { await_, issue, note, operationId, settle, type Draft } from './draft.ts';
import type { Absence, Outcome } from './event.ts';
import {
  beginOpening,
  onAbsentWhileOpening,
  onAfterCreateEnded,
  onCloned,
  onCloneFailed,
  onDiscarded,
  onOpened,
  type Standing,
} from './files.ts';
import { beginRemoval } from './removal.ts';
import { beginSaving, hasUnsavedWork, recordSave, recordSaveFailure, recordSnapshot } from './saving.ts';
import type { Attempt, Hook, Retry, State, Work, WorkPhase } from './state.ts';

export function beginWork(draft: Draft, goal: Work['goal']): void {
  const work: Work = {
    name: 'work',
    goal,
    phase: 'opening',
    awaiting: null,
    operation: null,
    plan: null,
    restoring: false,
    stop: null,
  };
  draft.state.stage = work;
  beginOpening(draft, work);
}

export function beginAttempt(draft: Draft, tryNumber: number): void {
  const { state } = draft;
  state.attemptCount += 1;
  state.retry = null;
  state.queued = false;
  state.attempt = {
    number: state.attemptCount,
    try: tryNumber,
    startedAtMs: draft.atMs,
    endedAtMs: null,
    plan: null,
    result: null,
    outcome: null,
    beforeRunReached: false,
    agentStarted: false,
    deadlineAtMs: null,
    hooks: [],
    agentRun: null,
    save: null,
  };
  beginWork(draft, 'attempt');
  note(draft, 'attempt', { number: state.attemptCount, try: tryNumber, outcome: null });
}

/** A result of the effect that the work waits for. false: this phase has no row for it. */
export function onWorkOutcome(draft: Draft, work: Work, outcome: Outcome): boolean {
  const standing =
    outcome.type === 'absent' ? onAbsent(draft, work, outcome.absence) : nextStanding(draft, work, outcome);
  if (standing === null) return false;
  advance(draft, work, standing);
  return true;
}

function advance(draft: Draft, work: Work, standing: Standing): void {
  if (standing === 'ready') return advance(draft, work, beginGoal(draft, work));
  if (standing === 'over') endWork(draft, work);
}

function beginGoal(draft: Draft, work: Work): Standing {
  const attempt = draft.state.attempt;
  if (work.goal === 'attempt' && attempt) return beginAttemptRun(draft, work, attempt);
  return work.goal === 'save' ? beginSaving(draft, work) : 'over';
}

function nextStanding(draft: Draft, work: Work, outcome: Outcome): Standing | null {
  switch (outcome.type) {
    case 'opened':
      return isOpening(work.phase) ? onOpened(draft, work, outcome) : null;
    case 'plan-refused':
      settle(draft, 'failed', { code: 'workflow_invalid', detail: outcome.detail });
      return 'over';
    case 'cloned':
      return isCloning(work.phase) ? onCloned(draft, work, outcome) : null;
    case 'clone-failed':
      return isCloning(work.phase) ? onCloneFailed(draft, work, outcome.detail) : null;
    case 'script-ended':
      return onScriptEnded(draft, work, outcome);
    case 'leftovers-killed':
      return work.phase === 'settling' && draft.state.attempt
        ? beginAfterRun(draft, work, draft.state.attempt)
        : null;
    case 'saved':
      return work.phase === 'saving' ? onSaved(draft, work, outcome) : null;
    case 'snapshotted':
      recordSnapshot(draft, outcome.snapshot);
      return 'over';
    case 'destroyed':
      return work.phase === 'discarding' ? onDiscarded(draft, work) : null;
    case 'destroy-failed':
      // The incarnation is given up; the next one replaces it under the same sandbox id.
      note(draft, 'workspace', { discard_failed: outcome.detail });
      return work.phase === 'discarding' ? onDiscarded(draft, work) : null;
    case 'looked':
    case 'absent':
      return null;
  }
}

function onScriptEnded(
  draft: Draft,
  work: Work,
  ended: Extract<Outcome, { type: 'script-ended' }>,
): Standing | null {
  const attempt = draft.state.attempt;
  if (work.phase === 'after_create') {
    recordRun(draft, work, 'after_create', ended);
    return onAfterCreateEnded(draft, work, ended);
  }
  if (!attempt) return null;
  switch (work.phase) {
    case 'before_run':
      recordRun(draft, work, 'before_run', ended);
      return onBeforeRunEnded(draft, work, attempt, ended);
    case 'agent':
      attempt.agentRun = buildRun(work, ended);
      note(draft, 'hook', { attempt: attempt.number, hook: 'agent', ...noteOfRun(ended) });
      return onAgentEnded(draft, work, attempt, ended);
    case 'after_run':
      recordRun(draft, work, 'after_run', ended);
      return beginSaving(draft, work);
    default:
      return null;
  }
}

function recordRun(
  draft: Draft,
  work: Work,
  hook: Hook,
  ended: Extract<Outcome, { type: 'script-ended' }>,
): void {
  const attempt = draft.state.attempt;
  if (work.goal === 'attempt') attempt?.hooks.push({ hook, ...buildRun(work, ended) });
  note(draft, 'hook', { attempt: attempt?.number ?? null, hook, ...noteOfRun(ended) });
}

const buildRun = (work: Work, ended: Extract<Outcome, { type: 'script-ended' }>) => ({
  operation: work.operation ?? '',
  outcome: ended.outcome,
  exitCode: ended.exitCode,
  durationMs: ended.durationMs,
  detail: ended.detail,
});

const noteOfRun = (ended: Extract<Outcome, { type: 'script-ended' }>) => ({
  outcome: ended.outcome,
  exit_code: ended.exitCode,
  duration_ms: ended.durationMs,
});

function onSaved(draft: Draft, work: Work, saved: Extract<Outcome, { type: 'saved' }>): Standing {
  const { state } = draft;
  recordSave(draft, saved.report);
  if (work.goal === 'attempt' && state.attempt)
    state.attempt.save = { status: saved.report.status, sha: saved.report.sha };
  if (work.plan?.snapshots !== true || !hasUnsavedWork(state)) return 'over';
  work.phase = 'snapshotting';
  await_(draft, work, { type: 'snapshot', operation: operationId(state, 'snapshot') });
  return 'waiting';
}

function onAbsent(draft: Draft, work: Work, absence: Absence): Standing {
  if (isCreating(work.phase)) return onAbsentWhileOpening(draft, work, absence);
  if (work.phase === 'discarding') return onDiscarded(draft, work);
  if (work.phase === 'saving' || work.phase === 'snapshotting')
    return onAbsentWhileSaving(draft, work, absence);
  return draft.state.attempt ? onAbsentWhileRunning(draft, work, draft.state.attempt, absence) : 'over';
}

function onAbsentWhileSaving(draft: Draft, work: Work, absence: Absence): Standing {
  const { state } = draft;
  if (absence.kind === 'gone') state.files = 'lost';
  if (absence.kind === 'damaged') state.damaged = absence.detail;
  if (work.phase === 'saving') {
    recordSaveFailure(draft, absence.detail);
    if (work.goal === 'attempt' && state.attempt) {
      state.attempt.save = { status: 'failed', sha: null };
      if (absence.kind === 'gone') settle(draft, 'lost', { code: 'sandbox_lost', detail: absence.detail });
    }
  }
  return 'over';
}

const isOpening = (phase: WorkPhase) => phase === 'opening' || phase === 'claiming';
const isCloning = (phase: WorkPhase) => phase === 'cloning' || phase === 'restoring';
export const isCreating = (phase: WorkPhase) =>
  isOpening(phase) || isCloning(phase) || phase === 'after_create';

/** Ends the work and decides what is next: removal, the dispatch that waited, a retry, or nothing. */
function endWork(draft: Draft, work: Work): void {
  const { state } = draft;
  state.stage = { name: 'idle' };
  if (work.goal === 'attempt' && state.attempt) endAttempt(draft, state.attempt);
  else if (work.goal === 'save' && work.phase !== 'saving' && work.phase !== 'snapshotting')
    recordSaveFailure(draft, state.error?.detail ?? 'the workspace could not be opened');
  if (state.removalWish) return beginRemoval(draft);
  if (state.queued) beginAttempt(draft, 1);
}

function endAttempt(draft: Draft, attempt: Attempt): void {
  const { state } = draft;
  attempt.endedAtMs = draft.atMs;
  attempt.outcome = attempt.result?.outcome ?? 'succeeded';
  state.retry = planRetry(state, attempt, draft.atMs);
  note(draft, 'attempt', {
    number: attempt.number,
    try: attempt.try,
    outcome: attempt.outcome,
    failure: attempt.result?.failure ?? null,
    next_retry_at_ms: state.retry?.atMs ?? null,
  });
}

const DEFAULT_RETRIES = { maxAttempts: 5, maxRetryBackoffMs: 300_000 };

/** Failed, lost and timed-out attempts are tried again; a caller-run agent's only up to its start. */
function planRetry(state: State, attempt: Attempt, atMs: number): Retry | null {
  const failed =
    attempt.outcome === 'failed' || attempt.outcome === 'lost' || attempt.outcome === 'timed_out';
  if (!failed || state.removalWish || state.task.terminal || state.damaged !== null) return null;
  if (attempt.agentStarted && attempt.plan?.agent === 'external') return null;
  const { maxAttempts, maxRetryBackoffMs } = attempt.plan ?? DEFAULT_RETRIES;
  if (attempt.try >= maxAttempts) return null;
  return { atMs: atMs + retryDelayMs(attempt.try, maxRetryBackoffMs), try: attempt.try + 1 };
}

/** Asks the running work to end early. false: it is past the point where that is possible. */
export function stopWork(draft: Draft, work: Work, reason: NonNullable<Work['stop']>): boolean {
  if (!isStoppable(work.phase) || work.goal !== 'attempt') return false;
  if (work.stop) return true;
  work.stop = reason;
  settle(draft, 'cancelled', {
    code: 'cancelled',
    detail: reason === 'cancel' ? 'cancelled by request' : `cancelled: ${reason}`,
  });
  if (work.phase === 'agent_wait') beginSettling(draft, work);
  else if (work.operation !== null && work.awaiting !== null)
    issue(draft, { type: 'cancel-operation', operation: work.operation, awaiting: work.awaiting });
  return true;
}

/** Past the agent everything runs to its end. */
export const isStoppable = (phase: WorkPhase): boolean =>
  isCreating(phase) || phase === 'before_run' || phase === 'agent' || phase === 'agent_wait';

/** Work on the files from begin to end: what each result leads to, for attempts, asked saves and wakes. */
import { retryDelayMs } from '../backoff.ts';
import { onAbsent } from './absence.ts';
import {
  beginAfterRun,
  beginAttemptRun,
  beginSettling,
  onAgentEnded,
  onBeforeRunEnded,
  recordSkippedAfterRun,
} from './attempt.ts';
import { awaitCommand, issue, note, operationId, restoreId, settle, type Draft } from './draft.ts';
import type { Outcome } from './event.ts';
import {
  beginOpening,
  failWork,
  isCloning,
  isCreating,
  isOpening,
  onAfterCreateEnded,
  onCloned,
  onCloneFailed,
  onDiscarded,
  onOpened,
  withdrawClaim,
  type Standing,
} from './files.ts';
import { beginRemoval, isRemovalDue } from './removal.ts';
import {
  beginSaving,
  hasUnsavedWork,
  mayHoldWork,
  recordSave,
  recordSaveFailure,
  recordSnapshot,
  usableSnapshot,
} from './saving.ts';
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
    outcome.type === 'absent' ? onWorkAbsent(draft, work, outcome) : nextStanding(draft, work, outcome);
  if (standing === null) return false;
  advance(draft, work, standing);
  return true;
}

/** How often an attempt is tried again is known although it never got to its files. */
function onWorkAbsent(
  draft: Draft,
  work: Work,
  { absence, plan }: Extract<Outcome, { type: 'absent' }>,
): Standing | null {
  const { attempt } = draft.state;
  if (plan !== undefined && work.goal === 'attempt' && attempt) attempt.plan ??= plan;
  return onAbsent(draft, work, absence);
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
      return isOpening(work.phase) ? onPlanRefused(draft, work, outcome.detail) : null;
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
      if (work.phase !== 'snapshotting') return null;
      recordSnapshot(draft, outcome.snapshot);
      return 'over';
    case 'destroyed':
      if (work.phase !== 'discarding') return null;
      note(draft, 'workspace', { discarded: true });
      return onDiscarded(draft, work, 'is gone');
    case 'destroy-failed':
      note(draft, 'workspace', { discard_failed: outcome.detail });
      return work.phase === 'discarding' ? onDiscarded(draft, work, 'may be there') : null;
    case 'looked':
    case 'task-open':
    case 'absent':
      return null;
  }
}

function onPlanRefused(draft: Draft, work: Work, detail: string): Standing {
  // Nothing was claimed: what was there before still is.
  if (work.phase === 'claiming') withdrawClaim(draft);
  failWork(draft, work, 'failed', { code: 'workflow_invalid', detail });
  return 'over';
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
  if (work.phase === 'agent') {
    attempt.agentRun = buildRun(work, ended);
    note(draft, 'hook', { attempt: attempt.number, hook: 'agent', ...noteOfRun(ended) });
    return onAgentEnded(draft, work, attempt, ended);
  }
  if (work.phase !== 'before_run' && work.phase !== 'after_run') return null;
  recordRun(draft, work, work.phase, ended);
  return work.phase === 'after_run'
    ? beginSaving(draft, work)
    : onBeforeRunEnded(draft, work, attempt, ended);
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
  awaitCommand(draft, work, { type: 'snapshot', operation: operationId(state, 'snapshot') });
  return 'waiting';
}

/** The save has said itself how it ended. */
const isSaved = (phase: WorkPhase): boolean => phase === 'saving' || phase === 'snapshotting';

/** Ends the work and decides what is next: removal, the dispatch that waited, a retry, or nothing. */
function endWork(draft: Draft, work: Work): void {
  const { state } = draft;
  state.stage = { name: 'idle' };
  if (work.goal === 'attempt' && state.attempt) endAttempt(draft, state.attempt);
  else if (work.goal === 'save' && !isSaved(work.phase) && mayHoldWork(state))
    recordSaveFailure(draft, state.error?.detail ?? 'the workspace could not be opened');
  // A wake lets somebody look into a kept workspace: its removal waits for its own time.
  if (state.removalWish && (work.goal !== 'wake' || isRemovalDue(state, draft.atMs)))
    return beginRemoval(draft);
  if (state.queued) beginAttempt(draft, 1);
}

function endAttempt(draft: Draft, attempt: Attempt): void {
  const { state } = draft;
  recordSkippedAfterRun(draft, attempt);
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

/**
 * Failed, lost and timed-out attempts are tried again; a caller-run agent's only up to its start. A configuration that
 * was refused waits for a person: the same try would be refused again.
 */
function planRetry(state: State, attempt: Attempt, atMs: number): Retry | null {
  const failed =
    attempt.outcome === 'failed' || attempt.outcome === 'lost' || attempt.outcome === 'timed_out';
  if (!failed || state.removalWish || state.task.terminal || state.damaged !== null) return null;
  if (attempt.result?.failure?.code === 'workflow_invalid') return null;
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
  else if (work.awaiting !== null)
    for (const operation of operationsOf(draft.state, work))
      issue(draft, { type: 'cancel-operation', operation, awaiting: work.awaiting });
  return true;
}

/** Which one of two is under way, only the effect knows: the other one then never starts. */
function operationsOf(state: State, { operation, phase }: Work): string[] {
  if (operation === null) return [];
  const restores = phase === 'restoring' && usableSnapshot(state) !== null;
  return restores ? [restoreId(operation), operation] : [operation];
}

/** Past the agent everything runs to its end. */
export const isStoppable = (phase: WorkPhase): boolean =>
  isCreating(phase) || phase === 'before_run' || phase === 'agent' || phase === 'agent_wait';

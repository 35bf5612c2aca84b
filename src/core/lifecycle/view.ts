/** How a workspace and its attempts look on the wire: pure views of the state, in the shapes of `api.ts`. */
import type { AttemptView, WorkspacePhase, WorkspaceStatus, WorkspaceView } from '../api.ts';
import { lacksSnapshots } from './saving.ts';
import { nextSaveAtMs } from './timer.ts';
import type { Attempt, HookRun, Removal, RemovalPhase, Run, Stage, State, Work } from './state.ts';

export function buildWorkspaceView(state: State, warnings: WorkspaceView['warnings']): WorkspaceView {
  const { identity, task, stage, attempt, kept } = state;
  return {
    project: identity.project,
    key: identity.key,
    path: state.directory,
    branch: identity.branch,
    location: identity.location,
    task: { id: task.id, identifier: task.identifier, title: task.title, state: task.state },
    status: statusOf(state),
    phase: phaseOf(stage),
    in_use: stage.name === 'work' && stage.goal === 'attempt',
    warnings,
    ...buildSavedFacts(state),
    snapshot: buildSnapshotView(state),
    last_loss: state.lastLoss,
    attempt_count: state.attemptCount,
    last_attempt: attempt && { number: attempt.number, outcome: attempt.outcome },
    last_run: attempt && lastRunOf(attempt),
    next_retry_at: instantOrNull(state.retry?.atMs),
    kept: kept && {
      reason: kept.reason,
      since: instant(kept.sinceMs),
      tries: kept.tries,
      next_try_at: instant(kept.nextTryAtMs),
    },
    error: state.error,
    created_at: instant(state.createdAtMs),
    updated_at: instant(state.updatedAtMs),
    removed_at: stage.name === 'removed' ? instant(stage.atMs) : null,
  };
}

function buildSnapshotView(state: State): WorkspaceView['snapshot'] {
  if (lacksSnapshots(state)) return { state: 'unavailable', at: null, reason: NO_STORE };
  if (state.snapshot === null) return null;
  const { atMs, skipped } = state.snapshot;
  return { state: skipped === null ? 'written' : 'skipped', at: instant(atMs), reason: skipped };
}

const NO_STORE = 'no snapshot store is configured (R2 binding SNAPSHOTS); only the saved branch survives';

/** after_run comes after the agent, every other hook before it. A skipped hook did not run. */
function lastRunOf({ hooks, agentRun }: Attempt): WorkspaceView['last_run'] {
  const last = hooks.findLast(({ outcome }) => outcome !== 'skipped');
  if (agentRun && last?.hook !== 'after_run') return { hook: 'agent', outcome: agentRun.outcome };
  return last ? { hook: last.hook, outcome: last.outcome } : null;
}

/** `stage`: of the workspace, null where it is not at hand; only a running attempt has a phase. */
export function buildAttemptView(attempt: Attempt, stage: Stage | null): AttemptView {
  const isRunning = attempt.outcome === null && stage?.name === 'work' && stage.goal === 'attempt';
  return {
    number: attempt.number,
    try: attempt.try,
    outcome: attempt.outcome,
    phase: isRunning ? phaseOf(stage) : null,
    started_at: instant(attempt.startedAtMs),
    ended_at: instantOrNull(attempt.endedAtMs),
    failure: attempt.result?.failure ?? null,
    hooks: attempt.hooks.map(buildHookView),
    agent: attempt.agentRun && buildRunView(attempt.agentRun),
    save: attempt.save,
  };
}

const buildHookView = (run: HookRun) => ({ hook: run.hook, ...buildRunView(run) });

const buildRunView = (run: Run) => ({
  outcome: run.outcome,
  exit_code: run.exitCode,
  duration_ms: run.durationMs,
  detail: run.detail,
});

/** The API shows no more than this of what a save found. */
const SHOWN_COMMITS = 10;
const SHOWN_FILES = 100;

function buildSavedFacts(state: State) {
  const { saved } = state;
  return {
    saved: {
      status: saved.status,
      sha: saved.sha,
      at: instantOrNull(saved.savedAtMs),
      reason: saved.reason,
      since: instantOrNull(saved.sinceMs),
      tries: saved.tries,
      next_try_at: instantOrNull(nextSaveAtMs(state)),
      rescue_refs: saved.rescueRefs,
      remote_sha: saved.remoteSha,
    },
    head: saved.head,
    base: saved.base,
    unsaved_commits: saved.unsavedCommits.slice(0, SHOWN_COMMITS),
    uncommitted: {
      modified: saved.uncommitted.modified,
      untracked: saved.uncommitted.untracked,
      files: saved.uncommitted.files.slice(0, SHOWN_FILES),
      checked_at: instantOrNull(saved.checkedAtMs),
    },
  };
}

function statusOf(state: State): WorkspaceStatus {
  const { stage } = state;
  if (stage.name === 'removed') return 'removed';
  if (stage.name === 'removal') return 'removing';
  if (state.kept !== null) return 'kept';
  if (state.damaged !== null) return 'damaged';
  if (stage.name === 'idle') return idleStatusOf(state);
  if (stage.goal !== 'attempt') return 'ready';
  return isFirstCreation(state, stage) ? 'creating' : 'running';
}

/** Files that were lost without a failure come back at the next use: that is ready, too. */
function idleStatusOf(state: State): WorkspaceStatus {
  if (state.files === 'present' || (state.files === 'lost' && state.error === null)) return 'ready';
  return state.retry === null ? 'failed' : 'creating';
}

/** `files` turns `present` only when the creation is whole. */
const isFirstCreation = (state: State, work: Work) => state.files === 'none' && !work.restoring;

function phaseOf(stage: Stage): WorkspacePhase | null {
  if (stage.name === 'work') return workPhaseOf(stage);
  return stage.name === 'removal' ? removalPhaseOf(stage) : null;
}

/** The wire names what a reader knows from WORKFLOW.md; the steps between go by the neighbour they belong to. */
function workPhaseOf(work: Work): WorkspacePhase | null {
  const { phase, goal } = work;
  if (phase === 'opening') return goal === 'attempt' ? 'before_run' : goal === 'save' ? 'saving' : null;
  if (phase === 'claiming' || phase === 'discarding') return work.restoring ? 'restoring' : 'cloning';
  if (phase === 'settling') return 'after_run';
  return phase === 'snapshotting' ? 'saving' : phase;
}

const REMOVAL_PHASES: Record<RemovalPhase, WorkspacePhase> = {
  looking: 'saving',
  claiming: 'saving',
  saving: 'saving',
  restoring: 'restoring',
  before_remove: 'before_remove',
  destroying: 'destroying',
};

const removalPhaseOf = (removal: Removal): WorkspacePhase => REMOVAL_PHASES[removal.phase];

const instant = (atMs: number): string => new Date(atMs).toISOString();
const instantOrNull = (atMs: number | null | undefined): string | null =>
  atMs === null || atMs === undefined ? null : instant(atMs);

/** One attempt, once the files are ready: before_run → agent → leftovers killed → after_run → save → snapshot. */
import { awaitCommand, note, operationId, settle, type Draft } from './draft.ts';
import { describeEnd } from './ended.ts';
import type { Outcome } from './event.ts';
import type { Standing } from './files.ts';
import { beginSaving } from './saving.ts';
import type { Attempt, Work } from './state.ts';

type ScriptEnded = Extract<Outcome, { type: 'script-ended' }>;

export function beginAttemptRun(draft: Draft, work: Work, attempt: Attempt): Standing {
  attempt.beforeRunReached = true;
  // From here on the files change: the last snapshot has no more than was there before.
  if (draft.state.snapshot) draft.state.snapshot.complete = false;
  if (work.plan?.hooks.before_run !== true) return beginAgent(draft, work, attempt);
  work.phase = 'before_run';
  const operation = operationId(draft.state, 'before_run');
  awaitCommand(draft, work, {
    type: 'run-hook',
    hook: 'before_run',
    operation,
    keepLeftovers: true,
    outcome: null,
  });
  return 'waiting';
}

export function onBeforeRunEnded(draft: Draft, work: Work, attempt: Attempt, ended: ScriptEnded): Standing {
  if (ended.outcome === 'ok' && !work.stop) return beginAgent(draft, work, attempt);
  if (!work.stop) {
    const lost = ended.outcome === 'lost';
    settle(draft, lost ? 'lost' : 'failed', {
      code: lost ? 'sandbox_lost' : 'before_run_failed',
      detail: `before_run ${describeEnd(ended)}; the agent was not started`,
    });
  }
  return beginSettling(draft, work);
}

function beginAgent(draft: Draft, work: Work, attempt: Attempt): Standing {
  attempt.agentStarted = true;
  if (work.plan?.agent === 'external') {
    work.phase = 'agent_wait';
    work.awaiting = null;
    attempt.deadlineAtMs = draft.atMs + work.plan.agentTimeoutMs;
    return 'waiting';
  }
  work.phase = 'agent';
  awaitCommand(draft, work, { type: 'run-agent', operation: operationId(draft.state, 'agent') });
  return 'waiting';
}

/** The agent's own operation kills what the attempt left behind, so after_run is next. */
export function onAgentEnded(draft: Draft, work: Work, attempt: Attempt, ended: ScriptEnded): Standing {
  if (!work.stop) settleAgent(draft, ended);
  return ended.outcome === 'lost' ? beginSettling(draft, work) : beginAfterRun(draft, work, attempt);
}

function settleAgent(draft: Draft, ended: ScriptEnded): void {
  if (ended.outcome === 'ok') return;
  if (ended.outcome === 'timeout')
    return settle(draft, 'timed_out', {
      code: 'agent_timeout',
      detail: ended.detail ?? 'the agent ran out of time',
    });
  if (ended.outcome === 'lost')
    return settle(draft, 'lost', { code: 'sandbox_lost', detail: ended.detail ?? 'the agent was lost' });
  settle(draft, 'failed', { code: 'agent_failed', detail: `the agent ${describeEnd(ended, 'was')}` });
}

/** Leaves `agent_wait`: finished, cancelled or out of time. */
export function beginSettling(draft: Draft, work: Work): Standing {
  work.phase = 'settling';
  awaitCommand(draft, work, { type: 'kill-leftovers' });
  return 'waiting';
}

export function beginAfterRun(draft: Draft, work: Work, attempt: Attempt): Standing {
  if (work.plan?.hooks.after_run !== true) return beginSaving(draft, work);
  work.phase = 'after_run';
  awaitCommand(draft, work, {
    type: 'run-hook',
    hook: 'after_run',
    operation: operationId(draft.state, 'after_run'),
    keepLeftovers: false,
    outcome: attempt.result?.outcome ?? 'succeeded',
  });
  return 'waiting';
}

/** Every attempt shows what became of after_run, if it had one. */
export function recordSkippedAfterRun(draft: Draft, attempt: Attempt): void {
  if (attempt.plan?.hooks.after_run !== true) return;
  if (attempt.hooks.some((run) => run.hook === 'after_run')) return;
  const cause = attempt.result?.failure?.detail ?? 'the attempt ended early';
  const detail = attempt.beforeRunReached
    ? `skipped: ${cause}`
    : `skipped, as before_run was not reached: ${cause}`;
  const operation = operationId(draft.state, 'after_run');
  attempt.hooks.push({
    hook: 'after_run',
    operation,
    outcome: 'skipped',
    exitCode: null,
    durationMs: 0,
    detail,
  });
  note(draft, 'hook', { attempt: attempt.number, hook: 'after_run', outcome: 'skipped', detail });
}

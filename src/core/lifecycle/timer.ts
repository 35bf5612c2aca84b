/** What time alone brings about, and when the object has to be woken for it: both pure functions of the state. */
import { issue, settle, type Draft } from './draft.ts';
import { beginRemoval } from './removal.ts';
import { hasWorkToSave, mustStayAwake } from './saving.ts';
import type { State } from './state.ts';
import { beginSettling } from './attempt.ts';
import { beginAttempt, beginWork } from './work.ts';

/** A sandbox sleeps 10 minutes after its last call; a call every 4 keeps it awake with a margin for one that fails. */
export const KEEP_AWAKE_MS = 240_000;
/** What a person changed is saved this long after the last change. */
export const CHANGED_MS = 120_000;
/** The record of a removed workspace stays this long. */
export const REMOVED_RECORD_MS = 30 * 86_400_000;

/** The earliest instant at which `timer-fired` would change something; null: nothing is owed. Effects are owed apart from this. */
export function nextTimerAtMs(state: State): number | null {
  const due = [nextDueAtMs(state), needsKeepAwake(state) ? state.touchedAtMs + KEEP_AWAKE_MS : null].filter(
    (at) => at !== null,
  );
  return due.length === 0 ? null : Math.min(...due);
}

function nextDueAtMs(state: State): number | null {
  const { stage } = state;
  if (stage.name === 'removed') return stage.atMs + REMOVED_RECORD_MS;
  if (stage.name === 'work')
    return stage.phase === 'agent_wait' ? (state.attempt?.deadlineAtMs ?? null) : null;
  if (stage.name === 'removal') return null;
  const owed = [
    state.retry?.atMs,
    state.removalWish ? state.kept?.nextTryAtMs : null,
    nextSaveAtMs(state),
    nextLookAtMs(state),
  ].filter((at) => typeof at === 'number');
  return owed.length === 0 ? null : Math.min(...owed);
}

/** When a failed save is tried again; null: not by itself. */
export const nextSaveAtMs = (state: State): number | null =>
  hasWorkToSave(state) && state.damaged === null && state.removalWish === null
    ? state.saved.nextTryAtMs
    : null;

/** Soon after the last change, and long before the sandbox sleeps: the save also takes a snapshot where that is needed. */
const nextLookAtMs = (state: State): number | null =>
  state.changedAtMs !== null &&
  state.files === 'present' &&
  state.damaged === null &&
  state.removalWish === null
    ? state.changedAtMs + CHANGED_MS
    : null;

/** A running operation's long poll is a call of its own; waiting for a caller is not, and neither is unsaved work. */
function needsKeepAwake(state: State): boolean {
  if (state.identity.location !== 'cloudflare' || state.files !== 'present') return false;
  const { stage } = state;
  if (stage.name === 'work') return stage.phase === 'agent_wait';
  return stage.name === 'idle' && mustStayAwake(state);
}

/** Does all that is due; nothing, where the timer is early. */
export function onTimer(draft: Draft): void {
  const { state } = draft;
  const { stage } = state;
  const isDue = (at: number | null | undefined) => typeof at === 'number' && at <= draft.atMs;
  if (needsKeepAwake(state) && isDue(state.touchedAtMs + KEEP_AWAKE_MS)) {
    state.touchedAtMs = draft.atMs;
    issue(draft, { type: 'touch' });
  }
  if (stage.name === 'work' && stage.phase === 'agent_wait' && isDue(state.attempt?.deadlineAtMs)) {
    settle(draft, 'timed_out', {
      code: 'agent_timeout',
      detail: 'the caller did not finish the attempt in time',
    });
    beginSettling(draft, stage);
  }
  if (stage.name !== 'idle') return;
  if (state.removalWish && isDue(state.kept?.nextTryAtMs)) beginRemoval(draft);
  else if (state.retry && isDue(state.retry.atMs)) beginAttempt(draft, state.retry.try);
  else if (isDue(nextSaveAtMs(state)) || isDue(nextLookAtMs(state))) {
    // A save that cannot even begin has a backoff of its own.
    state.changedAtMs = null;
    beginWork(draft, 'save');
  }
}

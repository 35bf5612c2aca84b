/**
 * The workspace's state machine: `step(state, event) → {state, effects}`. Pure; no other code decides what happens next.
 * An event that changes nothing gives back the very state it came to; a result that nobody waits for is noted as `ignored`.
 */
import { failure } from '../failure.ts';
import type { Draft } from './draft.ts';
import type { Effect } from './effect.ts';
import type { Event, Note, Step } from './event.ts';
import { onRemovalOutcome } from './removal.ts';
import { onRequest } from './requests.ts';
import { buildInitialState, type State } from './state.ts';
import { onTimer } from './timer.ts';
import { onWorkOutcome } from './work.ts';

/** `null`: nothing was ever dispatched under this key. A removed workspace's key starts a new one. */
export function step(before: State | null, event: Event): Step<State | null, Effect> {
  const state = event.type === 'dispatched' ? buildFreshState(before, event) : before;
  if (state === null)
    return refuse(before, failure('workspace_not_found', 'nothing was dispatched under this key'));
  const draft: Draft = { state: clone(state), effects: [], notes: [], atMs: event.atMs, newId: event.newId };
  if (event.type === 'effect-ended') return endEffect(state, draft, event);
  if (event.type === 'timer-fired') onTimer(draft);
  else {
    const refused = onRequest(draft, event);
    if (refused) return refuse(before, refused);
  }
  return draft.effects.length === 0 && isSame(draft.state, state) ? change(state, [], []) : accept(draft);
}

function buildFreshState(before: State | null, event: Extract<Event, { type: 'dispatched' }>): State {
  if (before !== null && before.stage.name !== 'removed') return before;
  const { task } = event;
  const label = {
    id: task.id ?? task.identifier,
    idGiven: task.id !== null,
    identifier: task.identifier,
    title: task.title ?? '',
    state: task.state ?? '',
    terminal: false,
  };
  return buildInitialState(event.identity, label, (before?.generation ?? 0) + 1, event.atMs);
}

function endEffect(before: State, draft: Draft, event: Extract<Event, { type: 'effect-ended' }>) {
  const { stage } = draft.state;
  if ((stage.name === 'work' || stage.name === 'removal') && stage.awaiting === event.effect) {
    const changed =
      stage.name === 'work'
        ? onWorkOutcome(draft, stage, event.outcome)
        : onRemovalOutcome(draft, stage, event.outcome);
    if (changed) return accept(draft);
  }
  const data = { event: event.type, effect: event.effect, outcome: event.outcome.type };
  return change(before, [], [{ event: 'ignored', data }]);
}

const accept = ({ state, effects, notes, atMs }: Draft) =>
  change({ ...state, updatedAtMs: atMs }, effects, notes);

const change = (state: State, effects: Effect[], notes: Note[]): Step<State | null, Effect> => ({
  state,
  effects,
  notes,
  refused: null,
});

const refuse = (
  state: State | null,
  refused: NonNullable<Step<State, Effect>['refused']>,
): Step<State | null, Effect> => ({
  state,
  effects: [],
  notes: [],
  refused,
});

/** Plain data only: a deep copy through JSON keeps every value. */
const isSame = (one: State, other: State): boolean => JSON.stringify(one) === JSON.stringify(other);
const clone = (state: State): State => JSON.parse(JSON.stringify(state)) as State;

/** The working copy that one step changes; nothing of it escapes but through `step`. */
import type { Command, Effect } from './effect.ts';
import type { Note } from './event.ts';
import type { AttemptFailure, AttemptOutcome, Removal, State, Work } from './state.ts';

export interface Draft {
  state: State;
  effects: Effect[];
  notes: Note[];
  atMs: number;
  newId: string;
}

/** Issues a command whose result the stage waits for. */
export function awaitCommand(draft: Draft, stage: Work | Removal, command: Command): void {
  stage.operation = 'operation' in command ? command.operation : null;
  stage.awaiting = issue(draft, command);
}

export function issue(draft: Draft, command: Command): string {
  draft.state.effectCount += 1;
  const id = `g${draft.state.generation}-e${draft.state.effectCount}`;
  draft.effects.push({ id, command });
  return id;
}

export function note(draft: Draft, event: Note['event'], data: Record<string, unknown>): void {
  draft.notes.push({ event, data });
}

/** The first cause of an attempt's end wins. */
export function settle(draft: Draft, outcome: AttemptOutcome, cause: AttemptFailure | null): void {
  const attempt = draft.state.attempt;
  if (attempt) attempt.result ??= { outcome, failure: cause };
}

/** A clone that begins from a snapshot restores that under this id; its own is for the saved branch, where that is of no use. */
export const restoreId = (operation: string): string => `${operation}-snapshot`;

/** Operation ids name generation, attempt and effect: no later one can be taken for this one, and a repeat of the effect finds it. */
export function operationId(state: State, what: string): string {
  const attempt = state.attempt?.number ?? 0;
  return `g${state.generation}-a${attempt}-e${state.effectCount + 1}-${what}`.replaceAll('_', '-');
}

/** What cleanup does about a folder on the host that no workspace goes by. Pure. */
import type { State } from './lifecycle/state.ts';
import { isTerminalState } from './workflow.ts';

/**
 * `given` null: as the workspace knows its task, which hears of a change before its project's index does. What the task of a
 * removed one was counts for nothing.
 */
export function isTaskTerminal(
  state: State | null,
  given: string | null,
  terminalStates: readonly string[],
): boolean {
  const known = state === null || state.stage.name === 'removed' ? '' : state.task.state;
  return isTerminalState(given ?? known, terminalStates);
}

/** Whose an incarnation is, as the workspace of its key knows: `left` was its own once and is no more. */
export type Ownership = 'in use' | 'left' | 'unknown';

/** `minted`: the workspace made this creation id up itself, in whichever of its lives. */
export function ownershipOf(state: State | null, creationId: string, minted: boolean): Ownership {
  const lives = state !== null && state.stage.name !== 'removed';
  if (lives && [state.creationId, ...state.formerIds].includes(creationId)) return 'in use';
  return minted ? 'left' : 'unknown';
}

/** Nobody misses for a day what a removal that is still going on, or tried again, has not come to. */
export const ORPHAN_AGE_MS = 86_400_000;

export type Orphan = { remove: boolean; reason: string } | null;

/** null: it is none. Only what is provably ours and old goes; everything else is a person's to decide. */
export function judgeFolder(ownership: Ownership, claimedAtMs: number, nowMs: number): Orphan {
  switch (ownership) {
    case 'in use':
      return null;
    case 'unknown':
      return { remove: false, reason: 'no record of ours names it: look at it and remove it by hand' };
    case 'left':
      return nowMs - claimedAtMs > ORPHAN_AGE_MS
        ? { remove: true, reason: 'its workspace was removed' }
        : { remove: false, reason: 'its workspace was removed; it goes when it is a day old' };
  }
}

/** How often somebody who follows an operation's output asks for more of it. Pure. */

/** An end of a line that may begin a secret is held back so long, in case the rest comes. */
export const HOLD_MS = 1_000;

const FIRST_GATHER_MS = 120;
const GATHER_STEP_MS = 4;
const MAX_GATHER_MS = 1_000;

/**
 * How long output that comes in drops is gathered, the `polls`th time: each question is a subrequest, of which one invocation
 * has a thousand. With these, ten minutes of an alarm ask less than 800 times.
 */
export const gatherMs = (polls: number): number =>
  Math.min(MAX_GATHER_MS, FIRST_GATHER_MS + GATHER_STEP_MS * polls);

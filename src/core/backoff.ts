/** How long to wait before a failed step is tried again. Doubling, bounded, and safe for any number of tries. */

const FIRST_RETRY_DELAY_MS = 10_000;
const FIRST_SAVE_RETRY_DELAY_MS = 30_000;
const FIRST_REMOVAL_RETRY_DELAY_MS = 30_000;
/** A remote that is away for a day is then found again within the hour. */
const MAX_STEP_RETRY_DELAY_MS = 3_600_000;

/** `n` is the number of failed tries since the dispatch, from 1; `maxMs` is `agent.max_retry_backoff_ms`. */
export const retryDelayMs = (n: number, maxMs: number): number => doubled(FIRST_RETRY_DELAY_MS, n, maxMs);

/** As long again as saves have been failing: a dozen attempts that end in one short outage do not make it a long one. */
export const saveRetryDelayMs = (failingForMs: number): number =>
  Math.min(Math.max(failingForMs, FIRST_SAVE_RETRY_DELAY_MS), MAX_STEP_RETRY_DELAY_MS);

/** `tries` is the number of failed removals in a row, from 1. */
export const removalRetryDelayMs = (tries: number): number =>
  doubled(FIRST_REMOVAL_RETRY_DELAY_MS, tries, MAX_STEP_RETRY_DELAY_MS);

/** Past 2^1023 the power is Infinity, which the minimum turns into the bound. */
const doubled = (firstMs: number, tries: number, maxMs: number): number =>
  Math.min(firstMs * 2 ** (Math.max(tries, 1) - 1), maxMs);

/** Instants and durations as people read them. Pure: the present is an argument. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `just now`, `40 s ago`, `3 min ago`, `5 h ago`, `12 d ago`. */
export function ago(instant: string, nowMs: number): string {
  const ms = nowMs - Date.parse(instant);
  return ms < 5 * SECOND ? 'just now' : `${span(ms)} ago`;
}

export function age(instant: string, nowMs: number): string {
  return span(Math.max(0, nowMs - Date.parse(instant)));
}

/** One unit is enough to compare rows by. */
function span(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  return ms < 2 * DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`;
}

/** `80 ms`, `1.2 s`, `12 s`, `3 min 05 s`, `1 h 02 min`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${two((ms % MINUTE) / SECOND)} s`;
  return `${Math.floor(ms / HOUR)} h ${two((ms % HOUR) / MINUTE)} min`;
}

/** Counts down to `instant`; `now` once it is due. */
export function countdown(instant: string, nowMs: number): string {
  const ms = Date.parse(instant) - nowMs;
  if (ms <= 0) return 'now';
  const seconds = Math.ceil(ms / SECOND);
  return seconds < 60 ? `in ${seconds} s` : `in ${duration(seconds * SECOND)}`;
}

const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');

export const isOlderThan = (instant: string | null, ms: number, nowMs: number): boolean =>
  instant === null || nowMs - Date.parse(instant) > ms;

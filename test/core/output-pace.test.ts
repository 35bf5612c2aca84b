import { expect, test } from 'vitest';
import { gatherMs } from '../../src/core/output-pace.ts';

/** Polls within a time, where output never ends and answers come at once. */
function countPolls(withinMs: number): number {
  let polls = 0;
  for (let atMs = 0; atMs < withinMs; polls += 1) atMs += gatherMs(polls);
  return polls;
}

test('a log is shown at once at first', () => {
  expect(countPolls(5_000)).toBeGreaterThan(20);
});

test('ten minutes of endless output stay below a thousand subrequests, an hour below ten thousand', () => {
  expect(countPolls(10 * 60_000)).toBeLessThan(800);
  expect(countPolls(3_600_000)).toBeLessThan(10_000);
});

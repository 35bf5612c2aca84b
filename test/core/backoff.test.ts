import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { removalRetryDelayMs, retryDelayMs, saveRetryDelayMs } from '../../src/core/backoff.ts';

describe('the delay of a retry', () => {
  test.each([
    [1, 300_000, 10_000],
    [2, 300_000, 20_000],
    [3, 300_000, 40_000],
    [4, 300_000, 80_000],
    [5, 300_000, 160_000],
    [6, 300_000, 300_000],
    [1, 0, 0],
    [7, 0, 0],
    [1, 500, 500],
    [0, 300_000, 10_000],
    [-5, 300_000, 10_000],
    [1e9, 300_000, 300_000],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [30, Number.MAX_SAFE_INTEGER, 10_000 * 2 ** 29],
  ])('after %d tries with a bound of %d is %d ms', (tries, maxMs, delayMs) => {
    expect(retryDelayMs(tries, maxMs)).toBe(delayMs);
  });

  test('is a whole number within the bound and never shrinks', () => {
    fc.assert(
      fc.property(fc.nat(), fc.maxSafeNat(), (n, maxMs) => {
        const delayMs = retryDelayMs(n + 1, maxMs);
        expect(Number.isSafeInteger(delayMs)).toBe(true);
        expect(delayMs).toBeLessThanOrEqual(maxMs);
        expect(retryDelayMs(n + 2, maxMs)).toBeGreaterThanOrEqual(delayMs);
      }),
    );
  });
});

describe('the delay after a failed removal', () => {
  test.each([
    [1, 30_000],
    [2, 60_000],
    [7, 1_920_000],
    [8, 3_600_000],
    [1e6, 3_600_000],
    [0, 30_000],
  ])('is, for try %d, %d ms', (tries, expectedMs) => {
    expect(removalRetryDelayMs(tries)).toBe(expectedMs);
  });
});

describe('the delay after a failed save', () => {
  test.each([
    [0, 30_000],
    [29_999, 30_000],
    [90_000, 90_000],
    [3_599_999, 3_599_999],
    [86_400_000, 3_600_000],
  ])('is, when saves have failed for %d ms, %d ms', (failingForMs, expectedMs) => {
    expect(saveRetryDelayMs(failingForMs)).toBe(expectedMs);
  });

  test('doubles from try to try where nothing else saves, and finds a remote that was away within the hour', () => {
    const delays: number[] = [];
    for (let failingForMs = 0; delays.length < 10; failingForMs += delays.at(-1) ?? 0)
      delays.push(saveRetryDelayMs(failingForMs));
    expect(delays.map((ms) => ms / 30_000)).toEqual([1, 1, 2, 4, 8, 16, 32, 64, 120, 120]);
  });
});

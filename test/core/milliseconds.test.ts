import { expect, test } from 'vitest';
import { millisecondsOr } from '../../src/core/milliseconds.ts';

test.each([
  ['3000', 3000],
  [' 3000 ', 3000],
  [undefined, 60_000],
  ['', 60_000],
  ['60s', 60_000],
  ['0', 60_000],
  ['-1', 60_000],
  ['1.5', 60_000],
  ['Infinity', 60_000],
])('the milliseconds of %j are %d', (text, expected) => {
  expect(millisecondsOr(text, 60_000)).toBe(expected);
});

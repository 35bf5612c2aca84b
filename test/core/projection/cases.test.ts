import { expect, test } from 'vitest';
import cases from '../../cases/projection.json' with { type: 'json' };
import { digestOf, verdictOf } from './case-outcome.ts';
import type { ProjectionCase } from './case-outcome.ts';
import golden from './golden-digest.json' with { type: 'json' };

const given = cases.cases as unknown as ProjectionCase[];

test.each(given)('case $id gives the given outcome', (one) => {
  expect(verdictOf(one)).toMatchObject({ pass: true });
});

test('all cases give the same bytes in Node and in the Worker', () => {
  expect(digestOf(given)).toBe(golden.digest);
});

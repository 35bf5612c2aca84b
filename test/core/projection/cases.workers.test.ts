import { expect, test } from 'vitest';
import cases from '../../cases/projection.json' with { type: 'json' };
import { verdictOf } from './case-outcome.ts';
import type { ProjectionCase } from './case-outcome.ts';

test.each(cases.cases as unknown as ProjectionCase[])('case $id gives the given outcome', (given) => {
  expect(verdictOf(given)).toMatchObject({ pass: true });
});

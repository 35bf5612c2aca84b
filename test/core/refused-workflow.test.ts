import { expect, test } from 'vitest';
import { failure } from '../../src/core/failure.ts';
import { recordRefusal } from '../../src/core/refused-workflow.ts';

const diagnostic = { code: 'bad', severity: 'error', message: 'is bad', path: 'hooks', line: 3 } as const;

test('a refusal of usual size is kept as it is', () => {
  const refused = failure('workflow_invalid', 'it is bad', { diagnostics: [diagnostic] });
  expect(recordRefusal('text', refused, 7)).toEqual({
    atMs: 7,
    code: 'workflow_invalid',
    detail: 'it is bad',
    text: 'text',
    diagnostics: [diagnostic],
  });
  expect(recordRefusal('text', failure('workspace_root_refused', 'not there'), 7).diagnostics).toEqual([]);
});

test('one that quotes a whole file fits into one stored value', () => {
  const long = '\u0001'.repeat(262_144);
  const many = Array.from({ length: 500 }, () => ({ ...diagnostic, message: long, path: long }));
  const kept = recordRefusal('', failure('workflow_invalid', long, { diagnostics: many }), 7);
  expect(JSON.stringify(kept).length).toBeLessThan(2_000_000);
  expect(kept.diagnostics).toHaveLength(100);
});

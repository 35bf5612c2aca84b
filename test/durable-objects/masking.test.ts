import { expect, test } from 'vitest';
import { maskingOf } from '../../durable-objects/effects/masking.ts';
import { buildMasker } from '../../src/core/redact.ts';

const masker = buildMasker(['my-secret-1']);

test('a secret in the reason of a skipped snapshot is masked', () => {
  const snapshot = { id: '', atMs: 1, head: null, complete: false, skipped: 'cannot read my-secret-1.txt' };
  const mask = maskingOf({ type: 'snapshotted', snapshot });
  expect(mask?.(masker)).toEqual({
    type: 'snapshotted',
    snapshot: { ...snapshot, skipped: 'cannot read ***.txt' },
  });
});

test('a script that ended with words has them masked, one without needs nobody who masks', () => {
  const ended = { type: 'script-ended', outcome: 'failed', exitCode: 1, durationMs: 1 } as const;
  expect(maskingOf({ ...ended, detail: null })).toBeNull();
  expect(maskingOf({ ...ended, detail: 'my-secret-1 it said' })?.(masker)).toEqual({
    ...ended,
    detail: '*** it said',
  });
});

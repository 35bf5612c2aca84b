import { expect, test } from 'vitest';
import { maskOutcome } from '../../durable-objects/effects/masking.ts';
import { buildMasker } from '../../src/core/redact.ts';

test('a secret in the reason of a skipped snapshot is masked', () => {
  const snapshot = { id: '', atMs: 1, head: null, complete: false, skipped: 'cannot read my-secret-1.txt' };
  const masked = maskOutcome(buildMasker(['my-secret-1']), { type: 'snapshotted', snapshot });
  expect(masked).toEqual({ type: 'snapshotted', snapshot: { ...snapshot, skipped: 'cannot read ***.txt' } });
});

/** How a script ended, in words that go after its name. */
import type { Run } from './state.ts';

export function describeEnd(
  { outcome, exitCode, detail }: Pick<Run, 'outcome' | 'exitCode' | 'detail'>,
  otherwise = 'ended as',
): string {
  if (outcome !== 'failed') return `${otherwise} ${outcome}`;
  if (exitCode !== null) return `exited with ${exitCode}`;
  return `did not start${detail === null ? '' : ` (${detail.replace(/\.$/, '')})`}`;
}

/** `harness key`: the workspace key of a task identifier, as the server makes it. */
import { workspaceKey } from '../../core/key.ts';
import type { Run } from '../invocation.ts';
import { done, refuseWith } from '../outcome.ts';

export const runKey: Run = ({ names }) => {
  const identifier = names[0] as string;
  const key = workspaceKey(identifier);
  if (!key.ok) return refuseWith('USAGE', key.error.detail);
  return { ...done(key.value), data: { identifier, key: key.value } };
};

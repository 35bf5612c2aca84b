/** Which workspace a dispatched task means: by its id first, then by its key; a key is never shared by two tasks. Pure. */
import type { Dispatch } from './api.ts';
import { failure, type Failure } from './failure.ts';
import { err, ok, type Result } from './result.ts';

/** What is known of a task that has a workspace. */
export interface KnownTask {
  key: string;
  identifier: string;
  task_id: string;
  /** 0: nobody gave an id, the identifier stands for it. */
  id_given: number;
}

export interface Owner<Known extends KnownTask> {
  key: string;
  /** null: no workspace yet. */
  known: Known | null;
}

/** `byId`: whose id is the task's; `byKey`: who has `key`, the task's own. */
export function findOwner<Known extends KnownTask>(
  task: Dispatch['task'],
  { key, byId, byKey }: { key: string; byId: Known | null; byKey: Known | null },
): Result<Owner<Known>, Failure> {
  // The tracker may have renamed the task: same workspace, old key.
  if (byId !== null) return ok({ key: byId.key, known: byId });
  if (byKey === null || isSameTask(byKey, task)) return ok({ key, known: byKey });
  const other = `${JSON.stringify(byKey.task_id)} (${JSON.stringify(byKey.identifier)})`;
  const way = 'end that task first, or give this one another identifier';
  return err(
    failure('workspace_key_conflict', `the workspace key ${key} belongs to the task ${other}; ${way}`),
  );
}

/** What the workspace's record says once a dispatch is accepted: the first explicit id replaces a defaulted one. */
export const idAfter = (known: KnownTask, task: Dispatch['task']): Pick<KnownTask, 'task_id' | 'id_given'> =>
  known.id_given === 0 && task.id !== undefined
    ? { task_id: task.id, id_given: 1 }
    : { task_id: known.task_id, id_given: known.id_given };

/** Without an id on either side the identifier decides; a defaulted id gives way to the first explicit one. */
const isSameTask = (known: KnownTask, task: Dispatch['task']): boolean =>
  known.identifier === task.identifier && (task.id === undefined || known.id_given === 0);

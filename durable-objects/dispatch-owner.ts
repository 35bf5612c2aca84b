/** Which workspace a dispatched task means: by its id first, then by its key; a key is never shared by two tasks. */
import type { Dispatch } from '../src/core/api.ts';
import { failure, type Failure } from '../src/core/failure.ts';
import { workspaceKey } from '../src/core/key.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import type { ProjectStore, WorkspaceRow } from './project-store.ts';

export interface Owner {
  key: string;
  /** null: no workspace yet. */
  row: WorkspaceRow | null;
}

export function findOwner(store: ProjectStore, task: Dispatch['task']): Result<Owner, Failure> {
  const key = workspaceKey(task.identifier);
  if (!key.ok) return key;
  const known = store.rowByTask(task.id ?? task.identifier);
  // The tracker may have renamed the task: same workspace, old key.
  if (known !== null) return ok({ key: known.key, row: known });
  const row = store.rowByKey(key.value);
  if (row === null || isSameTask(row, task)) return ok({ key: key.value, row });
  return err(
    failure(
      'workspace_key_conflict',
      `the workspace key ${key.value} belongs to the task ${JSON.stringify(row.task_id)} (${JSON.stringify(row.identifier)}); end that task first, or give this one another identifier`,
    ),
  );
}

/** Without an id on either side the identifier decides; a defaulted id gives way to the first explicit one. */
const isSameTask = (row: WorkspaceRow, task: Dispatch['task']): boolean =>
  row.identifier === task.identifier && (task.id === undefined || row.id_given === 0);

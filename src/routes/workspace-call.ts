/** Calls a workspace's object, and says which part of the address is wrong when there is none. */
import type { Answer, WorkspaceRpc } from '../../durable-objects/rpc.ts';
import { projectOf, workspaceOf } from '../../durable-objects/stubs.ts';
import type { Env } from '../sandbox/env.ts';

/** The project is asked only when the workspace is missing, so the usual request costs one call. */
export async function ofWorkspace<T>(
  env: Env,
  { project, key }: { project: string; key: string },
  call: (workspace: WorkspaceRpc) => Answer<T>,
): Answer<T> {
  const answer = await call(workspaceOf(env, project, key));
  if (answer.ok || answer.error.code !== 'workspace_not_found') return answer;
  const owner = await projectOf(env, project).get();
  return owner.ok ? answer : owner;
}

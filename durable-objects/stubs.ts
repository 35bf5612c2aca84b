/** How the objects are named, and typed handles to them. */
import type { Failure } from '../src/core/failure.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import type { TerminalSize } from '../src/sandbox/access.ts';
import type { Env } from '../src/sandbox/env.ts';
import type { ProjectForWorkspace } from './project-for-workspace.ts';
import type { DirectoryRpc, ProjectRpc, WorkspaceRpc } from './rpc.ts';
import type { WorkspaceForProject } from './workspace-for-project.ts';

export const directoryOf = (env: Env): DirectoryRpc =>
  env.DIRECTORY.getByName('directory') as unknown as DirectoryRpc;

export const projectOf = (env: Env, project: string): ProjectRpc & ProjectForWorkspace =>
  env.PROJECT.getByName(project) as unknown as ProjectRpc & ProjectForWorkspace;

/** A project id has no slash, so no two workspaces share a name. */
export const workspaceOf = (env: Env, project: string, key: string): WorkspaceRpc & WorkspaceForProject =>
  env.WORKSPACE.getByName(`${project}/${key}`) as unknown as WorkspaceRpc & WorkspaceForProject;

/** A WebSocket can't travel over RPC: the one call of a workspace that is a request. */
export async function terminalOf(
  env: Env,
  project: string,
  key: string,
  { cols, rows, actor }: TerminalSize & { actor: string },
): Promise<Result<Response, Failure>> {
  const query = new URLSearchParams({ cols: String(cols), rows: String(rows), actor });
  const request = new Request(`http://workspace/terminal?${query.toString()}`, {
    headers: { upgrade: 'websocket' },
  });
  const answer = await env.WORKSPACE.getByName(`${project}/${key}`).fetch(request);
  return answer.webSocket ? ok(answer) : err(await answer.json<Failure>());
}

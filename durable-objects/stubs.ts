/** How the objects are named, and typed handles to them. */
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

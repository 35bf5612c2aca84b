/** Workspaces: the files and the branch of each task. Reading wakes no sandbox. */
import { projectOf } from '../../durable-objects/stubs.ts';
import {
  SavedStatusName,
  WorkspaceDetail,
  WorkspacePage,
  WorkspaceStatus,
  WorkspaceView,
} from '../core/api.ts';
import { ok } from '../core/result.ts';
import { decodeCursor } from '../http/cursor.ts';
import { DEFAULT_PAGE, flag, pageQuery, projectParams, workspaceParams } from '../http/fields.ts';
import { json, noContent, reply, replyPage } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer } from './documents.ts';
import { attemptExample, workspaceExample } from './examples.ts';
import { ofWorkspace } from './workspace-call.ts';

const listWorkspaces = route(
  'GET /v1/projects/{project}/workspaces',
  {
    tag: 'Workspaces',
    summary: "List the project's workspaces",
    params: projectParams,
    query: {
      ...pageQuery,
      status: WorkspaceStatus.optional().meta({ description: 'Only workspaces of this status.' }),
      saved: SavedStatusName.optional().meta({ description: 'Only workspaces of this saved status.' }),
    },
    answers: {
      200: jsonAnswer('A page, newest first.', WorkspacePage, {
        workspaces: [workspaceExample],
        next_cursor: null,
      }),
    },
    errors: ['project_not_found'],
  },
  async ({ params, query, env }) => {
    const cursor = decodeCursor(query.cursor, (inner) => /^\d{1,15}$/.test(inner));
    if (!cursor.ok) return cursor;
    const { limit = DEFAULT_PAGE, status = null, saved = null } = query;
    const list = { limit, cursor: cursor.value, status, saved };
    return replyPage(await projectOf(env, params.project).listWorkspaces(list));
  },
);

const getWorkspace = route(
  'GET /v1/projects/{project}/workspaces/{key}',
  {
    tag: 'Workspaces',
    summary: 'One workspace with its last 20 attempts',
    params: workspaceParams,
    answers: {
      200: jsonAnswer('The workspace; attempts come without output.', WorkspaceDetail, {
        ...workspaceExample,
        attempts: [attemptExample],
      }),
    },
    errors: ['project_not_found', 'workspace_not_found'],
  },
  async ({ params, env }) => reply(200, await ofWorkspace(env, params, (workspace) => workspace.view())),
);

const saveWorkspace = route(
  'POST /v1/projects/{project}/workspaces/{key}/save',
  {
    tag: 'Workspaces',
    summary: 'Save the branch to the repository now',
    params: workspaceParams,
    answers: { 202: jsonAnswer('Saving.', WorkspaceView, { ...workspaceExample, phase: 'saving' }) },
    errors: [
      'project_not_found',
      'workspace_not_found',
      'attempt_in_progress',
      'workspace_removing',
      'workspace_damaged',
      'sandbox_unavailable',
    ],
  },
  async ({ params, env }) => reply(202, await ofWorkspace(env, params, (workspace) => workspace.save())),
);

const deleteWorkspace = route(
  'DELETE /v1/projects/{project}/workspaces/{key}',
  {
    tag: 'Workspaces',
    summary: 'Remove the workspace',
    notes:
      'Saves the branch, runs `before_remove`, removes the files. It ends as `removed` or, when the branch cannot be saved, as `kept`. The refusal `workspace_unsaved` lists what would be lost in `unsaved_commits` and `uncommitted`.',
    params: workspaceParams,
    query: {
      cancel: flag(
        '`true`: cancel a running attempt first; otherwise it is refused with `workspace_in_use`.',
      ),
      discard: flag('`true`: remove even when the branch cannot be saved. What is unsaved is lost.'),
    },
    idempotent: true,
    answers: {
      202: jsonAnswer('Removal has started.', WorkspaceView, {
        ...workspaceExample,
        status: 'removing',
        phase: 'saving',
      }),
      204: { description: 'It was removed before.' },
    },
    errors: [
      'project_not_found',
      'workspace_not_found',
      'workspace_in_use',
      'workspace_unsaved',
      'idempotency_key_reused',
    ],
  },
  async ({ params, query, idempotency, env }) => {
    const options = { cancel: query.cancel ?? false, discard: query.discard ?? false };
    const removal = await ofWorkspace(env, params, (workspace) => workspace.remove(options, idempotency));
    if (!removal.ok) return removal;
    return ok(removal.value.gone ? noContent() : json(202, removal.value.workspace));
  },
);

export const workspaceRoutes: Route[] = [listWorkspaces, getWorkspace, saveWorkspace, deleteWorkspace];

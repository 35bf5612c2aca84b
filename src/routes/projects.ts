/** Projects: settings that new workspaces start from. */
import { directoryOf, projectOf } from '../../durable-objects/stubs.ts';
import { ProjectId, ProjectPage, ProjectView, PutProject } from '../core/api.ts';
import type { Env } from '../sandbox/env.ts';
import { ok } from '../core/result.ts';
import { decodeCursor } from '../http/cursor.ts';
import { DEFAULT_PAGE, pageQuery, projectParams } from '../http/fields.ts';
import { noContent, reply, replyPage } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer, jsonBody } from './documents.ts';
import { projectExample, putProjectExample } from './examples.ts';

const putProject = route(
  'PUT /v1/projects/{project}',
  {
    tag: 'Projects',
    summary: 'Create a project or replace its settings',
    notes:
      'A left-out `workflow`, the environment and the credential stay as they are. Without `repository` workspaces start as empty git repositories.',
    params: projectParams,
    body: jsonBody(PutProject, putProjectExample),
    answers: {
      200: jsonAnswer('Replaced.', ProjectView, projectExample),
      201: jsonAnswer('Created.', ProjectView, projectExample),
    },
    errors: [
      'repository_refused',
      'location_unavailable',
      'workflow_parse_error',
      'workflow_front_matter_not_a_map',
      'workflow_invalid',
      'workspace_root_refused',
      'encryption_not_configured',
    ],
  },
  async ({ params, body, env }) => {
    const put = await projectOf(env, params.project).put(params.project, body);
    return put.ok ? reply(put.value.created ? 201 : 200, ok(put.value.project)) : put;
  },
);

const listProjects = route(
  'GET /v1/projects',
  {
    tag: 'Projects',
    summary: 'List projects',
    shared: true,
    query: pageQuery,
    answers: {
      200: jsonAnswer('A page, by id.', ProjectPage, { projects: [projectExample], next_cursor: null }),
    },
  },
  async ({ query, env, actor }) => {
    // A token of one project sees a list of that one.
    if (actor?.project) {
      const own = await loadProject(env, actor.project);
      return replyPage(ok({ projects: own ? [own] : [], next_cursor: null }));
    }
    const cursor = decodeCursor(query.cursor, (inner) => ProjectId.safeParse(inner).success);
    if (!cursor.ok) return cursor;
    const page = await directoryOf(env).listProjects(query.limit ?? DEFAULT_PAGE, cursor.value);
    const projects = await Promise.all(page.ids.map((id) => loadProject(env, id)));
    return replyPage(
      ok({ projects: projects.filter((view) => view !== null), next_cursor: page.nextCursor }),
    );
  },
);

const getProject = route(
  'GET /v1/projects/{project}',
  {
    tag: 'Projects',
    summary: 'One project',
    notes: '`workflow_error` tells why the last WORKFLOW.md was refused; the one before it stays in force.',
    params: projectParams,
    answers: { 200: jsonAnswer('The project.', ProjectView, projectExample) },
    errors: ['project_not_found'],
  },
  async ({ params, env }) => reply(200, await projectOf(env, params.project).get()),
);

const deleteProject = route(
  'DELETE /v1/projects/{project}',
  {
    tag: 'Projects',
    summary: 'Delete a project that has no workspaces',
    params: projectParams,
    answers: { 204: { description: 'Deleted.' } },
    errors: ['project_not_found', 'project_not_empty'],
  },
  async ({ params, env }) => {
    const removed = await projectOf(env, params.project).remove();
    return removed.ok ? ok(noContent()) : removed;
  },
);

/** null: it was deleted between the directory's answer and its own. */
async function loadProject(env: Env, id: string): Promise<ProjectView | null> {
  const view = await projectOf(env, id).get();
  return view.ok ? view.value : null;
}

export const projectRoutes: Route[] = [putProject, listProjects, getProject, deleteProject];

/** Environment of hooks and agents, global and per project. Values are write-only. */
import { directoryOf, projectOf } from '../../durable-objects/stubs.ts';
import { EnvironmentView, PatchEnvironment } from '../core/api.ts';
import { ok } from '../core/result.ts';
import { projectParams } from '../http/fields.ts';
import { reply } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer, jsonBody } from './documents.ts';
import { checkEnvironment } from './environment-names.ts';
import { environmentExample, patchEnvironmentExample } from './examples.ts';

const notes =
  'Merges: a string sets, null deletes, a left-out name stays. `{value, secret: true}` sets a value that is masked in outputs although its name does not say TOKEN, SECRET, KEY or PASSWORD. Values never come back. Names match `^[A-Za-z_][A-Za-z0-9_]*$` and do not start with `SYMPHONY_`.';
const names = jsonAnswer('The names that are set.', EnvironmentView, environmentExample);

const putProjectEnvironment = route(
  'PUT /v1/projects/{project}/environment',
  {
    tag: 'Projects',
    summary: "Change the project's environment",
    notes,
    params: projectParams,
    body: jsonBody(PatchEnvironment, patchEnvironmentExample),
    answers: { 200: names },
    errors: ['project_not_found', 'environment_name_refused', 'encryption_not_configured'],
  },
  async ({ params, body, env }) => {
    const patch = checkEnvironment(body);
    return patch.ok ? reply(200, await projectOf(env, params.project).patchEnvironment(patch.value)) : patch;
  },
);

const getProjectEnvironment = route(
  'GET /v1/projects/{project}/environment',
  {
    tag: 'Projects',
    summary: "Names in the project's environment",
    params: projectParams,
    answers: { 200: names },
    errors: ['project_not_found'],
  },
  async ({ params, env }) => reply(200, await projectOf(env, params.project).listEnvironment()),
);

const putEnvironment = route(
  'PUT /v1/environment',
  {
    tag: 'Service',
    summary: 'Change the environment of all projects',
    notes: `${notes} A project's own value of a name wins.`,
    body: jsonBody(PatchEnvironment, patchEnvironmentExample),
    answers: { 200: names },
    errors: ['environment_name_refused', 'encryption_not_configured'],
  },
  async ({ body, env }) => {
    const patch = checkEnvironment(body);
    return patch.ok ? reply(200, await directoryOf(env).patchEnvironment(patch.value)) : patch;
  },
);

const getEnvironment = route(
  'GET /v1/environment',
  { tag: 'Service', summary: 'Names in the environment of all projects', answers: { 200: names } },
  async ({ env }) => reply(200, ok(await directoryOf(env).listEnvironment())),
);

export const environmentRoutes: Route[] = [
  putProjectEnvironment,
  getProjectEnvironment,
  putEnvironment,
  getEnvironment,
];

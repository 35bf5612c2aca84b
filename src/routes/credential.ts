/** The credential of a project's repository: write-only, and never in a sandbox. */
import { projectOf } from '../../durable-objects/stubs.ts';
import { Credential, ProjectView } from '../core/api.ts';
import { projectParams } from '../http/fields.ts';
import { reply } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer, jsonBody } from './documents.ts';
import { projectExample } from './examples.ts';

const answers = { 200: jsonAnswer('The project.', ProjectView, projectExample) };

const putCredential = route(
  'PUT /v1/projects/{project}/credential',
  {
    tag: 'Projects',
    summary: "Set the credential of the project's repository",
    notes:
      'Kept encrypted; no answer ever holds it. Sandboxes reach the repository through this service, which adds the credential: it never enters a sandbox. It is for the host that the repository is on now, and goes to no other: set it again when the repository moves. `username` defaults to `x-access-token`, which git hosts take beside a token.',
    params: projectParams,
    body: jsonBody(Credential, { kind: 'token', token: 'github_pat_example' }),
    answers,
    errors: ['project_not_found', 'encryption_not_configured'],
  },
  async ({ params, body, env }) => reply(200, await projectOf(env, params.project).putCredential(body)),
);

const deleteCredential = route(
  'DELETE /v1/projects/{project}/credential',
  {
    tag: 'Projects',
    summary: "Take the credential of the project's repository away",
    params: projectParams,
    answers,
    errors: ['project_not_found'],
  },
  async ({ params, env }) => reply(200, await projectOf(env, params.project).putCredential(null)),
);

export const credentialRoutes: Route[] = [putCredential, deleteCredential];

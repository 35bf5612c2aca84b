/** The project's WORKFLOW.md: hooks, agent and policy as one markdown file. */
import * as z from 'zod';
import { projectOf } from '../../durable-objects/stubs.ts';
import { ProjectView } from '../core/api.ts';
import { ok } from '../core/result.ts';
import { projectParams } from '../http/fields.ts';
import { reply, text } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer, markdownBody } from './documents.ts';
import { projectExample, workflowExample } from './examples.ts';

const putWorkflow = route(
  'PUT /v1/projects/{project}/workflow',
  {
    tag: 'Projects',
    summary: 'Replace the WORKFLOW.md',
    notes:
      'The body is the file itself. An invalid one is refused with line and column of every fault, and the last good one stays in force.',
    params: projectParams,
    body: markdownBody(z.string(), workflowExample),
    answers: { 200: jsonAnswer('In force for every attempt from now on.', ProjectView, projectExample) },
    errors: [
      'project_not_found',
      'workflow_parse_error',
      'workflow_front_matter_not_a_map',
      'workflow_invalid',
      'workspace_root_refused',
    ],
  },
  async ({ params, body, env }) => reply(200, await projectOf(env, params.project).putWorkflow(body)),
);

const getWorkflow = route(
  'GET /v1/projects/{project}/workflow',
  {
    tag: 'Projects',
    summary: 'The WORKFLOW.md in force',
    notes: 'Empty when none was ever accepted.',
    params: projectParams,
    answers: {
      200: { description: 'The text, byte for byte.', type: 'text/markdown', example: workflowExample },
    },
    errors: ['project_not_found'],
  },
  async ({ params, env }) => {
    const workflow = await projectOf(env, params.project).getWorkflow();
    return workflow.ok ? ok(text('text/markdown', workflow.value)) : workflow;
  },
);

export const workflowRoutes: Route[] = [putWorkflow, getWorkflow];

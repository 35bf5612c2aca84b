/** What happens, as Server-Sent Events: resumed by number, so that a reader who was away misses nothing. */
import * as z from 'zod';
import { projectOf } from '../../durable-objects/stubs.ts';
import { ok } from '../core/result.ts';
import { projectParams, workspaceParams } from '../http/fields.ts';
import { type Answer, type Route, route } from '../http/route.ts';
import { ofWorkspace } from './workspace-call.ts';

const query = {
  last_event_id: z
    .string()
    .regex(/^\d{1,15}$/, 'must be an id of an event')
    .optional()
    .meta({ description: 'As the header `Last-Event-ID`, for readers that cannot send it.' }),
};

const stream = (example: string): Answer => ({
  description: 'Events until the reader goes away; a comment every 15 s while nothing happens.',
  type: 'text/event-stream',
  example,
});

const projectEvents = route(
  'GET /v1/projects/{project}/events',
  {
    tag: 'Projects',
    summary: "What happens in the project's workspaces",
    notes:
      'Event `workspace` with a workspace as data, each time that one changed. `Last-Event-ID` gets every workspace that has changed since.',
    params: projectParams,
    query,
    answers: { 200: stream('id: 12\nevent: workspace\ndata: {"key":"ABC-1","status":"running",…}\n\n') },
    errors: ['project_not_found'],
  },
  async ({ params, query: { last_event_id: last }, env, request }) =>
    answer(await projectOf(env, params.project).openEvents(lastEvent(request, last))),
);

const workspaceEvents = route(
  'GET /v1/projects/{project}/workspaces/{key}/events',
  {
    tag: 'Workspaces',
    summary: 'What happens in the workspace',
    notes:
      'Events `workspace` and `attempt` carry the object; `hook`, `save` and `removal` what ended how; `output` new text of the hook or agent that runs: `{attempt, hook, operation, stream, offset, text, missing_bytes}`. The workspace as it is comes first. `Last-Event-ID` resumes from the last 2 000 events; output is not resumed, it starts with what is kept.',
    params: workspaceParams,
    query,
    answers: {
      200: stream(
        'event: output\ndata: {"attempt":1,"hook":"agent","operation":"g1-a1-e7-agent","stream":"stdout","offset":0,"text":"hi\\n","missing_bytes":0}\n\n',
      ),
    },
    errors: ['project_not_found', 'workspace_not_found'],
  },
  async ({ params, query: { last_event_id: last }, env, request }) => {
    const after = lastEvent(request, last);
    return answer(await ofWorkspace(env, params, (workspace) => workspace.openEvents(after)));
  },
);

/** A browser sends the header again after a break; a number that is none is as good as no number. */
function lastEvent(request: Request, asked: string | undefined): number | null {
  const id = request.headers.get('last-event-id') ?? asked ?? '';
  return /^\d{1,15}$/.test(id) ? Number(id) : null;
}

const answer = (opened: Awaited<ReturnType<ReturnType<typeof projectOf>['openEvents']>>) =>
  opened.ok
    ? ok(new Response(opened.value, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }))
    : opened;

export const eventRoutes: Route[] = [projectEvents, workspaceEvents];

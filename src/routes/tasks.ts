/** Work on a task: start an attempt, tell the tracker's state. */
import * as z from 'zod';
import { projectOf } from '../../durable-objects/stubs.ts';
import { Dispatch, Dispatched, TaskState, TaskStateAnswer } from '../core/api.ts';
import { workspaceKey } from '../core/key.ts';
import { err } from '../core/result.ts';
import { invalidRequest } from '../http/field-faults.ts';
import { projectParams } from '../http/fields.ts';
import { reply } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer, jsonBody } from './documents.ts';
import { attemptExample, dispatchExample, workspaceExample } from './examples.ts';

const taskParams = {
  ...projectParams,
  id: z.string().min(1).max(1024).meta({
    description: "The task's id, percent-encoded; the identifier when the dispatch gave no id.",
    example: '10001',
  }),
};

const dispatchTask = route(
  'POST /v1/projects/{project}/dispatch',
  {
    tag: 'Tasks',
    summary: 'Start an attempt on a task',
    notes:
      "The task's first dispatch makes its workspace. `agent` overrides the workflow's for this dispatch; `external`: the caller runs the agent and calls `finish`.",
    params: projectParams,
    body: jsonBody(Dispatch, dispatchExample),
    idempotent: true,
    answers: {
      202: jsonAnswer('Accepted; the attempt runs on.', Dispatched, {
        workspace: workspaceExample,
        attempt: attemptExample,
      }),
    },
    errors: [
      'project_not_found',
      'attempt_in_progress',
      'workspace_key_conflict',
      'workspace_removing',
      'workspace_damaged',
      'idempotency_key_reused',
      'task_terminal',
      'workspace_root_refused',
      'location_unavailable',
      'sandbox_unavailable',
    ],
  },
  async ({ params, body, idempotency, env }) => {
    const key = workspaceKey(body.task.identifier);
    if (!key.ok)
      return err(
        invalidRequest([
          { field: 'task.identifier', message: `body \`task.identifier\`: ${sentence(key.error.detail)}` },
        ]),
      );
    return reply(202, await projectOf(env, params.project).dispatch(body, idempotency));
  },
);

const sentence = (detail: string) => detail.replace(/\.$/, '');

const putTaskState = route(
  'PUT /v1/projects/{project}/tasks/{id}/state',
  {
    tag: 'Tasks',
    summary: "Tell the task's state in the tracker",
    notes:
      'A terminal state starts the removal of the workspace, after a running attempt was cancelled. A state that is not terminal re-opens a workspace whose removal has not begun. No URL can carry the ids `.` and `..`: such a task goes by the key of its workspace.',
    params: taskParams,
    body: jsonBody(TaskState, { state: 'Done' }),
    answers: {
      200: jsonAnswer('Noted.', TaskStateAnswer, {
        workspace: { ...workspaceExample, status: 'removing', phase: 'saving' },
        effect: 'removal_started',
      }),
    },
    errors: ['project_not_found', 'task_not_found'],
  },
  async ({ params, body, env }) =>
    reply(200, await projectOf(env, params.project).setTaskState(params.id, body.state)),
);

export const taskRoutes: Route[] = [dispatchTask, putTaskState];

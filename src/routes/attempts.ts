/** Attempts of a workspace: before_run, agent, after_run, save, once each. */
import { AttemptPage, AttemptView, FinishAttempt } from '../core/api.ts';
import { ok } from '../core/result.ts';
import { decodeCursor } from '../http/cursor.ts';
import { DEFAULT_PAGE, attemptParams, pageQuery, workspaceParams } from '../http/fields.ts';
import { reply, replyPage, text } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer, jsonBody } from './documents.ts';
import { attemptExample, logExample } from './examples.ts';
import { ofWorkspace } from './workspace-call.ts';

const listAttempts = route(
  'GET /v1/projects/{project}/workspaces/{key}/attempts',
  {
    tag: 'Attempts',
    summary: "List the workspace's attempts",
    params: workspaceParams,
    query: pageQuery,
    answers: {
      200: jsonAnswer('A page, newest first, without output.', AttemptPage, {
        attempts: [attemptExample],
        next_cursor: null,
      }),
    },
    errors: ['project_not_found', 'workspace_not_found'],
  },
  async ({ params, query, env }) => {
    const cursor = decodeCursor(query.cursor, (inner) => /^\d{1,10}$/.test(inner));
    if (!cursor.ok) return cursor;
    const limit = query.limit ?? DEFAULT_PAGE;
    return replyPage(
      await ofWorkspace(env, params, (workspace) => workspace.listAttempts(limit, cursor.value)),
    );
  },
);

const getAttempt = route(
  'GET /v1/projects/{project}/workspaces/{key}/attempts/{number}',
  {
    tag: 'Attempts',
    summary: 'One attempt with its hook runs and their kept output',
    params: attemptParams,
    answers: { 200: jsonAnswer('The attempt.', AttemptView, attemptExample) },
    errors: ['project_not_found', 'workspace_not_found', 'attempt_not_found'],
  },
  async ({ params, env }) =>
    reply(200, await ofWorkspace(env, params, (workspace) => workspace.attempt(params.number))),
);

const getAttemptLog = route(
  'GET /v1/projects/{project}/workspaces/{key}/attempts/{number}/log',
  {
    tag: 'Attempts',
    summary: "The attempt's output as plain text",
    params: attemptParams,
    answers: {
      200: {
        description: 'What was kept, with a marker where text is missing.',
        type: 'text/plain',
        example: logExample,
      },
    },
    errors: ['project_not_found', 'workspace_not_found', 'attempt_not_found'],
  },
  async ({ params, env }) => {
    const log = await ofWorkspace(env, params, (workspace) => workspace.attemptLog(params.number));
    return log.ok ? ok(text('text/plain', log.value)) : log;
  },
);

const finishAttempt = route(
  'POST /v1/projects/{project}/workspaces/{key}/attempts/{number}/finish',
  {
    tag: 'Attempts',
    summary: 'Tell that the agent which the caller ran is done',
    notes: 'Only in phase `agent_wait`. `after_run` and the save follow.',
    params: attemptParams,
    body: jsonBody(FinishAttempt, { outcome: 'succeeded', detail: 'All tests pass.' }),
    idempotent: true,
    answers: { 202: jsonAnswer('Accepted.', AttemptView, { ...attemptExample, phase: 'after_run' }) },
    errors: [
      'project_not_found',
      'workspace_not_found',
      'attempt_not_found',
      'wrong_phase',
      'attempt_ended',
      'idempotency_key_reused',
    ],
  },
  async ({ params, body, idempotency, env }) => {
    const input = { outcome: body.outcome, detail: body.detail ?? null };
    return reply(
      202,
      await ofWorkspace(env, params, (workspace) =>
        workspace.finishAttempt(params.number, input, idempotency),
      ),
    );
  },
);

const cancelAttempt = route(
  'POST /v1/projects/{project}/workspaces/{key}/attempts/{number}/cancel',
  {
    tag: 'Attempts',
    summary: 'Cancel the attempt',
    notes:
      'Reaches a running hook or agent within 5 s. During `after_run` and the save it is too late: they finish.',
    params: attemptParams,
    answers: { 202: jsonAnswer('Accepted.', AttemptView, attemptExample) },
    errors: ['project_not_found', 'workspace_not_found', 'attempt_not_found', 'attempt_ended'],
  },
  async ({ params, env }) =>
    reply(202, await ofWorkspace(env, params, (workspace) => workspace.cancelAttempt(params.number))),
);

export const attemptRoutes: Route[] = [listAttempts, getAttempt, getAttemptLog, finishAttempt, cancelAttempt];

/** A terminal in the workspace, as a WebSocket. */
import { z } from 'zod';
import { directoryOf, terminalOf } from '../../durable-objects/stubs.ts';
import { FAILURES, failure } from '../core/failure.ts';
import { err } from '../core/result.ts';
import { workspaceParams } from '../http/fields.ts';
import { type Route, route } from '../http/route.ts';

const size = (name: string, usual: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, 'must be a number from 2 to 1000')
    .transform(Number)
    .pipe(z.number().int().min(2).max(1000))
    .optional()
    .meta({ description: `${name} of the screen; ${usual} when left out.` });

const openTerminal = route(
  'GET /v1/projects/{project}/workspaces/{key}/terminal',
  {
    tag: 'Workspaces',
    summary: 'Open a terminal',
    notes:
      'A WebSocket. Binary frames are the bytes of the terminal, both ways. JSON frames: `{"type":"resize","cols","rows"}` to it; `ready`, `warning`, `closed` and `error` from it. A shell of its own each time, confined as the agent of the workspace is; it ends with its connection and with the workspace. In a browser only pages of this service may open one.',
    scope: 'dispatch',
    params: workspaceParams,
    query: { cols: size('Columns', 80), rows: size('Rows', 24) },
    answers: { 101: { description: 'The terminal is open.' } },
    errors: [
      'project_not_found',
      'workspace_not_found',
      'wrong_phase',
      'workspace_removing',
      'workspace_damaged',
      'sandbox_unavailable',
      'rate_limited',
    ],
  },
  async ({ params: { project, key }, query: { cols = 80, rows = 24 }, env, actor, request }) => {
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket')
      return err(
        failure('invalid_request', 'A terminal is a WebSocket: ask for it with `Upgrade: websocket`.'),
      );
    const name = actor?.name ?? 'nobody';
    const opened = await terminalOf(env, project, key, { cols, rows, actor: name });
    const action = 'GET /v1/projects/{project}/workspaces/{key}/terminal';
    await directoryOf(env).recordAudit({
      actor: name,
      action,
      project,
      target: key,
      status: opened.ok ? 101 : FAILURES[opened.error.code].status,
    });
    return opened;
  },
);

export const terminalRoutes: Route[] = [openTerminal];

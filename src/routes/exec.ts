/** Commands of a caller that runs the agent itself. */
import { Exec, ExecLine } from '../core/api.ts';
import { ok } from '../core/result.ts';
import { workspaceParams } from '../http/fields.ts';
import { text } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonBody } from './documents.ts';
import { execExample } from './examples.ts';
import { ofWorkspace } from './workspace-call.ts';

/** Long enough for a build, short enough that a forgotten command ends before the agent's own timeout. */
const DEFAULT_TIMEOUT_MS = 600_000;

const execCommand = route(
  'POST /v1/projects/{project}/workspaces/{key}/exec',
  {
    tag: 'Workspaces',
    summary: 'Run a command in the workspace',
    notes: `Only in phase \`agent_wait\`, that is for agents that the caller runs. \`timeout_ms\` is ${DEFAULT_TIMEOUT_MS} when left out. The answer streams while the command runs.`,
    params: workspaceParams,
    body: jsonBody(Exec, { command: 'git status --short', timeout_ms: 60_000 }),
    answers: {
      200: {
        description: 'One JSON object a line: output as it comes, the outcome last.',
        type: 'application/x-ndjson',
        schema: ExecLine,
        example: execExample,
      },
    },
    errors: [
      'project_not_found',
      'workspace_not_found',
      'wrong_phase',
      'workspace_removing',
      'workspace_damaged',
      'sandbox_unavailable',
      'encryption_not_configured',
    ],
  },
  async ({ params, body, env }) => {
    const timeoutMs = body.timeout_ms ?? DEFAULT_TIMEOUT_MS;
    const lines = await ofWorkspace(env, params, (workspace) => workspace.exec(body.command, timeoutMs));
    return lines.ok ? ok(text('application/x-ndjson', lines.value)) : lines;
  },
);

export const execRoutes: Route[] = [execCommand];

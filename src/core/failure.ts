/** Every failure that reaches a caller, and the one map from its code to HTTP. Codes appear unchanged on the wire. */

/** One fault in a text that the caller sent: where it is and what to do. `line` and `column` count from 1. */
export interface Diagnostic {
  code: string;
  severity: 'error' | 'warning';
  message: string;
  path?: string;
  line?: number;
  column?: number;
}

interface Rule {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 422 | 429 | 500 | 503;
  title: string;
  retryable: boolean;
}

const rule = (status: Rule['status'], title: string, retryable = false): Rule => ({
  status,
  title,
  retryable,
});

export const FAILURES = {
  invalid_request: rule(400, 'The request is malformed'),
  unauthorized: rule(401, 'A valid token is required'),
  forbidden: rule(403, 'This token may not do that'),
  project_not_found: rule(404, 'No such project'),
  workspace_not_found: rule(404, 'No such workspace'),
  attempt_not_found: rule(404, 'No such attempt'),
  task_not_found: rule(404, 'No workspace for this task'),
  token_not_found: rule(404, 'No such API token'),
  file_not_found: rule(404, 'No such file'),
  route_not_found: rule(404, 'No such route'),
  method_not_allowed: rule(405, 'The route has no such method'),
  attempt_in_progress: rule(409, 'An attempt is already running', true),
  attempt_ended: rule(409, 'The attempt has already ended'),
  wrong_phase: rule(409, 'Not possible in this phase'),
  workspace_key_conflict: rule(409, 'Another task owns this workspace key'),
  workspace_in_use: rule(409, 'An attempt is using the workspace'),
  workspace_unsaved: rule(409, 'The workspace holds unsaved work'),
  workspace_removing: rule(409, 'The workspace is being removed', true),
  workspace_damaged: rule(409, 'The workspace is no longer our repository'),
  project_not_empty: rule(409, 'The project still has workspaces'),
  idempotency_key_reused: rule(409, 'The idempotency key was used with another body'),
  file_changed: rule(409, 'The file changed meanwhile'),
  body_too_large: rule(413, 'The body is too large'),
  rate_limited: rule(429, 'Too many requests', true),
  workflow_parse_error: rule(422, 'WORKFLOW.md cannot be parsed'),
  workflow_front_matter_not_a_map: rule(422, 'The front matter is not a map'),
  workflow_invalid: rule(422, 'WORKFLOW.md is invalid'),
  workspace_root_refused: rule(422, 'The workspace root is not allowed'),
  repository_refused: rule(422, 'The repository URL is not accepted'),
  location_unavailable: rule(422, 'This deployment does not offer the location'),
  task_terminal: rule(422, 'The task is in a terminal state'),
  environment_name_refused: rule(422, 'The environment name is not accepted'),
  internal_error: rule(500, 'Internal error'),
  sandbox_unavailable: rule(503, 'The sandbox is unavailable', true),
  auth_not_configured: rule(503, 'No API token is configured'),
  encryption_not_configured: rule(503, 'No encryption key is configured'),
} as const satisfies Record<string, Rule>;

export type FailureCode = keyof typeof FAILURES;

/** `detail` says what failed, with which value, and what to do. `extra` is merged into the problem document. */
export interface Failure {
  code: FailureCode;
  detail: string;
  diagnostics?: Diagnostic[];
  extra?: Record<string, unknown>;
}

export const failure = (
  code: FailureCode,
  detail: string,
  more: Pick<Failure, 'diagnostics' | 'extra'> = {},
): Failure => ({ code, detail, ...more });

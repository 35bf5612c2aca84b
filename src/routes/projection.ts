/** Hooks written once, projected to each agent's own file: pure functions over HTTP. */
import * as z from 'zod';
import type { Diagnostic } from '../core/failure.ts';
import { CAPABILITIES } from '../core/projection/capabilities.ts';
import type { HookEntity as Entity } from '../core/projection/model.ts';
import { project, validate } from '../core/projection/project.ts';
import { ok } from '../core/result.ts';
import { parseWorkflow } from '../core/workflow.ts';
import { json } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer, jsonBody } from './documents.ts';
import { hookExample } from './examples.ts';
import {
  ProjectionAnswer,
  ProjectionRequest,
  ProviderCapability,
  ValidationAnswer,
  ValidationRequest,
} from './projection-model.ts';

const postProjection = route(
  'POST /v1/projection',
  {
    tag: 'Hook projection',
    summary: "Project hooks to the agents' native files",
    notes:
      'Faults of the hooks are a normal answer with `ok: false` and no files. `skipped` lists what `best_effort` left out, and why.',
    access: 'token_unless_public',
    body: jsonBody(ProjectionRequest, { entities: [hookExample], providers: ['claude', 'copilot'] }),
    answers: {
      200: jsonAnswer(
        'The files, or why there are none.',
        ProjectionAnswer,
        project([hookExample], ['claude', 'copilot']),
      ),
    },
  },
  async ({ body }) => ok(json(200, project(body.entities as Entity[], body.providers))),
);

const postValidation = route(
  'POST /v1/validation',
  {
    tag: 'Hook projection',
    summary: 'Check hooks, or a WORKFLOW.md',
    access: 'token_unless_public',
    body: jsonBody(ValidationRequest, { entities: [hookExample] }),
    answers: {
      200: jsonAnswer('`ok` is false when a diagnostic is an error.', ValidationAnswer, {
        ok: true,
        diagnostics: validate([hookExample]),
      }),
    },
  },
  async ({ body }) => {
    const diagnostics =
      body.workflow === undefined ? validate(body.entities as Entity[]) : workflowDiagnostics(body.workflow);
    return ok(json(200, { ok: diagnostics.every(({ severity }) => severity !== 'error'), diagnostics }));
  },
);

const getProviders = route(
  'GET /v1/providers',
  {
    tag: 'Hook projection',
    summary: 'What each agent takes',
    access: 'token_unless_public',
    answers: {
      200: jsonAnswer('One entry per agent.', z.array(ProviderCapability), CAPABILITIES.slice(2, 3)),
    },
  },
  async () => ok(json(200, CAPABILITIES)),
);

function workflowDiagnostics(text: string): Diagnostic[] {
  const parsed = parseWorkflow(text);
  if (parsed.ok) return [];
  const { code, detail, diagnostics } = parsed.error;
  return diagnostics ?? [{ code, severity: 'error', message: detail }];
}

export const projectionRoutes: Route[] = [postProjection, postValidation, getProviders];

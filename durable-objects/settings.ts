/** A project's settings: what is stored, and what of it can be offered here. */
import type { ProjectView, PutProject } from '../src/core/api.ts';
import { failure, type Failure } from '../src/core/failure.ts';
import type { Location } from '../src/core/lifecycle/state.ts';
import type { RefusedWorkflow } from '../src/core/refused-workflow.ts';
import { parseRepositoryUrl } from '../src/core/repository-url.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import { buildProjectWarnings } from '../src/core/warnings.ts';
import type { Workflow } from '../src/core/workflow.ts';
import type { Env } from '../src/sandbox/env.ts';

export interface Settings {
  id: string;
  repository: { url: string; baseBranch: string | null; depth: number | null } | null;
  location: Location;
  isolation: 'bubblewrap' | null;
  createdAtMs: number;
  updatedAtMs: number;
}

const LOCATIONS = ['cloudflare', 'docker', 'host'] as const;

export function offeredLocations(env: Env): Location[] {
  const named = (env.LOCATIONS ?? 'cloudflare').split(',').map((name) => name.trim());
  return LOCATIONS.filter((location) => named.includes(location)).sort(
    (a, b) => named.indexOf(a) - named.indexOf(b),
  );
}

export function buildSettings(
  env: Env,
  id: string,
  input: PutProject,
  before: Settings | null,
  atMs: number,
): Result<Settings, Failure> {
  const location = chooseLocation(env, input, before);
  if (!location.ok) return location;
  if (input.isolation !== undefined && location.value !== 'host')
    return err(
      failure(
        'location_unavailable',
        `isolation "${input.isolation}" exists for location "host" only, not for "${location.value}"`,
      ),
    );
  const repository = buildRepository(env, input.repository, location.value);
  if (!repository.ok) return repository;
  return ok({
    id,
    repository: repository.value,
    location: location.value,
    isolation: input.isolation ?? null,
    createdAtMs: before?.createdAtMs ?? atMs,
    updatedAtMs: atMs,
  });
}

function chooseLocation(env: Env, input: PutProject, before: Settings | null): Result<Location, Failure> {
  const offered = offeredLocations(env);
  const wanted = input.location ?? before?.location ?? offered[0];
  if (wanted !== undefined && offered.includes(wanted)) return ok(wanted);
  const list = offered.length === 0 ? 'none' : offered.join(', ');
  return err(
    failure(
      'location_unavailable',
      `this deployment does not offer location "${wanted}"; it offers: ${list}`,
    ),
  );
}

function buildRepository(
  env: Env,
  input: PutProject['repository'],
  location: Location,
): Result<Settings['repository'], Failure> {
  if (input === undefined) return ok(null);
  const allowLocal = env.ALLOW_LOCAL_REPOSITORIES === 'true' && location !== 'cloudflare';
  const url = parseRepositoryUrl(input.url, { allowLocal });
  if (!url.ok) return url;
  return ok({ url: url.value.url, baseBranch: input.base_branch ?? null, depth: input.depth ?? null });
}

export function viewProject(
  settings: Settings,
  workflow: {
    text: string | null;
    parsed: Workflow;
    refused: RefusedWorkflow | null;
    hasCredential: boolean;
  },
  deployment: { hasSnapshots: boolean },
): ProjectView {
  const { repository, location, isolation } = settings;
  const { refused } = workflow;
  return {
    id: settings.id,
    repository: repository && {
      url: repository.url,
      base_branch: repository.baseBranch,
      depth: repository.depth,
    },
    location,
    isolation,
    workflow: workflow.text,
    workflow_error: refused && {
      at: new Date(refused.atMs).toISOString(),
      code: refused.code,
      detail: refused.detail,
      text: refused.text,
      diagnostics: refused.diagnostics,
    },
    warnings: buildProjectWarnings({
      location,
      isolation,
      workflow: workflow.parsed,
      hasWorkflowError: refused !== null,
      hasSnapshots: deployment.hasSnapshots,
    }),
    credential: workflow.hasCredential ? 'set' : 'none',
    created_at: new Date(settings.createdAtMs).toISOString(),
    updated_at: new Date(settings.updatedAtMs).toISOString(),
  };
}

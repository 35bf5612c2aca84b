/** Puts routes on a Hono app: authentication before anything else, failures as problem documents, 404 and 405. */
import type { Hono } from 'hono';
import { type Failure, failure } from '../core/failure.ts';
import { type Result, ok } from '../core/result.ts';
import { directoryOf } from '../../durable-objects/stubs.ts';
import type { Actor } from './actor.ts';
import { refuseActor } from './authorize.ts';
import type { AppContext, AppEnv } from './context.ts';
import { quote } from './field-faults.ts';
import { failureOfThrow } from './platform-error.ts';
import { problemResponse } from './problem.ts';
import { authenticateRequest } from './session-actor.ts';
import type { Access, Route } from './route.ts';

export function mountRoutes(app: Hono<AppEnv>, routes: readonly Route[]): void {
  for (const route of routes) app.on(route.method, honoPath(route.path), (c) => serveRoute(c, route));
  app.notFound((c) => serveNothing(c, routes));
  app.onError((error, c) => problemResponse(reportThrow(error, c)));
}

const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

async function serveRoute(c: AppContext, route: Route): Promise<Response> {
  c.set('route', route.path);
  const admitted = await admit(c, route.access);
  if (!admitted.ok) return problemResponse(admitted.error);
  const actor = admitted.value;
  const refused = actor && refuseActor(actor, route, c.req.param('project'));
  const response = refused ? problemResponse(refused) : await answerRoute(c, route, actor);
  if (actor && route.method !== 'GET') audit(c, route, actor, response.status);
  return response;
}

async function answerRoute(c: AppContext, route: Route, actor: Actor | null): Promise<Response> {
  const answer = await route.serve(c.req.raw, c.req.param(), c.env, actor);
  return answer.ok ? answer.value : problemResponse(answer.error);
}

/** Every request that changed something or tried to; after the answer, which does not wait for it. */
function audit(c: AppContext, route: Route, actor: Actor, status: number): void {
  const { project = null, ...others } = c.req.param() as Record<string, string>;
  const asked = [...Object.values(others), new URL(c.req.url).search.slice(1)].filter((part) => part !== '');
  const target = asked.length === 0 ? null : asked.join(' ').slice(0, 500);
  const action = `${route.method} ${route.path}`;
  c.executionCtx.waitUntil(
    directoryOf(c.env).recordAudit({ actor: actor.name, action, project, target, status }),
  );
}

/** null: nobody in particular, on an open route. */
async function admit(c: AppContext, access: Access): Promise<Result<Actor | null, Failure>> {
  if (access === 'open') return ok(null);
  if (access === 'token_unless_public' && c.env.PUBLIC_PROJECTION === 'true') return ok(null);
  const actor = await authenticateRequest(c.req.raw, c.env);
  if (!actor.ok) return actor;
  c.set('actor', actor.value);
  return actor;
}

/** Nobody learns without a token which addresses exist under /v1. */
async function serveNothing(c: AppContext, routes: readonly Route[]): Promise<Response> {
  const matches = routes.filter((route) => pattern(route.path).test(c.req.path));
  const isProtected =
    c.req.path.startsWith('/v1/') && !matches.some(({ access }) => access === 'token_unless_public');
  const admitted = await admit(c, isProtected ? 'token' : 'open');
  if (!admitted.ok) return problemResponse(admitted.error);
  const address = `${c.req.method} ${quote(c.req.path)}`;
  if (matches.length === 0)
    return problemResponse(
      failure('route_not_found', `There is no ${address}: see /docs for what there is.`),
    );
  const allowed = [
    ...new Set(matches.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
  ];
  return problemResponse(
    failure('method_not_allowed', `There is no ${address}: use ${allowed.join(' or ')}.`),
    { allow: allowed.join(', ') },
  );
}

const pattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`, 's');

function reportThrow(error: unknown, c: AppContext): Failure {
  const failed = failureOfThrow(error, c.get('requestId'));
  c.get('log')({
    level: 'error',
    message: failed.code === 'internal_error' ? 'bug' : 'platform',
    request_id: c.get('requestId'),
    error: error instanceof Error ? (error.stack ?? String(error)) : String(error),
  });
  return failed;
}

/** Puts routes on a Hono app: authentication before anything else, failures as problem documents, 404 and 405. */
import type { Hono } from 'hono';
import { type Failure, failure } from '../core/failure.ts';
import { type Result, ok } from '../core/result.ts';
import { authenticate } from './actor.ts';
import type { AppContext, AppEnv } from './context.ts';
import { quote } from './field-faults.ts';
import { failureOfThrow } from './platform-error.ts';
import { problemResponse } from './problem.ts';
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
  const answer = await route.serve(c.req.raw, c.req.param(), c.env);
  return answer.ok ? answer.value : problemResponse(answer.error);
}

async function admit(c: AppContext, access: Access): Promise<Result<null, Failure>> {
  if (access === 'open') return ok(null);
  if (access === 'token_unless_public' && c.env.PUBLIC_PROJECTION === 'true') return ok(null);
  const actor = await authenticate(c.req.header('authorization') ?? null, c.env.API_TOKEN);
  if (!actor.ok) return actor;
  c.set('actor', actor.value);
  return ok(null);
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

/** Signing a browser in and out. The token comes in a body, once; afterwards there is only the cookie. */
import * as z from 'zod';
import { directoryOf } from '../../durable-objects/stubs.ts';
import { failure, type Failure } from '../core/failure.ts';
import { err, ok, type Result } from '../core/result.ts';
import { parseTokens } from '../http/actor.ts';
import { hexDigest } from '../http/digest.ts';
import { json, noContent } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { actorOfSession, authenticateRequest, refuseForeign } from '../http/session-actor.ts';
import {
  createSession,
  createSignInCode,
  endedCookie,
  readSession,
  readSignInCode,
  type Session,
  sessionCookie,
} from '../http/session.ts';
import type { Env } from '../sandbox/env.ts';
import { jsonAnswer, jsonBody } from './documents.ts';

/** Either the token itself, or a code that the development launcher's link carries. */
const SignIn = z.union([
  z.strictObject({ token: z.string().min(1).max(1024) }),
  z.strictObject({ code: z.string().min(1).max(2048) }),
]);
const SessionView = z.object({ csrf_token: z.string(), expires_at: z.iso.datetime() });
const example = { csrf_token: '0b9d…', expires_at: '2026-11-30T20:00:00.000Z' };

const postSession = route(
  'POST /session',
  {
    tag: 'Service',
    summary: 'Sign a browser in',
    notes:
      'For pages, whose EventSource and WebSocket cannot send the header `Authorization`. The answer sets an HttpOnly, SameSite=Strict cookie for 12 hours; changes made with it repeat `csrf_token` in the header `x-csrf-token` and come from a page of this service.',
    access: 'open',
    body: jsonBody(SignIn, { token: 'API token' }),
    answers: { 200: jsonAnswer('Signed in.', SessionView, example) },
    errors: ['unauthorized', 'forbidden', 'auth_not_configured', 'encryption_not_configured'],
  },
  async ({ body, env, request }) => {
    const refused = refuseForeignPage(request);
    if (refused) return err(refused);
    const tokenHash = await tokenHashOf(body, env);
    if (!tokenHash.ok) return tokenHash;
    const created = await createSession(env, tokenHash.value);
    if (!created.ok) return created;
    const response = json(200, viewSession(created.value.session));
    response.headers.set('set-cookie', sessionCookie(request, created.value.sealed));
    return ok(response);
  },
);

/** A program without a browser may sign in, too; a page of another site may not sign its visitor in. */
const refuseForeignPage = (request: Request): Failure | null =>
  request.headers.get('origin') === null ? null : refuseForeign(request);

async function tokenHashOf(body: z.infer<typeof SignIn>, env: Env): Promise<Result<string, Failure>> {
  if (parseTokens(env.API_TOKEN).length === 0)
    return err(
      failure(
        'auth_not_configured',
        'This deployment has no API token: set the secret API_TOKEN and try again.',
      ),
    );
  if ('code' in body) return redeem(body.code, env);
  const tokenHash = await hexDigest(body.token);
  const actor = await actorOfSession({ tokenHash }, env);
  return actor ? ok(tokenHash) : err(failure('unauthorized', 'The API token is not one of this deployment.'));
}

async function redeem(sealed: string, env: Env): Promise<Result<string, Failure>> {
  const code = await readSignInCode(env, sealed);
  const isFresh = code !== null && (await directoryOf(env).useOnce(code.nonce, code.expiresAtMs));
  return isFresh
    ? ok(code.tokenHash)
    : err(failure('unauthorized', 'The link was used already, or is too old: sign in with the API token.'));
}

const viewSession = ({ csrf, expiresAtMs }: Session): z.infer<typeof SessionView> => ({
  csrf_token: csrf,
  expires_at: new Date(expiresAtMs).toISOString(),
});

const getSession = route(
  'GET /session',
  {
    tag: 'Service',
    summary: 'Whether this browser is signed in',
    access: 'open',
    answers: {
      200: jsonAnswer('It is.', SessionView, example),
      204: { description: 'It is not.' },
    },
  },
  async ({ env, request }) => {
    const actor = await authenticateRequest(request, env);
    const session = actor.ok ? await readSession(request, env) : null;
    return ok(session ? json(200, viewSession(session)) : noContent());
  },
);

const deleteSession = route(
  'DELETE /session',
  {
    tag: 'Service',
    summary: 'Sign this browser out',
    access: 'open',
    answers: { 204: { description: 'Signed out.' } },
    errors: ['forbidden'],
  },
  async ({ request }) => {
    const refused = refuseForeignPage(request);
    if (refused) return err(refused);
    return ok(new Response(null, { status: 204, headers: { 'set-cookie': endedCookie(request) } }));
  },
);

const SignInCodeView = z.object({ code: z.string() });

const postSessionCode = route(
  'POST /session/codes',
  {
    tag: 'Service',
    summary: 'Make a code that signs a browser in, once',
    notes: 'What `npm run dev` puts behind the `#` of the link that it prints. Good for 12 hours.',
    shared: true,
    scope: 'read',
    answers: { 201: jsonAnswer('Made.', SignInCodeView, { code: 'kJ2…' }) },
    errors: ['encryption_not_configured'],
  },
  async ({ env, request }) => {
    const token = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const session = token === undefined ? await readSession(request, env) : null;
    const tokenHash = token === undefined ? session?.tokenHash : await hexDigest(token.trim());
    const code = await createSignInCode(env, tokenHash ?? '');
    return code.ok ? ok(json(201, { code: code.value })) : code;
  },
);

export const sessionRoutes: Route[] = [postSession, getSession, deleteSession, postSessionCode];

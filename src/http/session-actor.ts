/** Who asks, by bearer token or by browser session. A session counts only for requests that its own page makes. */
import { directoryOf } from '../../durable-objects/stubs.ts';
import { type Failure, failure } from '../core/failure.ts';
import { type Result, err, ok } from '../core/result.ts';
import type { Env } from '../sandbox/env.ts';
import { type Actor, authenticate, parseTokens } from './actor.ts';
import { hexDigest } from './digest.ts';
import { type Session, hasSessionCookie, readSession } from './session.ts';

const CSRF_HEADER = 'x-csrf-token';

/** A token in the header is taken before any cookie: only a program sends one. */
export async function authenticateRequest(request: Request, env: Env): Promise<Result<Actor, Failure>> {
  const header = request.headers.get('authorization');
  const isProgram = header !== null || !hasSessionCookie(request) || parseTokens(env.API_TOKEN).length === 0;
  if (isProgram) return authenticate(header, env);
  const session = await readSession(request, env);
  const actor = session && (await actorOfSession(session, env));
  if (!session || !actor) return err(failure('unauthorized', 'The session is over: sign in again.'));
  const refused = refuseForeign(request) ?? refuseForged(request, session);
  return refused ? err(refused) : ok(actor);
}

/** null: the token is no longer one of this deployment. */
export async function actorOfSession(
  { tokenHash }: Pick<Session, 'tokenHash'>,
  env: Env,
): Promise<Actor | null> {
  const hashes = await Promise.all(parseTokens(env.API_TOKEN).map(hexDigest));
  const index = hashes.indexOf(tokenHash);
  if (index !== -1) {
    const name = `deployment-token-${index + 1} (browser)`;
    return { kind: 'deployment_token', name, scope: 'admin', project: null };
  }
  const found = await directoryOf(env).findToken(tokenHash);
  if (found === null) return null;
  const { id, name, scope, project } = found;
  return { kind: 'api_token', name: `token ${id} (${name}, browser)`, scope, project };
}

/** Browsers name the page's origin with every write and every WebSocket, and where a request came from with all others. */
export function refuseForeign(request: Request): Failure | null {
  const own = new URL(request.url).origin;
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  const mustName = isWrite(request) || request.headers.get('upgrade') !== null;
  if (origin === null ? mustName : origin !== own)
    return failure('forbidden', `A session is good for pages of ${own} only, not for ${origin ?? 'others'}.`);
  if (site !== null && site !== 'same-origin' && site !== 'none')
    return failure('forbidden', `A session is good for pages of ${own} only; this one is ${site}.`);
  return null;
}

function refuseForged(request: Request, { csrf }: Session): Failure | null {
  if (!isWrite(request) || request.headers.get(CSRF_HEADER) === csrf) return null;
  return failure(
    'forbidden',
    `A change by session carries its CSRF token in the header ${CSRF_HEADER}: reload the page.`,
  );
}

const isWrite = ({ method }: Request): boolean => method !== 'GET' && method !== 'HEAD';

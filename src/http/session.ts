/** Browser sessions: a sealed cookie that names an API token by its hash, so that whoever takes the token away ends its sessions too. */
import * as z from 'zod';
import { seal, unseal } from '../../durable-objects/secret-store.ts';
import type { Failure } from '../core/failure.ts';
import { type Result, ok } from '../core/result.ts';
import type { Env } from '../sandbox/env.ts';

/** A working day; then the token is asked for again. */
const SESSION_MS = 12 * 60 * 60_000;
/** As long as a development server is likely to wait for its first visitor. */
const CODE_MS = 12 * 60 * 60_000;
const SCOPE = 'session';

export const Session = z.object({
  /** SHA-256 of the token, in hex. */
  tokenHash: z.string(),
  /** Writes repeat it in a header, which no other site's page can. */
  csrf: z.string(),
  expiresAtMs: z.number(),
});
export type Session = z.infer<typeof Session>;

/** Opens one session, once; `nonce` is what may be used once. */
export const SignInCode = z.object({ tokenHash: z.string(), nonce: z.string(), expiresAtMs: z.number() });
export type SignInCode = z.infer<typeof SignInCode>;

export async function createSession(
  env: Env,
  tokenHash: string,
): Promise<Result<{ session: Session; sealed: string }, Failure>> {
  const session = { tokenHash, csrf: crypto.randomUUID(), expiresAtMs: Date.now() + SESSION_MS };
  const sealed = await seal(env, SCOPE, 'cookie', JSON.stringify(session));
  return sealed.ok ? ok({ session, sealed: sealed.value }) : sealed;
}

/** null: none, forged, or over. */
export async function readSession(request: Request, env: Env): Promise<Session | null> {
  const sealed = readCookie(request);
  return sealed === null ? null : open(Session, env, 'cookie', sealed);
}

export async function createSignInCode(env: Env, tokenHash: string): Promise<Result<string, Failure>> {
  const code: SignInCode = {
    tokenHash,
    nonce: crypto.randomUUID(),
    expiresAtMs: Date.now() + CODE_MS,
  };
  const sealed = await seal(env, SCOPE, 'code', JSON.stringify(code));
  return sealed.ok ? ok(sealed.value.replaceAll('+', '-').replaceAll('/', '_')) : sealed;
}

export const readSignInCode = (env: Env, code: string): Promise<SignInCode | null> =>
  open(SignInCode, env, 'code', code.replaceAll('-', '+').replaceAll('_', '/'));

async function open<T extends { expiresAtMs: number }>(
  schema: z.ZodType<T>,
  env: Env,
  name: string,
  sealed: string,
): Promise<T | null> {
  const text = await unseal(env, SCOPE, name, sealed);
  if (!text.ok) return null;
  const parsed = schema.safeParse(JSON.parse(text.value));
  return parsed.success && parsed.data.expiresAtMs > Date.now() ? parsed.data : null;
}

export const hasSessionCookie = (request: Request): boolean => readCookie(request) !== null;

function readCookie(request: Request): string | null {
  const name = cookieName(request);
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
}

export const sessionCookie = (request: Request, sealed: string): string =>
  `${cookieName(request)}=${sealed}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${SESSION_MS / 1000}${isSecure(request) ? '; Secure' : ''}`;

export const endedCookie = (request: Request): string =>
  `${cookieName(request)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${isSecure(request) ? '; Secure' : ''}`;

/** Cookies don't tell ports apart: two development servers on one machine would sign each other out. */
function cookieName(request: Request): string {
  const { port } = new URL(request.url);
  return isSecure(request) ? '__Host-harness-session' : `harness-session-${port || '80'}`;
}

const isSecure = (request: Request): boolean => new URL(request.url).protocol === 'https:';

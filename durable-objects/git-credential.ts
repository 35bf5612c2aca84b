/** The repository's credential at rest: sealed, write-only. */
import type { Credential } from '../src/core/api.ts';
import type { Failure } from '../src/core/failure.ts';
import { ok, type Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';
import { seal, unseal } from './secret-store.ts';

/** Git hosts take any user name beside a token; this one says what it is. */
const DEFAULT_USERNAME = 'x-access-token';
/** No environment name has a blank: the ciphertexts of the two can't be swapped. */
const NAME = 'git credential';

export const sealCredential = (
  env: Env,
  scope: string,
  credential: Credential,
): Promise<Result<string, Failure>> => seal(env, scope, NAME, JSON.stringify(credential));

export async function unsealCredential(
  env: Env,
  scope: string,
  sealed: string | null,
): Promise<Result<Credential | null, Failure>> {
  if (sealed === null) return ok(null);
  const text = await unseal(env, scope, NAME, sealed);
  return text.ok ? ok(JSON.parse(text.value) as Credential) : text;
}

export const authorizationOf = ({ username = DEFAULT_USERNAME, token }: Credential): string =>
  `Basic ${btoa(`${username}:${token}`)}`;

/** The token itself and the header that carries it. */
export const secretsOf = (credential: Credential | null): string[] =>
  credential === null ? [] : [credential.token, authorizationOf(credential).slice('Basic '.length)];

/** The same of a header that is about to be sent. */
export function secretsOfAuthorization(authorization: string): string[] {
  const encoded = authorization.slice('Basic '.length);
  const pair = atob(encoded);
  return [pair.slice(pair.indexOf(':') + 1), encoded];
}

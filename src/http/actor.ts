/** Who is asking. Sessions and scoped tokens become further kinds here; routes see an actor, never a token. */
import { type Failure, failure } from '../core/failure.ts';
import { type Result, err, ok } from '../core/result.ts';

/** A token of the deployment's own `API_TOKEN`: it may do everything. `name` tells tokens apart in logs. */
export interface Actor {
  kind: 'deployment_token';
  name: string;
}

const BEARER = /^Bearer +([^\s,]+)$/i;

/** Looks at every configured token, so the time taken does not tell which one was nearly right. */
export async function authenticate(
  header: string | null,
  configured: string | undefined,
): Promise<Result<Actor, Failure>> {
  const tokens = parseTokens(configured);
  if (tokens.length === 0)
    return err(
      failure(
        'auth_not_configured',
        'This deployment has no API token: set the secret API_TOKEN and try again.',
      ),
    );
  const presented = header === null ? null : BEARER.exec(header)?.[1];
  if (!presented)
    return err(
      failure(
        'unauthorized',
        header === null
          ? 'The Authorization header is missing: send "Authorization: Bearer <API token>".'
          : 'The Authorization header is not of the form "Bearer <API token>".',
      ),
    );
  const index = await indexOfEqual(presented, tokens);
  if (index === -1) return err(failure('unauthorized', 'The API token is not one of this deployment.'));
  return ok({ kind: 'deployment_token', name: `token-${index + 1}` });
}

export const parseTokens = (configured: string | undefined): string[] =>
  (configured ?? '').split(/[\s,]+/).filter((token) => token !== '');

async function indexOfEqual(presented: string, tokens: string[]): Promise<number> {
  const digest = await sha256(presented);
  let found = -1;
  for (const [index, token] of tokens.entries())
    if (isSame(digest, await sha256(token))) found = found === -1 ? index : found;
  return found;
}

const sha256 = async (text: string) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));

/** Over digests of one length, every byte is looked at. */
function isSame(left: Uint8Array, right: Uint8Array): boolean {
  let difference = 0;
  for (let index = 0; index < left.length; index += 1)
    difference |= (left[index] as number) ^ (right[index] as number);
  return difference === 0;
}

/** Who is asking, and what they may do. Routes see an actor, never a token. */
import { directoryOf } from '../../durable-objects/stubs.ts';
import type { TokenScope } from '../core/api.ts';
import { type Failure, failure } from '../core/failure.ts';
import { type Result, err, ok } from '../core/result.ts';
import type { Env } from '../sandbox/env.ts';
import { hexDigest, indexOfEqual } from './digest.ts';

export interface Actor {
  /** A token of the deployment's own `API_TOKEN` may do everything; one from `/v1/tokens` what it was made for. */
  kind: 'deployment_token' | 'api_token';
  /** For logs and the audit; never a token. */
  name: string;
  scope: TokenScope;
  /** null: every project. */
  project: string | null;
}

const BEARER = /^Bearer +([^\s,]+)$/i;

/** Looks at every configured token, so the time taken does not tell which one was nearly right. */
export async function authenticate(header: string | null, env: Env): Promise<Result<Actor, Failure>> {
  const tokens = parseTokens(env.API_TOKEN);
  if (tokens.length === 0)
    return err(
      failure(
        'auth_not_configured',
        'This deployment has no API token: set the secret API_TOKEN and try again.',
      ),
    );
  const presented = header === null ? null : BEARER.exec(header)?.[1];
  if (!presented) return err(failure('unauthorized', describeHeader(header)));
  const actor = await identify(presented, tokens, env);
  return actor ? ok(actor) : err(failure('unauthorized', 'The API token is not one of this deployment.'));
}

/** null: nobody's token. */
async function identify(presented: string, tokens: string[], env: Env): Promise<Actor | null> {
  const index = await indexOfEqual(presented, tokens);
  if (index !== -1)
    return { kind: 'deployment_token', name: `token-${index + 1}`, scope: 'admin', project: null };
  const found = await directoryOf(env).findToken(await hexDigest(presented));
  return (
    found && {
      kind: 'api_token',
      name: `token ${found.id} (${found.name})`,
      scope: found.scope,
      project: found.project,
    }
  );
}

const describeHeader = (header: string | null): string =>
  header === null
    ? 'The Authorization header is missing: send "Authorization: Bearer <API token>".'
    : 'The Authorization header is not of the form "Bearer <API token>".';

export const parseTokens = (configured: string | undefined): string[] =>
  (configured ?? '').split(/[\s,]+/).filter((token) => token !== '');

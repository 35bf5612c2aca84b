/** The repository as one git operation reaches it: as it is where it needs no credential, else through the git gateway. */
import type { Remote } from '../../src/sandbox/protocol.ts';
import type { GrantKind } from '../grant-table.ts';
import type { EffectContext } from './context.ts';

/** Longer than any clone or save; the grant is revoked when its operation ends. */
const GRANT_MS = 15 * 60_000;

export async function withRemote<T>(
  context: EffectContext,
  kind: GrantKind,
  operation: string,
  use: (remote: Remote | null) => Promise<T>,
): Promise<T> {
  const { identity } = context.state();
  if (identity.repository === null) return use(null);
  const { url: origin } = identity.repository;
  if (!(await context.project.hasCredential())) return use({ url: origin, origin });
  const url = await grantUrl(context, kind, operation);
  try {
    return await use({ url, origin });
  } finally {
    context.grants.revoke(operation);
  }
}

async function grantUrl(context: EffectContext, kind: GrantKind, operation: string): Promise<string> {
  const { PUBLIC_URL: publicUrl } = context.env;
  if (publicUrl === undefined)
    throw new Error('set PUBLIC_URL: sandboxes reach a repository with a credential through this Worker');
  const { project, key } = context.state().identity;
  const token = await context.grants.issue(operation, kind, Date.now() + GRANT_MS);
  return `${publicUrl.replace(/\/+$/, '')}/git/${project}~${key}~${token}`;
}

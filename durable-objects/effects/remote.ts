/** The repository as one git operation reaches it: as it is where it needs no credential, else through the git gateway. */
import type { Remote } from '../../src/sandbox/protocol.ts';
import type { GrantKind } from '../grant-table.ts';
import type { EffectContext } from './context.ts';
import { gitTimeoutMs } from './git-timeout.ts';
import type { Followed } from './operation.ts';

/** How much longer than its operation a grant may be good; it ends with the operation. */
const GRACE_MS = 5 * 60_000;

export async function withRemote(
  context: EffectContext,
  kind: GrantKind,
  operation: string,
  use: (remote: Remote | null) => Promise<Followed>,
): Promise<Followed> {
  const { identity } = context.state();
  if (identity.repository === null) return use(null);
  const { url: origin } = identity.repository;
  if (!(await context.project.hasCredential())) return use({ url: origin, origin });
  const url = await grantUrl(context, kind, operation);
  const followed = await use({ url, origin });
  // Where this run's time is over, or a call threw, the operation goes on with the grant that it was started with.
  if (!('end' in followed && followed.end === 'later')) context.grants.end(operation, Date.now());
  return followed;
}

async function grantUrl(context: EffectContext, kind: GrantKind, operation: string): Promise<string> {
  const { PUBLIC_URL: publicUrl } = context.env;
  if (publicUrl === undefined)
    throw new Error('set PUBLIC_URL: sandboxes reach a repository with a credential through this Worker');
  const { project, key } = context.state().identity;
  const token = await context.grants.issue(
    operation,
    kind,
    Date.now() + gitTimeoutMs(context.env) + GRACE_MS,
  );
  return `${publicUrl.replace(/\/+$/, '')}/git/${project}~${key}~${token}`;
}

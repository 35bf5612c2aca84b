/** The repository as one git operation reaches it: as it is where it needs no credential, else through the git gateway. */
import type { Remote } from '../../src/sandbox/protocol.ts';
import type { GrantKind } from '../grant-table.ts';
import { absent, type EffectContext } from './context.ts';
import { gitTimeoutMs } from './git-timeout.ts';
import { limitNetwork } from './network.ts';
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
  // Where the agent sees the whole disk anyway; from elsewhere its .gitmodules could name any repository of the machine.
  const isPlainHost = identity.location === 'host' && identity.isolation === null;
  const remote: Remote = { url: origin, origin, ...(isPlainHost && { local_submodules: true }) };
  if (!(await context.project.hasCredential())) return reachable(context, remote, use);
  const { PUBLIC_URL: publicUrl } = context.env;
  if (publicUrl === undefined) return { end: absent({ kind: 'refused', detail: NO_PUBLIC_URL }) };
  const url = await grantUrl(context, publicUrl, kind, operation);
  const followed = await reachable(context, { ...remote, url }, use);
  // Where this run's time is over, or a call threw, the operation goes on with the grant that it was started with.
  if (!isLater(followed)) context.grants.end(operation, Date.now());
  return followed;
}

/** The remote's host is reached for this operation alone. */
async function reachable(
  context: EffectContext,
  remote: Remote,
  use: (remote: Remote) => Promise<Followed>,
): Promise<Followed> {
  await limitNetwork(context, URL.parse(remote.url)?.hostname ?? null);
  const followed = await use(remote);
  if (!isLater(followed)) await limitNetwork(context, null);
  return followed;
}

const isLater = (followed: Followed): boolean => 'end' in followed && followed.end === 'later';

const NO_PUBLIC_URL =
  'set the variable PUBLIC_URL: sandboxes reach a repository with a credential through this Worker';

async function grantUrl(
  context: EffectContext,
  publicUrl: string,
  kind: GrantKind,
  operation: string,
): Promise<string> {
  const { project, key } = context.state().identity;
  const token = await context.grants.issue(
    operation,
    kind,
    Date.now() + gitTimeoutMs(context.env) + GRACE_MS,
  );
  return `${publicUrl.replace(/\/+$/, '')}/git/${project}~${key}~${token}`;
}

/** The way to a workspace's sandbox, by its location. */
import type { Identity } from '../src/core/lifecycle/state.ts';
import type { SandboxAccess } from '../src/sandbox/access.ts';
import { SupervisorClient } from '../src/sandbox/client.ts';
import { reachCloudflareSandbox } from '../src/sandbox/cloudflare.ts';
import type { Env } from '../src/sandbox/env.ts';
import { reachSandboxHost } from '../src/sandbox/loopback.ts';

export function reachSandbox(env: Env, identity: Identity): { access: SandboxAccess; client: SupervisorClient } {
  const access =
    identity.location === 'cloudflare' ? reachCloudflareSandbox(env, identity.sandboxId) : reachSandboxHost(env);
  return { access, client: new SupervisorClient(access) };
}

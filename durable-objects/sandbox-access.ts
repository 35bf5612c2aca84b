/** The way to a workspace's sandbox, by its location. */
import type { Location } from '../src/core/lifecycle/state.ts';
import type { SandboxAccess } from '../src/sandbox/access.ts';
import { SupervisorClient } from '../src/sandbox/client.ts';
import { reachCloudflareSandbox } from '../src/sandbox/cloudflare.ts';
import type { Env } from '../src/sandbox/env.ts';
import { reachHost } from '../src/sandbox/host.ts';

export interface Reach {
  access: SandboxAccess;
  client: SupervisorClient;
}

export function reachSandbox(
  env: Env,
  { location, sandboxId, limited }: { location: Location; sandboxId: string; limited: boolean },
): Reach {
  const access = location === 'cloudflare' ? reachCloudflareSandbox(env, sandboxId, limited) : reachHost(env);
  return { access, client: new SupervisorClient(access) };
}

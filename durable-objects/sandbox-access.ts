/** The way to a workspace's sandbox, by its location. */
import type { Location } from '../src/core/lifecycle/state.ts';
import type { SandboxAccess } from '../src/sandbox/access.ts';
import { SupervisorClient } from '../src/sandbox/client.ts';
import { reachCloudflareSandbox } from '../src/sandbox/cloudflare.ts';
import type { Env } from '../src/sandbox/env.ts';
import { createLoopback } from '../src/sandbox/loopback.ts';

export interface Reach {
  access: SandboxAccess;
  client: SupervisorClient;
}

export function reachSandbox(
  env: Env,
  { location, sandboxId }: { location: Location; sandboxId: string },
): Reach {
  const access = location === 'cloudflare' ? reachCloudflareSandbox(env, sandboxId) : reachHost(env);
  return { access, client: new SupervisorClient(access) };
}

/** One supervisor for all workspaces of this machine; its own `destroy` removes one of them. */
function reachHost(env: Env): SandboxAccess {
  const { SANDBOX_HOST_URL: url, SANDBOX_HOST_TOKEN: token } = env;
  if (url === undefined || token === undefined)
    throw new Error(
      'SANDBOX_HOST_URL and SANDBOX_HOST_TOKEN are not set: this deployment has no sandbox host',
    );
  const loopback = createLoopback(url, token);
  return {
    ...loopback,
    openTerminal: (request) => loopback.fetch(request),
    isAwake: async () => true,
    destroy: null,
  };
}

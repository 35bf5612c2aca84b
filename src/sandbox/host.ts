/** The sandbox host of this deployment, where it has one. */
import type { SandboxAccess } from './access.ts';
import { SupervisorClient } from './client.ts';
import type { Env } from './env.ts';
import { createLoopback } from './loopback.ts';

/** One supervisor for all workspaces of this machine; its own `destroy` removes one of them. */
export function reachHost(env: Env): SandboxAccess {
  const { SANDBOX_HOST_URL: url, SANDBOX_HOST_TOKEN: token } = env;
  if (url === undefined || token === undefined)
    throw new Error(
      'SANDBOX_HOST_URL and SANDBOX_HOST_TOKEN are not set: this deployment has no sandbox host',
    );
  const loopback = createLoopback(url, token);
  return {
    ...loopback,
    openTerminal: (request) => loopback.fetch(request),
    limitNetwork: null,
    isAwake: async () => true,
    destroy: null,
  };
}

/** The sandbox host past any one workspace; null: this deployment has none. */
export const hostClient = (env: Env): SupervisorClient | null =>
  env.SANDBOX_HOST_URL === undefined ? null : new SupervisorClient(reachHost(env));

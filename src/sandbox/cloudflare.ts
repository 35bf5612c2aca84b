/**
 * Sandboxes of Cloudflare's Sandbox SDK: the only file that names it. Of the SDK only getSandbox, containerFetch, createSession, deleteSession,
 * terminal, setAllowedHosts, destroy and getState are used; everything else is the supervisor's own protocol, so that the SDK's 1.0 needs changes here alone.
 */
import { ContainerProxy, getSandbox, Sandbox } from '@cloudflare/sandbox';
import { millisecondsOr } from '../core/milliseconds.ts';
import type { Env } from './env.ts';
import { SUPERVISOR_HEADER, SUPERVISOR_PORT } from './protocol.ts';
import type { SandboxAccess } from './access.ts';

/** `ContainerProxy` is what the SDK sends a limited sandbox's requests through. */
export { ContainerProxy, Sandbox };

/** Its container starts with all of its traffic in our hands: without that, allowed hosts do not apply to HTTPS. */
export class LimitedSandbox extends Sandbox {
  override interceptHttps = true;
}

/** A first call boots a container: 0.9–3.5 s locally, but the SDK may try for 150 s. */
const WARM_UP_MS = 150_000;
const WARM_UP_STEP_MS = 400;
/** It is asked of the object beside the container, and boots nothing. */
const STATE_TIMEOUT_MS = 30_000;
/** `destroy` can hang with the control plane: then it has failed, and is tried again later. */
const DESTROY_TIMEOUT_MS = 60_000;

export function reachCloudflareSandbox(env: Env, sandboxId: string, limited: boolean): SandboxAccess {
  // Identical options everywhere: the SDK persists them per sandbox.
  const sandbox = getSandbox(limited ? env.SANDBOX_LIMITED : env.SANDBOX, sandboxId, {
    enableDefaultSession: false,
    transport: 'rpc',
    normalizeId: true,
  });
  const send = (request: Request) => sandbox.containerFetch(request, SUPERVISOR_PORT);
  return {
    fetch: async (request) => {
      // A streamed body can be sent only once; everything else is small and idempotent by id.
      const streamed = request.headers.get('content-type') === 'application/octet-stream';
      const retry = streamed ? null : request.clone();
      const answer = await settled(send(request));
      if (answer !== null && answer.headers.has(SUPERVISOR_HEADER)) return answer;
      await answer?.body?.cancel();
      // The first call to a cold sandbox is cut off although it may have arrived: warm up, then let the caller repeat it by id.
      await warmUp(send);
      if (retry) return send(retry);
      throw new Error('the sandbox was cold; it is warm now');
    },
    openTerminal: async (request, size) => {
      // One session each: after its shell has ended, a session can't be attached to again.
      const id = `terminal-${crypto.randomUUID()}`;
      const session = await sandbox.createSession({ id, cwd: '/workspace' });
      const end = () => settled(sandbox.deleteSession(id));
      try {
        const answer = await session.terminal(request, size);
        // Its shell outlives the connection; with its session it goes.
        if (answer.webSocket) answer.webSocket.addEventListener('close', () => void end());
        else await end();
        return answer;
      } catch (thrown) {
        await end();
        throw thrown;
      }
    },
    limitNetwork: limited ? (hosts) => sandbox.setAllowedHosts(hosts) : null,
    isAwake: async () => {
      const state = await withDeadline(sandbox.getState(), STATE_TIMEOUT_MS);
      return state.status === 'running' || state.status === 'healthy';
    },
    destroy: async () => {
      await withDeadline(sandbox.destroy(), millisecondsOr(env.DESTROY_TIMEOUT_MS, DESTROY_TIMEOUT_MS));
    },
  };
}

async function warmUp(send: (request: Request) => Promise<Response>): Promise<void> {
  const endAtMs = Date.now() + WARM_UP_MS;
  while (Date.now() < endAtMs) {
    const answer = await settled(send(new Request('http://supervisor/healthz')));
    await answer?.body?.cancel();
    if (answer?.headers.has(SUPERVISOR_HEADER)) return;
    await new Promise((resolve) => setTimeout(resolve, WARM_UP_STEP_MS));
  }
}

const settled = <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null);

async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Stands in for the SDK's Sandbox where no container can run. It answers `containerFetch`, terminals, `destroy` and `getState` as the real one was seen to
 * (sandbox SDK 0.12.10 under wrangler with Docker), its awkward ways included: the first call to a cold sandbox answers 500 without the
 * supervisor's header although the request arrived; a sandbox can be replaced between two calls, losing its disk; a call can hang, and so can `destroy`.
 * The contract suite runs through it, which keeps it honest about everything else.
 */
import { DurableObject } from 'cloudflare:workers';

interface DoubleEnv {
  CONTAINER_ENGINE_URL: string;
}

export class Sandbox extends DurableObject<DoubleEnv> {
  get #url(): string {
    return `${this.env.CONTAINER_ENGINE_URL}/${this.ctx.id.name}`;
  }

  /** The SDK pushes its options with this call; the double has none. */
  async configure(): Promise<void> {}

  async containerFetch(request: Request, port?: number): Promise<Response> {
    if (port === undefined) throw new Error('containerFetch wants a port');
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(`${this.#url}/call${pathname}${search}`, request));
  }

  async createSession({ id, cwd }: { id: string; cwd: string }): Promise<{ id: string }> {
    const answer = await fetch(`${this.#url}/session/${id}`, { method: 'POST', body: cwd });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return { id };
  }

  async deleteSession(id: string): Promise<void> {
    await (await fetch(`${this.#url}/session/${id}`, { method: 'DELETE' })).text();
  }

  /** A terminal's WebSocket, which `containerFetch` can't carry: the SDK sends it here, with the port in a header. */
  override async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    if (request.headers.get('cf-container-target-port') !== '3000' || pathname !== '/ws/pty')
      throw new Error('only terminals come by fetch');
    return fetch(new Request(`${this.#url}/pty${search}`, request));
  }

  async getState(): Promise<{ status: string; lastChange: number }> {
    const answer = await fetch(`${this.#url}/state`);
    return { ...(await answer.json<{ status: string }>()), lastChange: Date.now() };
  }

  async setAllowedHosts(hosts: string[]): Promise<void> {
    await fetch(`${this.#url}/hosts`, { method: 'POST', body: hosts.join(',') });
  }

  async destroy(): Promise<void> {
    const answer = await fetch(`${this.#url}/destroy`, { method: 'POST' });
    if (!answer.ok) throw new Error('the control plane does not destroy it');
  }
}

export class LimitedSandbox extends Sandbox {}

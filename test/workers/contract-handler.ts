/** The way of a deployed Worker to a sandbox, as an HTTP server: `/{sandbox id}/…` goes through `cloudflare.ts`; DELETE `/{sandbox id}` destroys it. */
import { reachSandbox } from '../../durable-objects/sandbox-access.ts';
import type { Env } from '../../src/sandbox/env.ts';

export const contractHandler = {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const [, sandboxId = '', ...rest] = pathname.split('/');
    const { access } = reachSandbox(env, { location: 'cloudflare', sandboxId, limited: false });
    if (rest.length === 0 && request.method === 'DELETE') {
      await access.destroy?.();
      return new Response(null, { status: 204 });
    }
    const onward = new Request(`http://supervisor/${rest.join('/')}${search}`, request);
    return access.fetch(onward).catch((thrown: unknown) => new Response(String(thrown), { status: 502 }));
  },
} satisfies ExportedHandler<Env>;

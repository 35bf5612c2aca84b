/** The gateway as a Worker of its own, bundled by the tests. */
import { buildGateway } from './git-gateway-entry.ts';

let serve: ReturnType<typeof buildGateway> | null = null;

export default {
  fetch(request: Request, env: { CONFIG: string }): Promise<Response> {
    serve ??= buildGateway(JSON.parse(env.CONFIG), fetch);
    return serve(request);
  },
};

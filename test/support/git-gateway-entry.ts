/** The gateway as a lone fetch handler with fixed grants: what both runtimes of the tests serve. */
import { hashGrant } from '../../src/core/git-gateway/grant.ts';
import {
  type GitAudit,
  type GrantAccess,
  findGrantToken,
  refuseUnknownGrant,
  serveGit,
} from '../../src/http/git-gateway.ts';

export interface GatewayConfig {
  /** By the hash of the token. */
  grants: Record<string, GrantAccess>;
  maxBodyBytes: number | null;
}

/** `GET /audit` answers the events so far. */
export const buildGateway = (
  config: GatewayConfig,
  fetchHost: typeof fetch,
): ((request: Request) => Promise<Response>) => {
  const events: GitAudit[] = [];
  return async (request) => {
    if (new URL(request.url).pathname === '/audit') return Response.json(events);
    const token = findGrantToken(request);
    if (!token.ok) return token.error;
    const grant = config.grants[await hashGrant(token.value)];
    if (grant === undefined) return refuseUnknownGrant();
    return serveGit(request, grant, fetchHost, {
      maxBodyBytes: config.maxBodyBytes,
      onAudit: (event) => events.push(event),
    });
  };
};

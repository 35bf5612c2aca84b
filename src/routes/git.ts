/** Git's smart HTTP for sandboxes, under a grant: `/git/{project}~{key}~{token}/…`. The token alone is the right; the rest is its address. */
import type { Context } from 'hono';
import { workspaceOf } from '../../durable-objects/stubs.ts';
import { hashGrant } from '../core/git-gateway/grant.ts';
import { projectIdPattern } from '../core/key.ts';
import type { AppEnv } from '../http/context.ts';
import { findGrantToken, refuseUnknownGrant, serveGit, type GitAudit } from '../http/git-gateway.ts';

/** Cloudflare's own limit on request bodies, on most plans. */
const MAX_BODY_BYTES = 100 * 1024 * 1024;
const ADDRESS = /^\/git\/([^/~]+)~([A-Za-z0-9._-]+)~([^/]+)\//;

export async function serveGitRequest(c: Context<AppEnv>): Promise<Response> {
  c.set('route', '/git/{grant}');
  const url = new URL(c.req.url);
  const [prefix, project = '', key = '', token = ''] = ADDRESS.exec(url.pathname) ?? [];
  if (prefix === undefined || !projectIdPattern.test(project)) return refuseUnknownGrant();
  url.pathname = `/git/${token}/${url.pathname.slice(prefix.length)}`;
  const request = new Request(url, c.req.raw);
  const found = findGrantToken(request);
  if (!found.ok) return found.error;
  const workspace = workspaceOf(c.env, project, key);
  const grant = await workspace.redeemGrant(await hashGrant(found.value));
  if (grant === null) return refuseUnknownGrant();
  const onAudit = (event: GitAudit) => {
    // Reads happen many times in an operation; what was pushed or refused is what somebody asks for later.
    if (event.kind !== 'fetch')
      c.executionCtx.waitUntil(workspace.recordAudit(`git-${event.kind}`, { ...event }));
  };
  return serveGit(request, grant, fetch, {
    maxBodyBytes: isOnCloudflare(c) ? MAX_BODY_BYTES : null,
    onAudit,
  });
}

/** The development server has no such limit. */
const isOnCloudflare = (c: Context<AppEnv>): boolean => c.env.SANDBOX_HOST_URL === undefined;

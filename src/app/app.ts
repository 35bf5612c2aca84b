/** The HTTP application: middleware in order, then the routes. */
import { Hono } from 'hono';
import { wellFormedAddress } from '../http/address.ts';
import type { AppEnv } from '../http/context.ts';
import { mountRoutes } from '../http/mount.ts';
import { type Log, logToConsole, requestLog } from '../http/request-log.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { docsRoutes } from '../routes/docs/routes.ts';
import { serveGitRequest } from '../routes/git.ts';
import { openApiRoutes } from '../routes/openapi.ts';
import { mountPages } from '../routes/pages.tsx';
import { apiRoutes } from '../routes/table.ts';

export function createApp({ log = logToConsole }: { log?: Log } = {}): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(requestLog(log), securityHeaders, wellFormedAddress);
  app.all('/git/*', serveGitRequest);
  mountRoutes(app, [...apiRoutes, ...openApiRoutes, ...docsRoutes]);
  mountPages(app);
  return app;
}

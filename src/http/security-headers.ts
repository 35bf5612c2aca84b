/** Headers that every answer carries; a page brings its own wider policy. */
import type { MiddlewareHandler } from 'hono';

const DEFAULTS: Record<string, string> = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(DEFAULTS)) if (!c.res.headers.has(name)) c.header(name, value);
};

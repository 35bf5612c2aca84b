/** Headers that every answer carries; a page brings its own wider policy. */
import type { MiddlewareHandler } from 'hono';
import { addHeaders } from './answer-headers.ts';

const DEFAULTS = [
  ['cache-control', 'no-store'],
  [
    'content-security-policy',
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
] as const;

export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  addHeaders(
    c,
    DEFAULTS.filter(([name]) => !c.res.headers.has(name)),
  );
};

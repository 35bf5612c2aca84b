/** Refuses addresses whose percent-encoding is broken, before a router decodes what it can and keeps the rest. */
import type { MiddlewareHandler } from 'hono';
import { invalidRequest, quote } from './field-faults.ts';
import { problemResponse } from './problem.ts';

export const wellFormedAddress: MiddlewareHandler = async (c, next) => {
  if (!c.req.url.includes('%')) return next();
  const { pathname, search } = new URL(c.req.url);
  for (const [field, part] of [
    ['path', pathname],
    ['query', search],
  ] as const)
    if (!isDecodable(part))
      return problemResponse(
        invalidRequest([
          {
            field,
            message: `The ${field} ${quote(part)} is not valid percent-encoded UTF-8: encode \`%\` as \`%25\``,
          },
        ]),
      );
  return next();
};

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

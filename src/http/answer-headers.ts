/** Adds headers to an answer that a route has made. */
import type { Context } from 'hono';

/**
 * In place: Hono's `c.header` copies the whole answer for each header. Only what came from an object or another server is
 * copied, whose headers can't be changed.
 */
export function addHeaders(c: Context, headers: readonly (readonly [name: string, value: string])[]): void {
  const present = c.res.headers;
  try {
    for (const [name, value] of headers) present.set(name, value);
  } catch {
    for (const [name, value] of headers) c.header(name, value);
  }
}

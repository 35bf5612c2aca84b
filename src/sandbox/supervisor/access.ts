/** Who may call a host's supervisor: who has its token, and comes by its own name. Pure. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A page in a browser that points its own name at 127.0.0.1 arrives with that name. */
export function isOwnName(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

/** Takes the same time whatever differs; the digests make the lengths equal. */
export function hasToken(headers: IncomingHttpHeaders, token: string): boolean {
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The way to the sandbox host of the development launcher: its address on this machine and its token. */
import type { Fetcher } from './supervisor-call.ts';

/** `baseUrl` as the supervisor listens, like `http://127.0.0.1:40123`. */
export const createLoopback = (baseUrl: string, token: string): Fetcher => ({
  fetch: (request) => {
    const { pathname, search } = new URL(request.url);
    const forwarded = new Request(new URL(`${pathname}${search}`, baseUrl), request);
    forwarded.headers.set('authorization', `Bearer ${token}`);
    return fetch(forwarded);
  },
});

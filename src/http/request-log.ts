/** One structured line per request: no query, no header, no body, so no secret. */
import type { MiddlewareHandler } from 'hono';
import { addHeaders } from './answer-headers.ts';
import type { AppEnv } from './context.ts';

export interface LogLine {
  level: 'info' | 'error';
  message: string;
  request_id?: string;
  [field: string]: unknown;
}

export type Log = (line: LogLine) => void;

export const logToConsole: Log = (line) => console.log(JSON.stringify(line));

/** `route` is the template: a path holds task ids, which are other people's text. */
export const requestLog =
  (log: Log): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const startedAtMs = Date.now();
    const requestId = crypto.randomUUID();
    c.set('requestId', requestId);
    c.set('log', log);
    await next();
    addHeaders(c, [['x-request-id', requestId]]);
    log({
      level: c.res.status >= 500 ? 'error' : 'info',
      message: 'request',
      request_id: requestId,
      method: c.req.method,
      route: c.get('route') ?? null,
      status: c.res.status,
      duration_ms: Date.now() - startedAtMs,
      actor: c.get('actor')?.name ?? null,
    });
  };

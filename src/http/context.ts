/** What a request carries through the middleware. */
import type { Context } from 'hono';
import type { Env } from '../sandbox/env.ts';
import type { Actor } from './actor.ts';
import type { Log } from './request-log.ts';

export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    log: Log;
    /** The path template that answered, for logs; unset when none did. */
    route?: string;
    actor?: Actor;
  };
}

export type AppContext = Context<AppEnv>;

/** The Worker's entry: requests and the cron. */
import { createApp } from './app/app.ts';
import { sweepOnSchedule } from './cron/sweep.ts';
import type { Env } from './sandbox/env.ts';

const app = createApp();

export default {
  fetch: app.fetch,
  scheduled: async (_controller, env) => sweepOnSchedule(env),
} satisfies ExportedHandler<Env>;

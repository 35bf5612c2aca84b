/** The service itself: is it up, clean up now. */
import * as z from 'zod';
import { SweepReport } from '../core/api.ts';
import { sweepNow } from '../cron/sweep.ts';
import { ok } from '../core/result.ts';
import { reply, json } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer } from './documents.ts';
import { sweepExample } from './examples.ts';

const Health = z.object({ status: z.literal('ok') });

const getHealth = route(
  'GET /healthz',
  {
    tag: 'Service',
    summary: 'Whether the Worker answers',
    notes: 'Reads nothing: it says that the Worker runs, not that a sandbox does.',
    access: 'open',
    answers: { 200: jsonAnswer('It does.', Health, { status: 'ok' }) },
  },
  async () => ok(json(200, { status: 'ok' })),
);

const postSweep = route(
  'POST /v1/sweep',
  {
    tag: 'Service',
    summary: 'Run the cleanup now',
    notes:
      'Removes workspaces of tasks in a terminal state, as the cleanup every 5 minutes does, and tries kept ones again at once. Folders on the sandbox host that no workspace goes by are reported, and removed where they were ours and are older than a day. Answers within 30 s; what is not done by then goes on in the background.',
    answers: { 200: jsonAnswer('What was done.', SweepReport, sweepExample) },
  },
  async ({ env }) => reply(200, ok(await sweepNow(env))),
);

export const serviceRoutes: Route[] = [getHealth, postSweep];

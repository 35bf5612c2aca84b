/** The Worker's entry: requests and the cron. */
import { Directory } from '../durable-objects/directory.ts';
import { Project } from '../durable-objects/project.ts';
import { Workspace } from '../durable-objects/workspace.ts';
import { createApp } from './app/app.ts';
import { sweepOnSchedule } from './cron/sweep.ts';
import { ContainerProxy, LimitedSandbox, Sandbox } from './sandbox/cloudflare.ts';
import type { Env } from './sandbox/env.ts';

export { ContainerProxy, Directory, LimitedSandbox, Project, Sandbox, Workspace };

const app = createApp();

export default {
  fetch: app.fetch,
  scheduled: async (_controller, env) => sweepOnSchedule(env),
} satisfies ExportedHandler<Env>;

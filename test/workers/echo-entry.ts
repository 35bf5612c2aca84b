/** The Worker as deployed, with one more route that only parses JSON and echoes it: the floor of `npm run bench:projection`. */
import { createApp } from '../../src/app/app.ts';

export { ContainerProxy, Directory, LimitedSandbox, Project, Sandbox, Workspace } from '../../src/worker.ts';

const app = createApp();
app.post('/echo', async (c) => {
  c.set('route', '/echo');
  return Response.json(await c.req.json());
});

export default { fetch: app.fetch };

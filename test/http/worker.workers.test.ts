/** The HTTP layer in workerd, over the real objects: what Node's own Request and Response can't show. */
import { createScheduledController } from 'cloudflare:test';
import { env, exports } from 'cloudflare:workers';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { projectOf } from '../../durable-objects/stubs.ts';
import type { z } from 'zod';
import type { ProjectPage } from '../../src/core/api.ts';
import type { Env } from '../../src/sandbox/env.ts';
import { apiRoutes } from '../../src/routes/table.ts';
import worker from '../workers/main.ts';
import { hostileRequest } from './hostile-request.ts';

const workerEnv = env as unknown as Env;
const JSON_TYPE = { 'content-type': 'application/json' };

const ask = (address: string, init: RequestInit = {}): Promise<Response> => {
  const [method = 'GET', path = '/'] = address.split(' ');
  const headers = new Headers({ authorization: `Bearer ${workerEnv.API_TOKEN ?? ''}` });
  new Headers(init.headers).forEach((value, name) => headers.set(name, value));
  const { default: main } = exports as unknown as { default: Fetcher };
  return main.fetch(`http://harness.test${path}`, { ...init, method, headers });
};
const send = (address: string, body: unknown, headers = {}) =>
  ask(address, { body: JSON.stringify(body), headers: { ...JSON_TYPE, ...headers } });
const codeOf = async (response: Response) => (await response.json<{ code: string }>()).code;

describe('projects', () => {
  test('are created, replaced, read and deleted', async () => {
    const created = await send('PUT /v1/projects/life', { location: 'host' });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({
      id: 'life',
      location: 'host',
      repository: null,
      workflow: null,
    });
    expect((await send('PUT /v1/projects/life', { location: 'host' })).status).toBe(200);
    expect((await ask('GET /v1/projects/life')).status).toBe(200);
    expect((await ask('DELETE /v1/projects/life')).status).toBe(204);
    expect(await codeOf(await ask('GET /v1/projects/life'))).toBe('project_not_found');
    expect(await codeOf(await ask('DELETE /v1/projects/life'))).toBe('project_not_found');
    expect((await send('PUT /v1/projects/life', {})).status).toBe(201);
  });

  test('are paged without gap and without repeat', async () => {
    const ids = Array.from({ length: 5 }, (_, index) => `page-${index}`);
    for (const id of ids) await send(`PUT /v1/projects/${id}`, {});
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page: z.infer<typeof ProjectPage> = await (await ask(`GET /v1/projects?limit=2${cursor}`)).json();
      seen.push(...page.projects.map(({ id }) => id));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen.filter((id) => id.startsWith('page-'))).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('keep the last good WORKFLOW.md when a new one is refused', async () => {
    await send('PUT /v1/projects/flow', { location: 'host', workflow: 'good' });
    const headers = { 'content-type': 'text/markdown' };
    const refused = await ask('PUT /v1/projects/flow/workflow', { body: '---\nhooks: [1]\n---\n', headers });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      diagnostics: [{ line: 2, column: expect.any(Number) as number }],
    });
    expect(await (await ask('GET /v1/projects/flow/workflow')).text()).toBe('good');
    expect(await (await ask('GET /v1/projects/flow')).json()).toMatchObject({
      workflow: 'good',
      workflow_error: {},
    });
  });

  test('never give the value of an environment name back', async () => {
    await send('PUT /v1/projects/secret', {});
    const put = await send('PUT /v1/projects/secret/environment', { MY_TOKEN: 'canary-123456', GONE: null });
    expect(put.status).toBe(200);
    for (const address of ['GET /v1/projects/secret/environment', 'GET /v1/projects/secret']) {
      const text = await (await ask(address)).text();
      expect(text).not.toContain('canary');
    }
    expect(await put.json()).toMatchObject({ names: [{ name: 'MY_TOKEN', withheld_from_hooks: false }] });
  });
});

test('a workspace that is not there is told apart from a project that is not there', async () => {
  await send('PUT /v1/projects/lonely', {});
  expect(await codeOf(await ask('GET /v1/projects/lonely/workspaces/ABC-1'))).toBe('workspace_not_found');
  expect(await codeOf(await ask('GET /v1/projects/nowhere/workspaces/ABC-1'))).toBe('project_not_found');
  expect(await codeOf(await send('PUT /v1/projects/lonely/tasks/x/state', { state: 'Done' }))).toBe(
    'task_not_found',
  );
});

test('a chunked body over 1 MiB is 413', async () => {
  let left = 40;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(new Uint8Array(65_536)) : controller.close()),
  });
  const response = await ask('PUT /v1/projects/big', { body, headers: JSON_TYPE });
  expect(response.status).toBe(413);
  expect(await codeOf(response)).toBe('body_too_large');
});

test.each([
  ['GET /v1/projects/%FF', 'path'],
  ['GET /v1/projects?limit=%', 'query'],
  ['GET /v1/projects?limit=abc', 'limit'],
])('%s is 400 naming %s', async (address, field) => {
  const response = await ask(address);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: 'invalid_request', diagnostics: [{ path: field }] });
});

test('the docs page and the OpenAPI document are rendered in workerd', async () => {
  const docs = await ask('GET /docs');
  expect(docs.status).toBe(200);
  expect(await docs.text()).toContain('edge-harness API');
  expect(await (await ask('GET /openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
});

test('the cron asks every project, and two ticks at once are harmless', async () => {
  for (const id of ['cron-a', 'cron-b']) await send(`PUT /v1/projects/${id}`, {});
  const tick = () => worker.scheduled(createScheduledController(), workerEnv);
  await Promise.all([tick(), tick()]);
  const swept = await projectOf(workerEnv, 'cron-a').sweep(null, 10, { force: false, waitMs: 0 });
  expect(swept).toMatchObject({ ok: true, value: { lookedAt: 0, nextCursor: null } });
  expect((await ask('POST /v1/sweep')).status).toBe(200);
});

/** What would start work or take the project away has tests of its own. */
const quiet = apiRoutes.filter(
  ({ method, path }) =>
    !['/v1/projects/{project}', '/v1/projects/{project}/dispatch', '/v1/sweep'].includes(path) ||
    method === 'GET',
);

test('no malformed request is answered with 500 by the real objects', { timeout: 600_000 }, async () => {
  await send('PUT /v1/projects/demo', {});
  await fc.assert(
    fc.asyncProperty(hostileRequest(quiet), async ({ method, path, init }) => {
      const response = await ask(`${method} ${path}`, init);
      await response.body?.cancel();
      expect([500, 501, 502]).not.toContain(response.status);
    }),
    { numRuns: 200 },
  );
});

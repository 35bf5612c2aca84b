import { expect, test } from 'vitest';
import { FAILURES, type FailureCode } from '../../src/core/failure.ts';
import { problemResponse } from '../../src/http/problem.ts';
import { TOKEN, problemOf, startFakes } from './fake-objects.ts';

test.each(Object.keys(FAILURES) as FailureCode[])(
  '%s is a problem document with its status',
  async (code) => {
    const response = problemResponse({ code, detail: 'what and why' });
    expect(response.status).toBe(FAILURES[code].status);
    expect(await problemOf(response)).toEqual({
      type: `/docs#${code}`,
      title: FAILURES[code].title,
      status: FAILURES[code].status,
      code,
      detail: 'what and why',
      retryable: FAILURES[code].retryable,
    });
  },
);

test('what a failure adds is in the document, but takes the place of nothing', async () => {
  const extra = { unsaved_commits: [{ sha: 'a', subject: 'b' }], status: 200, code: 'other' };
  const problem = await problemOf(problemResponse({ code: 'workspace_unsaved', detail: 'x', extra }));
  expect(problem).toMatchObject({ status: 409, code: 'workspace_unsaved', unsaved_commits: [{ sha: 'a' }] });
});

test('diagnostics of a failure are in the document', async () => {
  const { fail, ask } = startFakes();
  const diagnostics = [{ code: 'x', severity: 'error', message: 'm', line: 3, column: 5, path: 'hooks' }];
  fail('project.putWorkflow', 'workflow_invalid', { diagnostics });
  const response = await ask('PUT /v1/projects/demo/workflow', {
    body: 'x',
    headers: { 'content-type': 'text/markdown' },
  });
  expect(response.status).toBe(422);
  expect((await problemOf(response)).diagnostics).toEqual(diagnostics);
});

test('an unknown address is route_not_found', async () => {
  const { ask } = startFakes();
  for (const address of [
    'GET /nothing',
    'GET /v1/nothing',
    'GET /v1/projects/demo/nothing',
    'GET /v1/projects/',
  ]) {
    const response = await ask(address);
    expect(response.status).toBe(404);
    expect((await problemOf(response)).code).toBe('route_not_found');
  }
});

test.each([
  ['PATCH /v1/projects/demo', 'PUT, GET, HEAD, DELETE'],
  ['POST /v1/projects/demo/workspaces/ABC-1', 'GET, HEAD, DELETE'],
  ['GET /v1/sweep', 'POST'],
  ['OPTIONS /healthz', 'GET, HEAD'],
])('%s is 405 with what is allowed', async (address, allow) => {
  const response = await startFakes().ask(address);
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe(allow);
  expect((await problemOf(response)).code).toBe('method_not_allowed');
});

test('HEAD answers as GET without a body', async () => {
  const response = await startFakes().ask('HEAD /v1/projects');
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});

test('a bug is internal_error with the request id, without message and stack', async () => {
  const { answer, ask, logs } = startFakes();
  answer('project.get', () => {
    throw new Error('secret detail');
  });
  const response = await ask('GET /v1/projects/demo');
  expect(response.status).toBe(500);
  const text = await response.clone().text();
  expect(text).not.toContain('secret detail');
  const problem = await problemOf(response);
  expect(problem).toMatchObject({ code: 'internal_error', request_id: response.headers.get('x-request-id') });
  expect(logs.find(({ message }) => message === 'bug')).toMatchObject({ level: 'error' });
});

const platformError = (more: object) => Object.assign(new Error('Network connection lost'), more);

test('a reading call that the platform lost is made once more', async () => {
  const { answer, ask, calls } = startFakes();
  const value = { ok: true, value: { names: [] } };
  answer('project.listEnvironment', () => {
    if (calls.length === 1) throw platformError({ retryable: true });
    return value;
  });
  expect((await ask('GET /v1/projects/demo/environment')).status).toBe(200);
  expect(calls).toHaveLength(2);
});

test('a POST that the platform lost is not repeated: sandbox_unavailable', async () => {
  const { answer, send, calls } = startFakes();
  answer('project.dispatch', () => {
    throw platformError({ retryable: true });
  });
  const response = await send('POST /v1/projects/demo/dispatch', { task: { identifier: 'ABC-1' } });
  expect(await problemOf(response)).toMatchObject({ code: 'sandbox_unavailable', retryable: true });
  expect(calls).toHaveLength(1);
});

test('an overloaded object is rate_limited and not called again', async () => {
  const { answer, ask, calls } = startFakes();
  answer('project.get', () => {
    throw platformError({ retryable: true, overloaded: true });
  });
  const response = await ask('GET /v1/projects/demo');
  expect(response.status).toBe(429);
  expect(calls).toHaveLength(1);
});

test('every answer carries the security headers and a request id', async () => {
  const { ask, answer } = startFakes();
  answer('project.listEnvironment', () => {
    throw new Error('bug');
  });
  for (const address of [
    'GET /healthz',
    'GET /docs',
    'GET /v1/projects',
    'GET /nothing',
    'GET /v1/projects/demo/environment',
    'GET /v1/projects/%FF',
    'DELETE /v1/projects/demo',
  ]) {
    const { headers } = await ask(address);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('answers under /v1 are not stored', async () => {
  const { ask } = startFakes();
  for (const address of ['GET /v1/projects', 'GET /v1/nothing', 'GET /v1/providers'])
    expect((await ask(address)).headers.get('cache-control')).toBe('no-store');
});

test('a request is one log line with the route, without path values, query, token and body', async () => {
  const { send, logs } = startFakes();
  await send(
    'PUT /v1/projects/demo/tasks/very-private/state',
    { state: 'also-private' },
    { cookie: 'c=private' },
  );
  expect(logs).toEqual([
    {
      level: 'info',
      message: 'request',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      method: 'PUT',
      route: '/v1/projects/{project}/tasks/{id}/state',
      status: 200,
      duration_ms: expect.any(Number) as number,
      actor: 'token-1',
    },
  ]);
  expect(JSON.stringify(logs)).not.toMatch(new RegExp(`private|${TOKEN}`));
});

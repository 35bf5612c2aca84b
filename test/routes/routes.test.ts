import { expect, test } from 'vitest';
import { apiRoutes } from '../../src/routes/table.ts';
import { problemOf, startFakes } from '../http/fake-objects.ts';

const P = '/v1/projects/demo';
const W = `${P}/workspaces/ABC-1`;

/** Request → status and the calls it makes. */
const rows: [address: string, body: unknown, status: number, calls: string[]][] = [
  [`PUT ${P}`, { location: 'host' }, 201, ['project demo.put("demo",{"location":"host"})']],
  [
    'GET /v1/projects?limit=7',
    undefined,
    200,
    ['directory directory.listProjects(7,null)', 'project demo.get()'],
  ],
  [
    'GET /v1/projects?cursor=YWJj',
    undefined,
    200,
    ['directory directory.listProjects(50,"abc")', 'project demo.get()'],
  ],
  [`GET ${P}`, undefined, 200, ['project demo.get()']],
  [`DELETE ${P}`, undefined, 204, ['project demo.remove()']],
  [`GET ${P}/workflow`, undefined, 200, ['project demo.getWorkflow()']],
  [`PUT ${P}/environment`, { A: 'b', C: null }, 200, ['project demo.patchEnvironment({"A":"b","C":null})']],
  [`GET ${P}/environment`, undefined, 200, ['project demo.listEnvironment()']],
  ['PUT /v1/environment', { A: 'b' }, 200, ['directory directory.patchEnvironment({"A":"b"})']],
  ['GET /v1/environment', undefined, 200, ['directory directory.listEnvironment()']],
  [
    `POST ${P}/dispatch`,
    { task: { identifier: 'a/b' }, agent: 'external' },
    202,
    ['project demo.dispatch({"task":{"identifier":"a/b"},"agent":"external"},null)'],
  ],
  [`PUT ${P}/tasks/10001/state`, { state: 'Done' }, 200, ['project demo.setTaskState("10001","Done")']],
  [
    `GET ${P}/workspaces?status=kept&saved=failed&limit=200&cursor=MTI`,
    undefined,
    200,
    ['project demo.listWorkspaces({"limit":200,"cursor":"12","status":"kept","saved":"failed"})'],
  ],
  [
    `GET ${P}/workspaces`,
    undefined,
    200,
    ['project demo.listWorkspaces({"limit":50,"cursor":null,"status":null,"saved":null})'],
  ],
  [`GET ${W}`, undefined, 200, ['workspace demo/ABC-1.view()']],
  [`POST ${W}/save`, undefined, 202, ['workspace demo/ABC-1.save()']],
  [`DELETE ${W}`, undefined, 202, ['workspace demo/ABC-1.remove({"cancel":false,"discard":false},null)']],
  [
    `DELETE ${W}?cancel=true&discard=false`,
    undefined,
    202,
    ['workspace demo/ABC-1.remove({"cancel":true,"discard":false},null)'],
  ],
  [`POST ${W}/exec`, { command: 'ls' }, 200, ['workspace demo/ABC-1.exec("ls",600000)']],
  [`POST ${W}/exec`, { command: 'ls', timeout_ms: 5 }, 200, ['workspace demo/ABC-1.exec("ls",5)']],
  [`GET ${W}/attempts`, undefined, 200, ['workspace demo/ABC-1.listAttempts(50,null)']],
  [`GET ${W}/attempts?limit=2&cursor=Mw`, undefined, 200, ['workspace demo/ABC-1.listAttempts(2,"3")']],
  [`GET ${W}/attempts/2`, undefined, 200, ['workspace demo/ABC-1.attempt(2)']],
  [`GET ${W}/attempts/2/log`, undefined, 200, ['workspace demo/ABC-1.attemptLog(2)']],
  [
    `POST ${W}/attempts/2/finish`,
    { outcome: 'failed' },
    202,
    ['workspace demo/ABC-1.finishAttempt(2,{"outcome":"failed","detail":null},null)'],
  ],
  [
    `POST ${W}/attempts/2/finish`,
    { outcome: 'succeeded', detail: 'd' },
    202,
    ['workspace demo/ABC-1.finishAttempt(2,{"outcome":"succeeded","detail":"d"},null)'],
  ],
  [`POST ${W}/attempts/2/cancel`, undefined, 202, ['workspace demo/ABC-1.cancelAttempt(2)']],
  ['GET /healthz', undefined, 200, []],
  ['GET /v1/providers', undefined, 200, []],
  ['POST /v1/projection', { entities: [], providers: [] }, 200, []],
  ['POST /v1/validation', { entities: [] }, 200, []],
];

test.each(rows)('%s with %j answers %i', async (address, body, status, calls) => {
  const fakes = startFakes();
  const response = body === undefined ? await fakes.ask(address) : await fakes.send(address, body);
  expect(await response.text()).not.toContain('invalid_request');
  expect(response.status).toBe(status);
  expect(fakes.calls).toEqual(calls);
});

test('every status that a row above answers is documented', () => {
  for (const [address, , status] of rows) {
    const [method, path = ''] = (address.split('?')[0] ?? '').split(' ');
    const route = apiRoutes.find(
      (candidate) =>
        candidate.method === method &&
        new RegExp(`^${candidate.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    expect(route?.answers[status]).toBeDefined();
  }
});

test('a project that was there is answered with 200', async () => {
  const { answer, send } = startFakes();
  answer('project.put', { ok: true, value: { created: false, project: { id: 'demo' } } });
  const response = await send(`PUT ${P}`, {});
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ id: 'demo' });
});

test('a project deleted while the list is made is left out', async () => {
  const { answer, ask } = startFakes();
  answer('directory.listProjects', { ids: ['gone'], nextCursor: 'gone' });
  answer('project.get', { ok: false, error: { code: 'project_not_found', detail: 'x' } });
  expect(await (await ask('GET /v1/projects')).json()).toEqual({ projects: [], next_cursor: 'Z29uZQ' });
});

test('the cursor of a page is the way to the next one', async () => {
  const { answer, ask, calls } = startFakes();
  answer('project.listWorkspaces', { ok: true, value: { workspaces: [], next_cursor: '117' } });
  const page: { next_cursor: string } = await (await ask(`GET ${P}/workspaces`)).json();
  expect(page.next_cursor).not.toContain('117');
  await ask(`GET ${P}/workspaces?cursor=${page.next_cursor}`);
  expect(calls.at(-1)).toContain('"cursor":"117"');
});

test('a workspace that was removed before is answered with 204', async () => {
  const { answer, ask } = startFakes();
  answer('workspace.remove', { ok: true, value: { gone: true, workspace: {} } });
  expect((await ask(`DELETE ${W}`)).status).toBe(204);
});

test('a refused removal shows what would be lost', async () => {
  const { fail, ask } = startFakes();
  const extra = { unsaved_commits: [{ sha: 'a', subject: 'b' }], uncommitted: { modified: 1 } };
  fail('workspace.remove', 'workspace_unsaved', { extra });
  const response = await ask(`DELETE ${W}`);
  expect(response.status).toBe(409);
  expect(await problemOf(response)).toMatchObject(extra);
});

test('a workspace of a project that is not there is project_not_found', async () => {
  const { fail, ask } = startFakes();
  fail('workspace.view', 'workspace_not_found');
  expect((await problemOf(await ask(`GET ${W}`))).code).toBe('workspace_not_found');
  fail('project.get', 'project_not_found');
  expect((await problemOf(await ask(`GET ${W}`))).code).toBe('project_not_found');
});

test.each([
  ['10001', '10001'],
  ['a%2Fb', 'a/b'],
  ['%E6%97%A5%E6%9C%AC%E8%AA%9E', '日本語'],
  ['100%25', '100%'],
  ['%252F', '%2F'],
  ['a%3Fb%23c%3Bd', 'a?b#c;d'],
  ['a+b', 'a+b'],
  ['%F0%9F%99%82', '🙂'],
  ['feat%20x', 'feat x'],
  ['%00', '\0'],
  ['%0A', '\n'],
])('the task id %s in the path is %j', async (encoded, id) => {
  const { send, calls } = startFakes();
  expect((await send(`PUT ${P}/tasks/${encoded}/state`, { state: 'Done' })).status).toBe(200);
  expect(calls).toEqual([`project demo.setTaskState(${JSON.stringify(id)},"Done")`]);
});

const digestOf = async (address: string, body: unknown, key = 'k-1') => {
  const { send, calls } = startFakes();
  await send(address, body, { 'idempotency-key': key });
  return /"digest":"([0-9a-f]{64})"/.exec(calls[0] ?? '')?.[1];
};

test('an Idempotency-Key comes with a digest of method, address and body', async () => {
  const task = { identifier: 'A', title: 't' };
  const first = await digestOf(`POST ${P}/dispatch`, { task });
  expect(first).toBeDefined();
  expect(await digestOf(`POST ${P}/dispatch`, { task: { title: 't', identifier: 'A' } })).toBe(first);
  expect(await digestOf(`POST ${P}/dispatch`, { task: { ...task, title: 'u' } })).not.toBe(first);
  expect(await digestOf(`POST /v1/projects/other/dispatch`, { task })).not.toBe(first);
  const finish = await digestOf(`POST ${W}/attempts/1/finish`, { outcome: 'failed' });
  expect(await digestOf(`POST ${W}/attempts/2/finish`, { outcome: 'failed' })).not.toBe(finish);
  expect(await digestOf(`DELETE ${W}?discard=true`, {})).not.toBe(await digestOf(`DELETE ${W}`, {}));
});

test.each([
  ['SYMPHONY_TASK', 422, 'environment_name_refused'],
  ['SYMPHONY_', 422, 'environment_name_refused'],
  ['1A', 400, 'invalid_request'],
  ['', 400, 'invalid_request'],
  ['A-B', 400, 'invalid_request'],
  ['Ä', 400, 'invalid_request'],
  ['A\n', 400, 'invalid_request'],
  ['A=B', 400, 'invalid_request'],
  ['A'.repeat(257), 400, 'invalid_request'],
])('the environment name %j is refused with %i, naming it', async (name, status, code) => {
  for (const address of [`PUT ${P}/environment`, 'PUT /v1/environment']) {
    const { send, calls } = startFakes();
    const response = await send(address, { FINE: 'x', [name]: 'value' });
    expect(response.status).toBe(status);
    const problem = await problemOf(response);
    expect(problem.code).toBe(code);
    expect(problem.detail).toContain(JSON.stringify(name).slice(0, 40).replace(/"$/, ''));
    expect(calls).toEqual([]);
  }
});

test('an environment value with which no process could start is refused without showing it', async () => {
  const { send } = startFakes();
  const put = (value: string) => send(`PUT ${P}/environment`, { LONG: value });
  expect((await put('s'.repeat(131_072 - 'LONG='.length - 1))).status).toBe(200);
  for (const value of ['s'.repeat(131_072 - 'LONG='.length), 'ü'.repeat(70_000)]) {
    const response = await put(value);
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain(value.slice(0, 10));
  }
});

test('an environment value with a NUL is refused without showing it', async () => {
  const response = await startFakes().send('PUT /v1/environment', { A: 's3cret\0' });
  const problem = await problemOf(response);
  expect(problem).toMatchObject({ status: 400, diagnostics: [{ path: 'A' }] });
  expect(problem.detail).not.toContain('s3cret');
});

test('exec and log stream through', async () => {
  const { ask, send } = startFakes();
  const exec = await send(`POST ${W}/exec`, { command: 'ls' });
  expect(exec.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  expect(JSON.parse(await exec.text())).toMatchObject({ outcome: 'ok' });
  const log = await ask(`GET ${W}/attempts/1/log`);
  expect(log.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await log.text()).toBe('log\n');
});

import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../src/http/cursor.ts';
import { fieldPath } from '../../src/http/field-faults.ts';
import { problemOf, startFakes } from './fake-objects.ts';

const dispatch = (body: unknown, headers = {}) =>
  startFakes().send('POST /v1/projects/demo/dispatch', body, headers);

const faultOf = async (response: Response) => {
  expect(response.status).toBe(400);
  const problem = await problemOf(response);
  expect(problem.code).toBe('invalid_request');
  return { fields: problem.diagnostics?.map(({ path }) => path), detail: problem.detail };
};

test.each([
  ['a missing field', {}, ['task'], '`task` is missing'],
  ['a wrong type', { task: 7 }, ['task'], 'expected object, received number'],
  [
    'a wrong inner type',
    { task: { identifier: 7 } },
    ['task.identifier'],
    'expected string, received number',
  ],
  [
    'an unknown field',
    { task: { identifier: 'a' }, agnt: 1 },
    ['agnt'],
    '`agnt` is unknown (known: task, agent)',
  ],
  [
    'an unknown inner field',
    { task: { identifier: 'a', key: 'b' } },
    ['task.key'],
    '(known: identifier, id, title, state)',
  ],
  [
    'an empty identifier',
    { task: { identifier: '' } },
    ['task.identifier'],
    'must have at least 1 character.',
  ],
  ['a long identifier', { task: { identifier: 'a'.repeat(1025) } }, ['task.identifier'], 'at most 1024'],
  ['a control character', { task: { identifier: 'a\u0000b' } }, ['task.identifier'], 'U+0000'],
  ['a wrong agent', { task: { identifier: 'a' }, agent: 'me' }, ['agent'], 'expected "external"'],
  [
    'an agent without a command',
    { task: { identifier: 'a' }, agent: {} },
    ['agent'],
    'or its `command` is missing',
  ],
  ['several faults', { task: { identifier: 1, id: 2 }, x: 3 }, ['task.identifier', 'task.id', 'x'], '; '],
  ['a NUL in the id', { task: { identifier: 'a', id: 'x\u0000' } }, ['task.id'], 'NUL'],
  [
    'a NUL in the command',
    { task: { identifier: 'a' }, agent: { command: 'x\u0000' } },
    ['agent.command'],
    'NUL',
  ],
])('%s in a body is refused, naming the field', async (_what, body, fields, detail) => {
  const fault = await faultOf(await dispatch(body));
  expect(fault.fields).toEqual(fields);
  expect(fault.detail).toContain(detail);
});

test('a missing choice is missing, not a wrong one', async () => {
  const { send } = startFakes();
  const fault = await faultOf(await send('POST /v1/projects/demo/workspaces/ABC-1/attempts/1/finish', {}));
  expect(fault).toEqual({ fields: ['outcome'], detail: 'body `outcome` is missing.' });
});

test('a refused value of a body is not repeated', async () => {
  const { send } = startFakes();
  const response = await send('PUT /v1/projects/demo/environment', { TOKEN: { nested: 's3cret' } });
  expect(JSON.stringify(await faultOf(response))).not.toContain('s3cret');
});

test.each([
  ['PUT /v1/projects/demo', '{"__proto__":{"location":"host"}}'],
  ['PUT /v1/projects/demo', '{"repository":{"url":"u","__proto__":{}}}'],
  ['PUT /v1/projects/demo/environment', '{"__proto__":"x","A":"b"}'],
  ['PUT /v1/projects/demo/environment', '{"A":"b","__proto__":null}'],
  ['POST /v1/projects/demo/dispatch', '{"task":{"identifier":"a","constructor":1}}'],
  ['POST /v1/projection', '{"entities":[],"providers":[],"__proto__":1}'],
])('%s refuses %s, naming the key', async (address, body) => {
  const fault = await faultOf(
    await startFakes().ask(address, { body, headers: { 'content-type': 'application/json' } }),
  );
  expect(fault.detail).toMatch(/__proto__|constructor/);
});

test.each([
  ['GET /v1/projects?limit=abc', 'limit', '1 to 200'],
  ['GET /v1/projects?limit=0', 'limit', 'must be at least 1.'],
  ['GET /v1/projects?limit=201', 'limit', 'must be at most 200.'],
  ['GET /v1/projects?limit=', 'limit', '1 to 200'],
  ['GET /v1/projects?limit=-1', 'limit', '1 to 200'],
  ['GET /v1/projects?limit=1e1', 'limit', '1 to 200'],
  ['GET /v1/projects?limit=%201', 'limit', '1 to 200'],
  ['GET /v1/projects?limit=99999999999999999999', 'limit', '1 to 200'],
  ['GET /v1/projects?limit=1&limit=2', 'limit', 'more than once'],
  ['GET /v1/projects?page=2', 'page', 'is unknown (known: limit, cursor)'],
  ['GET /v1/projects?__proto__=2', '__proto__', 'is unknown'],
  ['GET /v1/projects?cursor=', 'cursor', 'next_cursor'],
  ['GET /v1/projects?cursor=!!!', 'cursor', 'next_cursor'],
  ['GET /v1/projects?cursor=QUJD', 'cursor', 'next_cursor'],
  ['GET /v1/projects/demo/workspaces?cursor=QUJD', 'cursor', 'next_cursor'],
  ['GET /v1/projects/demo/workspaces/ABC-1/attempts?cursor=LTE', 'cursor', 'next_cursor'],
  ['GET /v1/projects/demo/workspaces?status=busy', 'status', 'creating'],
  ['GET /v1/projects/demo/workspaces?saved=yes', 'saved', 'nothing_to_save'],
  ['DELETE /v1/projects/demo/workspaces/ABC-1?cancel=1', 'cancel', 'true'],
  ['DELETE /v1/projects/demo/workspaces/ABC-1?discard=', 'discard', 'true'],
  ['GET /v1/environment?x=1', 'x', 'is unknown'],
  ['GET /v1/projects/Demo', 'project', 'small letters, digits and dashes'],
  ['GET /v1/projects/-demo', 'project', 'small letters, digits and dashes'],
  [`GET /v1/projects/${'a'.repeat(64)}`, 'project', 'small letters, digits and dashes'],
  ['GET /v1/projects/demo%0A', 'project', 'small letters, digits and dashes'],
  ['GET /v1/projects/demo%2Fx', 'project', 'small letters, digits and dashes'],
  ['GET /v1/projects/demo%00', 'project', 'small letters, digits and dashes'],
  ['GET /v1/projects/%E2%80%AE', 'project', 'small letters, digits and dashes'],
  ['GET /v1/projects/demo/workspaces/a%2Fb', 'key', 'workspace key'],
  ['GET /v1/projects/demo/workspaces/.env', 'key', 'workspace key'],
  [`GET /v1/projects/demo/workspaces/${'a'.repeat(119)}`, 'key', 'workspace key'],
  ['GET /v1/projects/demo/workspaces/ABC-1/attempts/0', 'number', 'must be at least 1.'],
  ['GET /v1/projects/demo/workspaces/ABC-1/attempts/one', 'number', 'integer'],
  ['GET /v1/projects/demo/workspaces/ABC-1/attempts/1.5', 'number', 'integer'],
  ['GET /v1/projects/demo/workspaces/ABC-1/attempts/9999999999', 'number', 'must be at most 2147483647.'],
  ['GET /v1/projects/%', 'path', '%25'],
  ['GET /v1/projects/%FF', 'path', 'UTF-8'],
  ['GET /v1/projects/%ED%A0%80', 'path', 'UTF-8'],
  ['GET /v1/projects?cursor=%', 'query', '%25'],
  ['GET /v1/projects?cursor=%C3', 'query', 'UTF-8'],
])('%s is 400 naming %s', async (address, field, detail) => {
  const { ask, calls } = startFakes();
  const fault = await faultOf(await ask(address));
  expect(fault.fields).toEqual([field]);
  expect(fault.detail).toContain(detail);
  expect(calls).toEqual([]);
});

test.each(['', 'a b', 'é', 'a'.repeat(256), 'tab\there'])(
  'the Idempotency-Key %j is refused',
  async (key) => {
    const fault = await faultOf(await dispatch({ task: { identifier: 'a' } }, { 'idempotency-key': key }));
    expect(fault.fields).toEqual(['idempotency-key']);
  },
);

test('an unknown field name in a message is cut and quoted', async () => {
  const fault = await faultOf(await dispatch({ task: { identifier: 'a' }, ['\u001b[31m'.repeat(100)]: 1 }));
  expect(fault.detail.length).toBeLessThan(400);
  expect(fault.detail).not.toContain('\u001b');
});

test.each([
  [['task', 'id'], 'task.id'],
  [['entities', 0, 'id'], 'entities[0].id'],
  [['a b', 'c'], '["a b"].c'],
  [[], ''],
])('the path %j is written %s', (path, text) => {
  expect(fieldPath(path)).toBe(text);
});

test('cursors are base64url and come back as they were', () => {
  for (const inner of ['1', 'demo', '日本??>>', 'a'.repeat(500)]) {
    const cursor = encodeCursor(inner) ?? '';
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeCursor(cursor, () => true)).toEqual({ ok: true, value: inner });
  }
  expect(encodeCursor(null)).toBeNull();
});

test('a base branch that git would refuse is refused, naming the field', async () => {
  const repository = { url: 'https://github.com/acme/demo', base_branch: 'a..b' };
  const { fields, detail } = await faultOf(await startFakes().send('PUT /v1/projects/demo', { repository }));
  expect(fields).toEqual(['repository.base_branch']);
  expect(detail).toContain('`repository.base_branch` "a..b" ');
});

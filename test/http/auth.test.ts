import { describe, expect, test } from 'vitest';
import { authenticate, parseTokens } from '../../src/http/actor.ts';
import type { Route } from '../../src/http/route.ts';
import { apiRoutes } from '../../src/routes/table.ts';
import { TOKEN, problemOf, startFakes } from './fake-objects.ts';

const fill = ({ method, path }: Route) =>
  `${method} ${path.replace('{project}', 'demo').replace('{key}', 'ABC-1').replace('{number}', '1').replace('{id}', '10001')}`;
const protectedRoutes = apiRoutes.filter(({ access }) => access !== 'open').map(fill);
const WITHOUT = { headers: { authorization: '' } };

test.each(protectedRoutes)('%s without a token answers 401 and calls no object', async (address) => {
  const { ask, calls } = startFakes();
  const response = await ask(address, WITHOUT);
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toBe('Bearer realm="edge-harness"');
  expect(await problemOf(response)).toMatchObject({ code: 'unauthorized', retryable: false });
  expect(calls).toEqual([]);
});

test.each(protectedRoutes)('%s answers 503 when no token is configured, also with one', async (address) => {
  for (const token of ['', ' , \n', undefined]) {
    const { ask, calls, env } = startFakes();
    if (token === undefined) delete env.API_TOKEN;
    else env.API_TOKEN = token;
    const response = await ask(address);
    expect(response.status).toBe(503);
    expect((await problemOf(response)).code).toBe('auth_not_configured');
    expect(calls).toEqual([]);
  }
});

test.each([
  ['no scheme', TOKEN],
  ['another scheme', `Basic ${TOKEN}`],
  ['a longer token', `Bearer ${TOKEN}x`],
  ['a shorter token', `Bearer ${TOKEN.slice(0, -1)}`],
  ['another case', `Bearer ${TOKEN.toUpperCase()}`],
  ['two tokens', `Bearer ${TOKEN},${TOKEN}`],
  ['only the scheme', 'Bearer'],
  ['bytes outside of ASCII', 'Bearer \u00e9'],
])('%s in the Authorization header is 401', async (_what, authorization) => {
  const { ask } = startFakes();
  expect((await ask('GET /v1/projects', { headers: { authorization } })).status).toBe(401);
});

test('each of several tokens is accepted, and the scheme in any case', async () => {
  const { ask } = startFakes({ API_TOKEN: 'first, second\nthird\tfourth' });
  for (const token of ['first', 'second', 'third', 'fourth'])
    expect((await ask('GET /v1/projects', { headers: { authorization: `bearer ${token}` } })).status).toBe(
      200,
    );
});

test('the actor is named by the place of its token, not by the token', async () => {
  expect(await authenticate('Bearer b', { ...startFakes().env, API_TOKEN: 'a,b' })).toEqual({
    ok: true,
    value: { kind: 'deployment_token', name: 'token-2', scope: 'admin', project: null },
  });
});

test('tokens are split at commas and blanks', () => {
  expect(parseTokens(' a,b  c\n,d ')).toEqual(['a', 'b', 'c', 'd']);
});

describe('open addresses', () => {
  test.each(['GET /healthz', 'GET /openapi.json', 'GET /docs'])('%s needs no token', async (address) => {
    const { ask, env } = startFakes();
    delete env.API_TOKEN;
    expect((await ask(address, WITHOUT)).status).toBe(200);
  });

  const projection = ['POST /v1/projection', 'POST /v1/validation', 'GET /v1/providers'];

  test.each(projection)('%s needs no token when PUBLIC_PROJECTION is true', async (address) => {
    const { ask } = startFakes({ PUBLIC_PROJECTION: 'true' });
    const body = address.startsWith('POST') ? { body: '{"entities":[],"providers":[]}' } : {};
    const headers = { authorization: '', 'content-type': 'application/json' };
    const response = await ask(address, { ...body, headers });
    expect([200, 400]).toContain(response.status);
  });

  test.each(projection)('%s needs one when PUBLIC_PROJECTION is anything else', async (address) => {
    for (const value of ['false', '1', 'TRUE', ''])
      expect((await startFakes({ PUBLIC_PROJECTION: value }).ask(address, WITHOUT)).status).toBe(401);
  });

  test('PUBLIC_PROJECTION opens nothing else', async () => {
    const { ask } = startFakes({ PUBLIC_PROJECTION: 'true' });
    const others = protectedRoutes.filter((address) => !projection.includes(address));
    for (const address of others) expect((await ask(address, WITHOUT)).status).toBe(401);
  });
});

test('without a token an address under /v1 does not tell whether it exists', async () => {
  const { ask } = startFakes();
  for (const address of ['GET /v1/nothing', 'PATCH /v1/projects', 'GET /v1/'])
    expect((await ask(address, WITHOUT)).status).toBe(401);
});

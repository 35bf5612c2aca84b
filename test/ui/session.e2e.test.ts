/** The browser session: what its cookie is good for, and who may use it. */
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignInLink } from '../../scripts/stack/sign-in-link.ts';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';
import { TestBrowser } from './browser.ts';

let stack: TestStack;
let project: TestProject;
let url: string;
let cookie: string;
let csrf: string;

beforeAll(async () => {
  stack = await startTestStack();
  ({ url } = stack.stack);
  project = await stack.project({ workflow: 'agent:\n  command: "true"' });
  await project.run('ABC-1');
  const answer = await signIn({ token: stack.stack.token });
  cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  csrf = ((await answer.json()) as { csrf_token: string }).csrf_token;
});

afterAll(() => stack.stop());

const signIn = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const sweep = (headers: Record<string, string>) => ask('POST', '/v1/sweep', headers);

const ask = (method: string, path: string, headers: Record<string, string>) =>
  fetch(`${url}${path}`, { method, headers: { cookie, ...headers } });

test('the cookie is HttpOnly and strict, and holds no token', async () => {
  const answer = await signIn({ token: stack.stack.token });
  const header = answer.headers.get('set-cookie') ?? '';
  expect(header).toMatch(/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
  expect(header).not.toContain(stack.stack.token);
});

test('a form sends nothing by itself: before its script has come, no token gets into an address', async () => {
  const html = await (await fetch(`${url}/sign-in`)).text();
  expect(html).toMatch(/<form id="sign-in" method="post"/);
  expect(html).toMatch(/<button type="submit" disabled/);
});

test.each([{ token: 'wrong' }, { code: 'made-up' }])('%o does not sign in', async (body) => {
  const answer = await signIn(body);
  expect(answer.status).toBe(401);
  expect(answer.headers.get('set-cookie')).toBeNull();
});

test('a page of another site cannot sign its visitor in', async () => {
  const answer = await signIn({ token: stack.stack.token }, { origin: 'https://elsewhere.example' });
  expect(answer.status).toBe(403);
});

describe('a session', () => {
  test('reads', async () => {
    expect((await ask('GET', '/v1/projects', {})).status).toBe(200);
  });

  test('reads nothing for another site', async () => {
    expect((await ask('GET', '/v1/projects', { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await ask('GET', '/v1/projects', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ask('GET', '/v1/projects', { 'sec-fetch-site': 'same-site' })).status).toBe(403);
  });

  test('writes with its CSRF token from its own origin only', async () => {
    expect((await sweep({})).status).toBe(403);
    expect((await sweep({ origin: url })).status).toBe(403);
    expect((await sweep({ 'x-csrf-token': csrf })).status).toBe(403);
    expect((await sweep({ origin: 'http://localhost:1', 'x-csrf-token': csrf })).status).toBe(403);
    expect((await sweep({ origin: url, 'x-csrf-token': `${csrf}x` })).status).toBe(403);
    expect((await sweep({ origin: url, 'x-csrf-token': csrf })).status).toBe(200);
  });

  test('is over when its cookie was changed', async () => {
    const at = cookie.length - 6;
    const changed = cookie.slice(0, at) + (cookie[at] === 'A' ? 'B' : 'A') + cookie.slice(at + 1);
    expect((await fetch(`${url}/v1/projects`, { headers: { cookie: changed } })).status).toBe(401);
  });

  test('ends with the token that it was made with', async () => {
    const made = await stack.api.call<{ id: string; token: string }>('POST', '/v1/tokens', {
      name: 'short',
      scope: 'read',
    });
    const answer = await signIn({ token: made.body.token });
    const own = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const list = () => fetch(`${url}/v1/projects`, { headers: { cookie: own } });
    expect((await list()).status).toBe(200);
    await stack.api.call('DELETE', `/v1/tokens/${made.body.id}`);
    expect((await list()).status).toBe(401);
  });

  test('opens a terminal for pages of its own origin only, and the audit names it', async () => {
    expect(await openTerminal({ origin: 'https://elsewhere.example' })).toBe(403);
    expect(await openTerminal({})).toBe(403);
    expect(await openTerminal({ origin: url })).toBe('open');
    const { entries } = await stack.api.get<{ entries: { action: string; actor: string }[] }>('/v1/audit');
    expect(entries.find(({ action }) => action.endsWith('/terminal'))?.actor).toMatch(/browser/);
    const events = await project.events('ABC-1');
    expect(events.some(({ name }) => name === 'terminal-opened')).toBe(true);
  });
});

function openTerminal(headers: Record<string, string>): Promise<number | 'open'> {
  const address = `${url.replace('http', 'ws')}/v1/projects/${project.id}/workspaces/ABC-1/terminal`;
  const socket = new WebSocket(address, { headers: { cookie, ...headers } });
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode ?? 0));
    socket.on('error', reject);
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary || !data.toString('utf8').includes('ready')) return;
      socket.close();
      resolve('open');
    });
  });
}

test('the link of the launcher signs in once, and leaves no code in the address', async () => {
  const link = await createSignInLink(stack.stack);
  const code = decodeURIComponent(link.split('#code=')[1] ?? '');
  const browser = await TestBrowser.start(stack.stack);
  const page = await browser.page();
  await page.goto(link);
  await page.waitForURL(`${url}/`);
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  expect((await signIn({ code })).status).toBe(401);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  await page.goto('/');
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  await browser.close();
});

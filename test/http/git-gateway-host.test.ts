import { describe, expect, test } from 'vitest';
import { pushHead } from '../support/push-body.ts';
import { BRANCH, SECRET, ask, askToPush, fakeHost } from './git-gateway-fake.ts';

const PUSH = `${pushHead([`refs/heads/${BRANCH}`])}PACKdata`;

describe('answers of the host', () => {
  test.each([
    [401, 403, "The repository's host refused the project's credential."],
    [403, 403, "The repository's host refused the project's credential."],
    [404, 404, "The project's repository was not found"],
    [410, 404, "The project's repository was not found"],
    [413, 413, 'does not take a request of this size'],
    [429, 429, 'asks for fewer requests'],
    [500, 502, 'answered with status 500'],
    [503, 503, 'is unavailable'],
    [204, 502, 'answered with status 204'],
    [400, 502, 'answered with status 400'],
  ])('%d becomes %d without the host’s words', async (status, ours, text) => {
    const host = fakeHost(
      () =>
        new Response(status === 204 ? null : `quotes ${SECRET}`, {
          status,
          headers: { 'www-authenticate': 'Basic', 'set-cookie': 'a=b', 'content-type': 'text/plain' },
        }),
    );
    const answer = await ask(host, {});
    expect(answer).toMatchObject({ status: ours, text: expect.stringContaining(text) });
    expect(answer.text).not.toContain(SECRET);
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test.each(['text/html', 'application/x-git-receive-pack-advertisement', 'text/plain', ''])(
    'of type %j are not passed on',
    async (type) => {
      const host = fakeHost(
        () => new Response('<script>', { headers: type === '' ? {} : { 'content-type': type } }),
      );
      expect(await ask(host, {})).toMatchObject({
        status: 502,
        text: expect.stringContaining("something that is not git's smart HTTP"),
      });
    },
  );

  test('good ones keep their body and get our headers', async () => {
    const answer = await ask(fakeHost(), {});
    expect(Object.fromEntries(answer.headers)).toEqual({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': 'application/x-git-upload-pack-advertisement',
      'x-content-type-options': 'nosniff',
    });
  });

  test('none at all becomes 502 without the reason', async () => {
    const answer = await ask({ fetch: fetchNothing, sent: [] }, {});
    expect(answer).toMatchObject({ status: 502, text: "The repository's host is out of reach.\n" });
  });
});

describe('redirects', () => {
  test.each([
    '/moved/info/refs?service=git-upload-pack',
    'https://host.example/moved.git/info/refs?service=git-upload-pack',
  ])('to %s on the same host are followed', async (location) => {
    expect(await ask(redirectTo(location), {})).toMatchObject({ status: 200, text: 'good' });
  });

  test.each([
    'https://evil.example/moved/info/refs?service=git-upload-pack',
    'http://host.example/moved/info/refs?service=git-upload-pack',
    'https://host.example:444/moved/info/refs?service=git-upload-pack',
    'https://u@host.example/moved/info/refs?service=git-upload-pack',
    '//evil.example/moved/info/refs?service=git-upload-pack',
  ])('to %s are refused', async (location) => {
    const host = redirectTo(location);
    expect(await ask(host, {})).toMatchObject({
      status: 403,
      text: expect.stringContaining('redirects to http'),
    });
    expect(host.sent).toHaveLength(1);
  });

  test.each(['/users/sign_in', '/moved/info/refs?service=git-receive-pack', '/moved/info/refs', 'http://['])(
    'to %j are no repository',
    async (location) => {
      const host = redirectTo(location);
      expect(await ask(host, {})).toMatchObject({
        status: 403,
        text: expect.stringContaining('is no repository'),
      });
      expect(host.sent).toHaveLength(1);
    },
  );

  test('in a circle end', async () => {
    const host = redirectTo('/a/info/refs?service=git-upload-pack');
    expect(await ask(host, {})).toMatchObject({ status: 502, text: expect.stringContaining('circle') });
    expect(host.sent).toHaveLength(6);
  });

  test('of the push itself are not followed', async () => {
    const host = fakeHost(({ method, url }) =>
      method === 'POST'
        ? new Response(null, { status: 307, headers: { location: url } })
        : new Response('', { headers: { 'content-type': 'application/x-git-receive-pack-advertisement' } }),
    );
    expect(await askToPush(host, PUSH)).toMatchObject({
      status: 502,
      text: expect.stringContaining('moved'),
    });
    expect(host.sent.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });
});

const fetchNothing = () => Promise.reject(new Error(`connect to ${SECRET} failed`));

const good = () =>
  new Response('good', { headers: { 'content-type': 'application/x-git-upload-pack-advertisement' } });

const redirectTo = (location: string) =>
  fakeHost(({ url }) =>
    url.includes('/moved') ? good() : new Response(null, { status: 302, headers: { location } }),
  );

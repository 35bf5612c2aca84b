import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findGrantToken, refuseUnknownGrant } from '../../src/http/git-gateway.ts';
import { pktLine } from '../support/push-body.ts';
import { GRANT, SECRET, ask, fakeHost } from './git-gateway-fake.ts';

const FETCH_TYPE = { 'content-type': 'application/x-git-upload-pack-request' };

describe('addresses', () => {
  test.each([
    ['GET', '/info/refs', 400],
    ['GET', '/info/refs?service=git-upload-pack&a=b', 400],
    ['GET', '/HEAD', 404],
    ['GET', '/info%2Frefs?service=git-upload-pack', 404],
    ['GET', '//info/refs?service=git-upload-pack', 404],
    ['DELETE', '/git-receive-pack', 405],
    ['POST', '/git-receive-pack?x', 400],
  ])('%s %s answers %d in plain text and asks no host', async (method, target, status) => {
    const host = fakeHost();
    const answer = await ask(host, { method, target });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(host.sent).toEqual([]);
  });

  test('a wrong method is answered with the right one', async () => {
    expect((await ask(fakeHost(), { method: 'HEAD' })).headers.get('allow')).toBe('GET');
    expect((await ask(fakeHost(), { target: '/git-upload-pack' })).headers.get('allow')).toBe('POST');
  });

  test('the grant is found in the address, for looking it up', () => {
    const found = findGrantToken(new Request(`https://x/git/${GRANT}/info/refs?service=git-upload-pack`));
    expect(found).toEqual({ ok: true, value: GRANT });
    expect(findGrantToken(new Request('https://x/git/short/info/refs'))).toMatchObject({ ok: false });
    expect(refuseUnknownGrant().status).toBe(403);
  });
});

describe('requests to the host', () => {
  test('carry the credential and nothing of the client', async () => {
    const host = fakeHost();
    const headers = {
      authorization: 'Basic clients-own',
      cookie: 'a=b',
      'x-forwarded-for': '1.2.3.4',
      'user-agent': 'evil/1',
      'git-protocol': 'version=2',
      origin: 'https://evil.example',
    };
    const answer = await ask(host, { headers });
    expect(answer).toMatchObject({ status: 200, text: 'answer of the host' });
    expect(host.sent[0]?.headers).toEqual({
      accept: 'application/x-git-upload-pack-advertisement',
      'accept-encoding': 'identity',
      authorization: `Basic ${SECRET}`,
      'git-protocol': 'version=2',
      'user-agent': 'git/2 (edge-harness)',
    });
  });

  test('have no Authorization without a credential', async () => {
    const host = fakeHost();
    await ask(host, { headers: { authorization: 'Basic clients-own' }, grant: { authorization: null } });
    expect(host.sent[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    ['https://host.example/a/b', 'https://host.example/a/b/info/refs?service=git-upload-pack'],
    ['https://host.example/a/b.git/', 'https://host.example/a/b.git/info/refs?service=git-upload-pack'],
    ['http://host.example:8080/a//', 'http://host.example:8080/a/info/refs?service=git-upload-pack'],
    ['https://host.example', 'https://host.example/info/refs?service=git-upload-pack'],
  ])('for %s go to %s', async (repositoryUrl, url) => {
    const host = fakeHost();
    await ask(host, { grant: { repositoryUrl } });
    expect(host.sent[0]?.url).toBe(url);
  });

  test.each([
    'ssh://host.example/a',
    'file:///etc',
    'https://u:p@host.example/a',
    'https://host.example/a?b=c',
    '',
  ])('for %j are not made', async (repositoryUrl) => {
    const host = fakeHost();
    expect(await ask(host, { grant: { repositoryUrl } })).toMatchObject({ status: 502 });
    expect(host.sent).toEqual([]);
  });

  test('are not made with a credential that is no header', async () => {
    const answer = await ask(fakeHost(), { grant: { authorization: 'Basic a\r\nx: y' } });
    expect(answer).toMatchObject({
      status: 502,
      text: expect.stringContaining('cannot be sent as a header'),
    });
  });

  test('pass on a compressed question as it is', async () => {
    const host = fakeHost();
    const body = new Uint8Array(gzipSync(`${pktLine('command=fetch')}0000`));
    const headers = { ...FETCH_TYPE, 'content-encoding': 'gzip' };
    const answer = await ask(host, { method: 'POST', target: '/git-upload-pack', headers, body });
    expect(answer).toMatchObject({ status: 200, audits: [{ kind: 'fetch', refs: [], reason: null }] });
    expect(host.sent.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(host.sent[1]?.headers['content-encoding']).toBe('gzip');
    expect(host.sent[0]?.headers).not.toHaveProperty('content-encoding');
    expect(host.sent[1]?.body).toBe(Buffer.from(body).toString('latin1'));
  });
});

test('a question over the limit answers 413', async () => {
  const host = fakeHost();
  const more = { method: 'POST', target: '/git-upload-pack', headers: FETCH_TYPE, maxBodyBytes: 1000 };
  expect(await ask(host, { ...more, body: 'x'.repeat(1001) })).toMatchObject({ status: 413 });
  expect(host.sent).toEqual([]);
});

/** What goes over the wire when a push breaks off: a host never takes a part for the whole. */
import { randomBytes } from 'node:crypto';
import { type ClientRequest, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/git-gateway.ts';
import { PUSH_TYPE, pushHead } from '../support/push-body.ts';
import { type RawHost, httpAnswer, startRawHost } from '../support/raw-host.ts';

const BRANCH = 'refs/heads/symphony/ABC-1';
const LIMIT = 1_000_000;
const REFS = httpAnswer('200 OK', 'application/x-git-receive-pack-advertisement', '0000');
const REPORT = httpAnswer('200 OK', 'application/x-git-receive-pack-result', 'report');

describe.each(['node', 'workerd'] as const)('a push over the wire in %s', (runtime) => {
  let host: RawHost;
  let gateway: Gateway;

  beforeEach(async () => {
    host = await startRawHost();
    host.answer = (received) => (received.startsWith('GET') ? REFS : null);
    const allowedRefs = { branch: 'symphony/ABC-1', rescuePrefix: 'symphony-rescue/ABC-1/' };
    const repositoryUrl = `${host.url}/demo`;
    const save = { operation: 'save', repositoryUrl, authorization: 'Basic canary', allowedRefs } as const;
    gateway = await startGateway(runtime, { save }, LIMIT);
  });
  afterEach(async () => {
    await gateway.close();
    await host.close();
  });

  const open = (
    headers: Record<string, string> = {},
  ): [ClientRequest, Promise<{ status: number; text: string }>] => {
    const sent = request(`${gateway.address('save')}/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': PUSH_TYPE, ...headers },
    });
    const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (incoming) => {
        let text = '';
        incoming.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
      });
    });
    return [sent, answer];
  };

  const pushed = (): string => host.received.find((received) => received.startsWith('POST')) ?? '';

  const untilPushed = async (bytes: number): Promise<void> => {
    while (pushed().length < bytes) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  test('while the commands are not complete the host hears nothing', async () => {
    const [sent, answer] = open();
    sent.write(pushHead([BRANCH]).slice(0, -2));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(host.received).toEqual([]);
    sent.end();
    expect(await answer).toEqual({
      status: 400,
      text: 'The push is malformed: it ends before its commands do.\n',
    });
    expect(host.received).toEqual([]);
  });

  test('a client that goes away in the middle of its pack leaves the host a broken request', async () => {
    const [sent, answer] = open();
    sent.write(`${pushHead([BRANCH])}PACK`);
    sent.write(randomBytes(300_000));
    await untilPushed(200_000);
    sent.destroy();
    await expect(answer).rejects.toThrow('socket hang up');
    await host.closed();
    expect(pushed()).toMatch(/\r\nauthorization: Basic canary\r\n/i);
    expect(pushed()).not.toMatch(/\r\n0\r\n\r\n$/);
  });

  test('a push over the limit leaves the host a broken request', async () => {
    const [sent, answer] = open();
    sent.write(`${pushHead([BRANCH])}PACK`);
    sent.end('x'.repeat(LIMIT * 2));
    const { status, text } = await answer;
    expect(status).toBe(200);
    expect(text).toContain(`ng ${BRANCH} pack_too_large: the push is over the limit of 1 MB`);
    await host.closed();
    expect(pushed()).not.toMatch(/\r\n0\r\n\r\n$/);
  });

  test('a damaged gzip body leaves the host a broken request', async () => {
    const [sent, answer] = open({ 'content-encoding': 'gzip' });
    const body = gzipSync(Buffer.concat([Buffer.from(`${pushHead([BRANCH])}PACK`), randomBytes(300_000)]));
    body.fill(0xff, 200_000);
    sent.end(body);
    expect(await answer).toEqual({
      status: 400,
      text: 'The push is malformed: it cannot be read to its end.\n',
    });
    await host.closed();
    expect(pushed()).not.toMatch(/\r\n0\r\n\r\n$/);
  });

  test('a host that refuses the credential during the upload is reported at once', async () => {
    host.answer = (received) =>
      received.startsWith('GET') ? REFS : httpAnswer('401 Unauthorized', 'text/plain', 'Basic canary');
    const [sent, answer] = open();
    sent.write(`${pushHead([BRANCH])}PACK`);
    sent.write(randomBytes(300_000));
    expect(await answer).toEqual({
      status: 403,
      text: "The repository's host refused the project's credential. Set a new one and try again.\n",
    });
    sent.destroy();
  });

  test('a push to a repository that moved asks where it is and goes there', async () => {
    host.answer = (received) => {
      if (received.startsWith('GET /demo/'))
        return `HTTP/1.1 301 Moved\r\nlocation: /demo.git/info/refs?service=git-receive-pack\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
      return received.startsWith('GET') ? REFS : REPORT;
    };
    const [sent, answer] = open();
    sent.end(`${pushHead([BRANCH])}PACK`);
    expect(await answer).toEqual({ status: 200, text: 'report' });
    expect(host.received.map((received) => received.split(' HTTP', 1)[0])).toEqual([
      'GET /demo/info/refs?service=git-receive-pack',
      'GET /demo.git/info/refs?service=git-receive-pack',
      'POST /demo.git/git-receive-pack',
    ]);
  });

  test('a host that is down is named as out of reach', async () => {
    await host.close();
    const [sent, answer] = open();
    sent.end(`${pushHead([BRANCH])}PACK`);
    expect(await answer).toEqual({ status: 502, text: "The repository's host is out of reach.\n" });
  });
});

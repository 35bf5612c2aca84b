import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ONE, ZERO, pktLine, pushHead } from '../support/push-body.ts';
import { type FakeHost, BRANCH, GRANT, SECRET, askToPush, fakeHost } from './git-gateway-fake.ts';

const REF = `refs/heads/${BRANCH}`;
const PUSH = `${pushHead([REF])}PACKdata`;
const FETCH_TYPE = 'application/x-git-upload-pack-request';

const posted = (host: FakeHost) => host.sent.filter(({ method }) => method === 'POST');

describe('pushes', () => {
  test('to the branch go on, written anew and audited', async () => {
    const host = fakeHost();
    const body = `${pushHead([REF], ' report-status evil')}PACKdata`;
    const answer = await askToPush(host, body);
    expect(answer).toMatchObject({ status: 200, audits: [{ kind: 'push', refs: [REF], reason: null }] });
    expect(posted(host).map((sent) => sent.body)).toEqual([`${pushHead([REF])}PACKdata`]);
    expect(posted(host)[0]?.headers).toMatchObject({
      authorization: `Basic ${SECRET}`,
      'content-type': 'application/x-git-receive-pack-request',
    });
  });

  test('in gzip go on without it', async () => {
    const host = fakeHost();
    const headers = { 'content-encoding': 'gzip' };
    await askToPush(host, new Uint8Array(gzipSync(PUSH)), { headers });
    expect(posted(host).map((sent) => sent.body)).toEqual([PUSH]);
    expect(posted(host)[0]?.headers).not.toHaveProperty('content-encoding');
  });

  test.each([undefined, 'bytes'] as const)(
    'of many pieces in a stream of type %s arrive whole',
    async (type) => {
      const host = fakeHost();
      const body = `${PUSH}${'0123456789'.repeat(30_000)}`;
      const bytes = new Uint8Array(Buffer.from(body));
      let at = 0;
      const source = {
        pull(controller: ReadableStreamDefaultController | ReadableByteStreamController) {
          if (at < bytes.length) return controller.enqueue(bytes.slice(at, (at += at < 300 ? 1 : 7_777)));
          controller.close();
          if ('byobRequest' in controller) controller.byobRequest?.respond(0);
        },
      };
      const pieces: ReadableStream =
        type === undefined ? new ReadableStream(source) : new ReadableStream({ ...source, type });
      expect(await askToPush(host, pieces)).toMatchObject({ status: 200 });
      expect(posted(host)[0]?.body).toBe(body);
    },
  );

  test('that are a lone flush go on as one', async () => {
    const host = fakeHost();
    expect(await askToPush(host, '0000')).toMatchObject({ status: 200, audits: [] });
    expect(posted(host).map((sent) => sent.body)).toEqual(['0000']);
  });

  test.each([
    ['', 'it ends before its commands do'],
    ['00', 'it ends before its commands do'],
    ['0000PACK', 'a pack comes without commands'],
    [`${pktLine(`shallow ${ONE}`)}0000PACK`, 'a pack comes without commands'],
    [pushHead([REF]), 'no pack follows the commands'],
    [`${pushHead([REF])}PAC`, 'no pack follows the commands'],
    [`${pushHead([REF])}0000PACK`, 'no pack follows the commands'],
    [`${pushHead([REF])}${pktLine('option')}0000PACK`, 'no pack follows the commands'],
    [`${pktLine('push-cert\0 push-cert=x')}0000`, 'signed pushes are not accepted: push with --no-signed'],
    ['0001', 'a pkt-line of length 1 has no place in a push'],
    ['GET / HTTP/1.1', 'a pkt-line does not start with four hex digits'],
  ])('of %j are malformed: %s', async (body, fault) => {
    const host = fakeHost();
    const answer = await askToPush(host, body);
    expect(answer).toMatchObject({ status: 400, text: `The push is malformed: ${fault}.\n` });
    expect(host.sent).toEqual([]);
  });

  test('that are no gzip are malformed', async () => {
    const host = fakeHost();
    const answer = await askToPush(host, PUSH, { headers: { 'content-encoding': 'gzip' } });
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('cannot be read to its end') });
    expect(host.sent).toEqual([]);
  });

  test('whose commands never end are cut off, also in gzip', async () => {
    const host = fakeHost();
    const bomb = pktLine(`shallow ${ONE}`).repeat(200_000);
    for (const [body, headers] of [
      [bomb, {}],
      [new Uint8Array(gzipSync(bomb)), { 'content-encoding': 'gzip' }],
    ] as const) {
      const answer = await askToPush(host, body, { headers });
      expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('over 524288 bytes') });
    }
    expect(host.sent).toEqual([]);
  });

  test.each([
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': FETCH_TYPE }, 415],
    [{ 'content-encoding': 'br' }, 415],
  ])('with %j answer %d', async (headers, status) => {
    const host = fakeHost();
    expect(await askToPush(host, PUSH, { headers })).toMatchObject({ status });
    expect(host.sent).toEqual([]);
  });

  test('that are refused are reported and audited, and no host hears of them', async () => {
    const host = fakeHost();
    const answer = await askToPush(host, `${pushHead([REF, 'refs/heads/main'])}PACKdata`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-git-receive-pack-result');
    expect(answer.text).toContain(pktLine('unpack ok\n'));
    expect(answer.text).toContain(`ng ${REF} not_attempted: another ref of this push is refused\n`);
    expect(answer.text).toContain('ng refs/heads/main ref_not_allowed: ');
    expect(answer.audits).toMatchObject([{ kind: 'push-refused', refs: [REF, 'refs/heads/main'] }]);
    expect(host.sent).toEqual([]);
  });

  test('that are refused without wanting a report answer 403', async () => {
    const answer = await askToPush(fakeHost(), `${pktLine(`${ONE} ${ZERO} ${REF}`)}0000`);
    expect(answer).toMatchObject({
      status: 403,
      text: expect.stringContaining(`${REF}: deletion_not_allowed`),
    });
  });

  test('with a grant for cloning answer 403 and are audited', async () => {
    const host = fakeHost();
    const answer = await askToPush(host, PUSH, { grant: { operation: 'clone' } });
    expect(answer).toMatchObject({ status: 403, audits: [{ kind: 'push-refused' }] });
    expect(host.sent).toEqual([]);
  });

  test('of a known length over the limit are reported before any host hears of them', async () => {
    const host = fakeHost();
    const headers = { 'content-length': '150000001' };
    const answer = await askToPush(host, PUSH, { headers, maxBodyBytes: 100_000_000 });
    expect(answer.text).toContain(
      `ng ${REF} pack_too_large: 151 MB are over the limit of 100 MB; push fewer`,
    );
    expect(answer.audits).toMatchObject([
      { kind: 'push-refused', reason: expect.stringContaining('pack_too_large') },
    ]);
    expect(host.sent).toEqual([]);
  });

  test('that the host finds too large are reported as such', async () => {
    const host = fakeHost(({ method }) =>
      method === 'POST'
        ? new Response(null, { status: 413 })
        : new Response('', { headers: { 'content-type': 'application/x-git-receive-pack-advertisement' } }),
    );
    expect((await askToPush(host, PUSH)).text).toContain(`ng ${REF} pack_too_large: the repository's host`);
  });

  test('of thousands of refs leave a short audit', async () => {
    const refs = Array.from({ length: 3000 }, (_, at) => `refs/heads/${'x'.repeat(60)}${at}`);
    const { audits, text } = await askToPush(fakeHost(), `${pushHead(refs)}PACK`);
    expect(text).toContain(`ng ${refs.at(-1)} ref_not_allowed`);
    expect(audits[0]?.refs).toEqual(refs.slice(0, 250));
    expect(audits[0]?.reason).toMatch(/^ref_not_allowed: [^;]*$/);
  });

  test('name no grant in the audit', async () => {
    const { audits } = await askToPush(fakeHost(), `${pushHead([`refs/heads/${GRANT}`])}PACK`);
    expect(audits[0]?.refs).toEqual(['refs/heads/***']);
  });
});

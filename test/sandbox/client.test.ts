import { describe, expect, test } from 'vitest';
import { SupervisorClient } from '../../src/sandbox/client.ts';
import { PROTOCOL_VERSION, SUPERVISOR_HEADER } from '../../src/sandbox/protocol.ts';

const HEALTH = { protocol: '1', mode: 'sandbox', confinements: ['none'] };
const TARGET = { creationId: 'creation-1', directory: '/srv/ä b' };

const answer = (
  body: string | ReadableStream<Uint8Array> | null,
  status = 200,
  headers: Record<string, string> = {},
): Response => new Response(body, { status, headers: { [SUPERVISOR_HEADER]: PROTOCOL_VERSION, ...headers } });

/** Answers one after the other; the last one again and again. */
function clientOf(...answers: ((request: Request) => Response | Promise<Response>)[]) {
  const requests: Request[] = [];
  const client = new SupervisorClient({
    fetch: async (request) => {
      requests.push(request);
      const next = answers[Math.min(requests.length, answers.length) - 1];
      if (next === undefined) throw new Error('no answer planned');
      return next(request);
    },
  });
  return { client, requests };
}

const good = () => answer(JSON.stringify(HEALTH));
const cut = () => Promise.reject(new Error('connection closed'));
const plain = () => new Response(JSON.stringify(HEALTH));
const proxy = () => new Response('Error proxying request to container', { status: 500 });

describe('an answer', () => {
  test('is parsed', async () => {
    expect(await clientOf(good).client.health()).toEqual({ kind: 'answer', value: HEALTH });
  });

  test('without the supervisor’s header is nobody’s, whatever its status', async () => {
    for (const from of [proxy, plain]) {
      const reply = await clientOf(from).client.health();
      expect(reply).toMatchObject({
        kind: 'unreachable',
        detail: expect.stringContaining('not from a supervisor'),
      });
    }
  });

  test('of another protocol version is unreachable', async () => {
    const reply = await clientOf(() => answer('{}', 200, { [SUPERVISOR_HEADER]: '2' })).client.health();
    expect(reply.kind).toBe('unreachable');
  });

  test.each([
    ['cut off', '{"protocol":'],
    ['of another shape', '{"protocol":"1","mode":"moon"}'],
    ['empty', ''],
  ])('that is %s is unreachable', async (_, body) => {
    expect((await clientOf(() => answer(body)).client.health()).kind).toBe('unreachable');
  });

  test('that does not end is cut at 32 MiB', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1;
        controller.enqueue(chunk);
      },
    });
    const reply = await clientOf(() => answer(endless)).client.health();
    expect(reply).toMatchObject({
      kind: 'unreachable',
      detail: expect.stringContaining('over 33554432 bytes'),
    });
    expect(sent).toBeLessThan(40);
  });

  test('that refuses carries its code', async () => {
    const body = JSON.stringify({ code: 'no_incarnation', detail: 'new disk' });
    const { client } = clientOf(() => answer(body, 409));
    expect(await client.killLeftovers(TARGET)).toEqual({
      kind: 'refused',
      error: { code: 'no_incarnation', detail: 'new disk' },
    });
  });

  test('that refuses with an invented code is unreachable', async () => {
    const { client } = clientOf(() => answer('{"code":"all_yours","detail":""}', 409));
    expect((await client.killLeftovers(TARGET)).kind).toBe('unreachable');
  });
});

describe('a call', () => {
  test('is given up at its deadline, beside what it asks to wait', async () => {
    const { client } = clientOf(() => new Promise<Response>(() => {}));
    const startedAt = Date.now();
    const reply = await client.poll(TARGET, 'op', { waitMs: 100 }, { deadlineMs: 100 });
    expect(reply).toEqual({
      kind: 'unreachable',
      detail: 'The supervisor did not answer: no answer within 200 ms.',
    });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(190);
  });

  test('the deadline holds for a body that stops half-way', async () => {
    const stuck = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([0x7b])),
    });
    const reply = await clientOf(() => answer(stuck)).client.health({ deadlineMs: 100 });
    expect(reply.kind).toBe('unreachable');
  });

  test('is repeated once where that was asked for and nobody answered', async () => {
    for (const first of [cut, proxy]) {
      const { client, requests } = clientOf(first, good);
      expect((await client.health({ retry: 'once' })).kind).toBe('answer');
      expect(requests).toHaveLength(2);
    }
    const { client, requests } = clientOf(cut, good);
    expect((await client.health()).kind).toBe('unreachable');
    expect(requests).toHaveLength(1);
  });

  test('is not repeated after a refusal', async () => {
    const { client, requests } = clientOf(() => answer('{"code":"not_found","detail":""}', 404), good);
    expect((await client.health({ retry: 'once' })).kind).toBe('refused');
    expect(requests).toHaveLength(1);
  });

  test('carries the creation id and the directory', async () => {
    const { client, requests } = clientOf(() => answer('{"killed":0}'));
    await client.killLeftovers(TARGET);
    expect(requests[0]?.headers.get('x-edge-harness-creation')).toBe('creation-1');
    expect(requests[0]?.headers.get('x-edge-harness-directory')).toBe('%2Fsrv%2F%C3%A4%20b');
  });

  test('says what kind of body it sends', async () => {
    const { client, requests } = clientOf(() => answer(null, 204));
    await client.writeSnapshot(TARGET, 'snap', new Uint8Array([1, 2]));
    await client.writeFile(TARGET, { path: 'a', bytes: new Uint8Array([1]), ifMatch: '"x"' });
    expect(requests.map(({ headers }) => headers.get('content-type'))).toEqual(
      Array(2).fill('application/octet-stream'),
    );
    expect(requests[1]?.headers.get('if-match')).toBe('"x"');
  });
});

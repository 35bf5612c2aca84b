import { expect, test } from 'vitest';
import { type Fakes, problemOf, startFakes } from './fake-objects.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const MIB = 1024 * 1024;

const put = (body: BodyInit, headers: Record<string, string> = JSON_TYPE, fakes: Fakes = startFakes()) =>
  fakes.ask('PUT /v1/projects/demo', { body, headers, duplex: 'half' } as RequestInit);

const chunked = (text: string, times: number) => {
  let left = times;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (left-- > 0) controller.enqueue(new TextEncoder().encode(text));
      else controller.close();
    },
  });
};

test.each([
  ['nothing', '', 'empty'],
  ['blanks', ' \n', 'empty'],
  ['half an object', '{"location":', 'not JSON'],
  ['a trailing comma', '{"location":"host",}', 'not JSON'],
  ['two values', '{}{}', 'not JSON'],
  ['a NUL', '{}\0', 'not JSON'],
  ['a lone surrogate', '{"workflow":"\\ud83d"}', 'surrogate'],
  ['a lone surrogate as a key', '{"\\udc00":1}', 'surrogate'],
  ['a string', '"x"', 'expected object'],
  ['null', 'null', 'expected object'],
  ['a list', '[]', 'expected object'],
  ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, '64 levels'],
  ['500 000 levels', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, '64 levels'],
  ['open brackets only', '['.repeat(1_000_000), 'not JSON'],
])('%s as a body is 400', async (_what, body, detail) => {
  const response = await put(body);
  expect(response.status).toBe(400);
  expect(await problemOf(response)).toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining(detail) as string,
  });
});

test.each([
  ['{"workflow":"\\ud83d"}', 'workflow'],
  ['{"repository":{"url":"\\udc00"}}', 'repository.url'],
  ['{"repository":{"\\udc00":1}}', 'repository["\ufffd"]'],
  ['{"other":["a","\\ud83d"]}', 'other[1]'],
])('half of a surrogate pair in %s is told with its field', async (body, field) => {
  const problem = await problemOf(await put(body));
  expect(problem.detail).toBe(`body \`${field}\` holds half of a surrogate pair: send well-formed Unicode.`);
  expect(problem.diagnostics?.[0]?.path).toBe(field);
});

test('a syntax error is told by its place, without the text around it', async () => {
  const problem = await problemOf(await put('{"token":"s3cret" x}'));
  expect(problem.detail).toBe('The body is not JSON: syntax error at character 19.');
});

test('a byte order mark before JSON is let through', async () => {
  expect((await put('\uFEFF{}')).status).toBe(201);
});

test.each([
  ['a stray continuation byte', [0x22, 0x80, 0x22]],
  ['a cut sequence', [0x22, 0xf0, 0x9f, 0x22]],
  ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
])('%s is refused as invalid UTF-8, in JSON and in markdown', async (_what, bytes) => {
  const fakes = startFakes();
  const sent = Uint8Array.from(bytes);
  expect((await problemOf(await put(sent))).detail).toBe('The body is not valid UTF-8.');
  const headers = { 'content-type': 'text/markdown' };
  const response = await fakes.ask('PUT /v1/projects/demo/workflow', { body: sent, headers });
  expect((await problemOf(response)).detail).toBe('The body is not valid UTF-8.');
  expect(fakes.calls).toEqual([]);
});

test.each([
  [undefined, 'content-type'],
  ['text/plain', 'content-type'],
  ['application/x-www-form-urlencoded', 'content-type'],
  ['application/json; charset=latin1', 'content-type'],
  ['', 'content-type'],
])('the content type %s is refused, naming the header', async (type, field) => {
  const response = await put(
    new TextEncoder().encode('{}'),
    type === undefined ? {} : { 'content-type': type },
  );
  expect(response.status).toBe(400);
  expect((await problemOf(response)).diagnostics?.[0]?.path).toBe(field);
});

test('the content type may say utf-8 in any case', async () => {
  expect((await put('{}', { 'content-type': 'Application/JSON; Charset="UTF-8"' })).status).toBe(201);
});

test('a compressed body is refused, naming the header', async () => {
  const response = await put('{}', { ...JSON_TYPE, 'content-encoding': 'gzip' });
  expect((await problemOf(response)).diagnostics?.[0]?.path).toBe('content-encoding');
});

test('a WORKFLOW.md of exactly 1 MiB arrives byte for byte', async () => {
  const { ask, answer } = startFakes();
  let arrived = '';
  answer('project.putWorkflow', (text: string) => {
    arrived = text;
    return { ok: true, value: {} };
  });
  const text = `\uFEFF---\r\n${'é'.repeat(MIB / 2 - 4)}`;
  expect(new TextEncoder().encode(text)).toHaveLength(MIB);
  const headers = { 'content-type': 'text/markdown; charset=utf-8' };
  expect((await ask('PUT /v1/projects/demo/workflow', { body: text, headers })).status).toBe(200);
  expect(arrived === text).toBe(true);
});

test.each([
  ['PUT /v1/projects/demo', 'application/json'],
  ['PUT /v1/projects/demo/workflow', 'text/markdown'],
  ['POST /v1/projects/demo/workspaces/ABC-1/save', 'application/json'],
])('%s with more than 1 MiB is 413, announced or chunked', async (address, type) => {
  const { ask, calls } = startFakes();
  const headers = { 'content-type': type };
  const announced = await ask(address, { body: 'x'.repeat(MIB + 1), headers });
  const body = chunked('x'.repeat(65_536), 17);
  const streamed = await ask(address, { body, headers, duplex: 'half' } as RequestInit);
  for (const response of [announced, streamed]) {
    expect(response.status).toBe(413);
    expect((await problemOf(response)).code).toBe('body_too_large');
  }
  expect(calls).toEqual([]);
});

test('an endless body is cut off at the limit', async () => {
  const body = chunked('x'.repeat(65_536), Number.POSITIVE_INFINITY);
  const response = await put(body);
  expect(response.status).toBe(413);
});

test.each(['POST /v1/sweep', 'POST /v1/projects/demo/workspaces/ABC-1/save', 'DELETE /v1/projects/demo'])(
  '%s takes no body but an empty object',
  async (address) => {
    const { ask } = startFakes();
    expect((await ask(address, { body: '{}' })).status).toBeLessThan(300);
    const response = await ask(address, { body: '{"force":true}' });
    expect(response.status).toBe(400);
    expect((await problemOf(response)).detail).toBe('This route takes no body: send none.');
  },
);

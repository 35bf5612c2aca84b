/** Reads request bodies: bounded, valid UTF-8, of the announced type. Nothing larger than the limit is ever held. */
import { type Failure, failure } from '../core/failure.ts';
import { type Result, err, ok } from '../core/result.ts';
import { invalidRequest, quote } from './field-faults.ts';
import { parseJsonText } from './json-text.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** Other markdown types and plain text are what people's tools send for a `.md` file. */
const MARKDOWN_TYPES = ['text/markdown', 'text/x-markdown', 'text/plain'];

export async function readJson(request: Request): Promise<Result<unknown, Failure>> {
  const refused = refusedType(request, ['application/json']);
  if (refused) return err(refused);
  const text = await readText(request);
  return text.ok ? parseJson(text.value) : text;
}

export async function readMarkdown(request: Request): Promise<Result<string, Failure>> {
  const refused = refusedType(request, MARKDOWN_TYPES);
  if (refused) return err(refused);
  const text = await readText(request);
  if (!text.ok || !text.value.includes('\0')) return text;
  return err(invalidRequest([{ field: '', message: 'The body holds a NUL, which is no text' }]));
}

/** For routes without a body; `{}` is let through because many clients send it with every POST. */
export async function readNothing(request: Request): Promise<Result<undefined, Failure>> {
  const text = await readText(request);
  if (!text.ok) return text;
  if (text.value.trim() === '' || text.value.trim() === '{}') return ok(undefined);
  return err(invalidRequest([{ field: '', message: 'This route takes no body: send none' }]));
}

function refusedType(request: Request, types: string[]): Failure | null {
  const header = request.headers.get('content-type');
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const sent = header === null ? 'there is none' : `${quote(header)} was sent`;
  if (!types.includes(type)) return wrongHeader('content-type', `must be ${types[0]}, ${sent}`);
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    return wrongHeader('content-type', `must have charset utf-8, ${sent}`);
  const encoding = request.headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    return wrongHeader('content-encoding', `${quote(encoding)} is not supported: send the body uncompressed`);
  return null;
}

const wrongHeader = (name: string, message: string): Failure =>
  invalidRequest([{ field: name, message: `Header \`${name}\` ${message}` }]);

async function readText(request: Request): Promise<Result<string, Failure>> {
  const bytes = await readBytes(request, MAX_BODY_BYTES);
  if (!bytes.ok) return bytes;
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.value));
  } catch {
    return err(invalidRequest([{ field: '', message: 'The body is not valid UTF-8' }]));
  }
}

export async function readBytes(
  request: Request,
  maxBytes: number,
): Promise<Result<Uint8Array<ArrayBuffer>, Failure>> {
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > maxBytes) return err(tooLarge(maxBytes));
  if (request.body === null) return ok(new Uint8Array());
  if (announced === null) return readChunks(request.body as ReadableStream<Uint8Array>, maxBytes);
  // HTTP ends a body where its length said. At once is several times as fast as chunk by chunk.
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.byteLength > maxBytes ? err(tooLarge(maxBytes)) : ok(bytes);
}

/** Counts while reading: a chunked body announces no length. */
async function readChunks(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Result<Uint8Array<ArrayBuffer>, Failure>> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.byteLength;
    if (length > maxBytes) {
      await reader.cancel().catch(() => undefined);
      return err(tooLarge(maxBytes));
    }
    chunks.push(part.value);
  }
  return ok(joined(chunks, length));
}

const tooLarge = (maxBytes: number): Failure =>
  failure('body_too_large', `The body is larger than ${maxBytes} bytes: send less.`);

function joined(chunks: Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

function parseJson(sent: string): Result<unknown, Failure> {
  const value = parseJsonText(sent.startsWith('\uFEFF') ? sent.slice(1) : sent);
  return value.ok ? value : err(invalidRequest([value.error]));
}

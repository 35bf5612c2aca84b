/** Carries a request's body to the host in constant memory: the next piece is read when the last one has gone. */
import { joinBytes } from '../core/git-gateway/byte-text.ts';
import { type Result, ok } from '../core/result.ts';
import { type BodyFault, CHUNK_BYTES, type RequestBody } from './git-gateway-body.ts';

/** A short body is sent with its length, which some hosts insist on; a longer one in chunks. */
const MAX_WHOLE_BYTES = 64 * 1024;

/** What a host is sent: `first`, then the rest of the body. */
export const buildHostBody = async (
  first: Uint8Array,
  rest: RequestBody,
): Promise<Result<Uint8Array | ReadableStream<Uint8Array>, BodyFault>> => {
  const parts = [first];
  for (let bytes = first.length; bytes <= MAX_WHOLE_BYTES;) {
    const chunk = await rest.next();
    if (!chunk.ok) return chunk;
    if (chunk.value === null) return ok(joinBytes(parts));
    parts.push(chunk.value);
    bytes += chunk.value.length;
  }
  return ok(openStream(joinBytes(parts), rest));
};

const openStream = (first: Uint8Array, rest: RequestBody): ReadableStream<Uint8Array> => {
  const { readable, writable } = IdentityPipe === undefined ? new TransformStream() : new IdentityPipe();
  const writer = writable.getWriter();
  // A host that wants no more has answered: who reads that answer decides what becomes of the rest.
  pump(writer, first, rest).catch(() => undefined);
  return readable;
};

/** Rejects when the host wants no more. */
const pump = async (
  writer: WritableStreamDefaultWriter<Uint8Array>,
  first: Uint8Array,
  rest: RequestBody,
): Promise<void> => {
  await writer.write(first);
  for (let buffer: ArrayBuffer | undefined; ;) {
    const chunk = await rest.next(buffer);
    if (!chunk.ok) return writer.abort(new Error(`The request body is ${chunk.error}.`));
    if (chunk.value === null) return writer.close();
    await writer.write(chunk.value);
    buffer = reusableBuffer(chunk.value);
  }
};

/** workerd's pipe keeps nothing: a finished write was read. Node has the standard one, which passes chunks on as they are. */
const IdentityPipe = (
  globalThis as { IdentityTransformStream?: new () => TransformStream<Uint8Array, Uint8Array> }
).IdentityTransformStream;

/** A new buffer for every piece would wait for the garbage collector, 100 MB of them at a time. */
const reusableBuffer = ({ buffer }: Uint8Array): ArrayBuffer | undefined =>
  IdentityPipe !== undefined && buffer.byteLength === CHUNK_BYTES ? (buffer as ArrayBuffer) : undefined;

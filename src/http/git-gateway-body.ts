/** A request's body, read piece by piece on demand: what is not asked for stays with the client. */
import { type Result, err, ok } from '../core/result.ts';

/** `broken`: the client went away, or the coding is damaged. */
export type BodyFault = 'too_large' | 'broken';

/** In workerd pieces of 4 KiB, the default, cost five times the processor time of these. */
export const CHUNK_BYTES = 64 * 1024;

export class RequestBody {
  readonly #read: ReadChunk;
  readonly #cancel: () => Promise<void>;
  readonly #maxBytes: number;
  readonly #aborter = new AbortController();
  #held: Uint8Array | null = null;
  #bytes = 0;
  #fault: BodyFault | null = null;

  /** Counts and answers bytes as they are after decoding. */
  constructor(
    stream: ReadableStream<Uint8Array<ArrayBuffer>> | null,
    coding: 'gzip' | null,
    maxBytes: number,
  ) {
    const source = coding === null ? stream : decompress(stream);
    const [read, cancel] = source === null ? NOTHING : openReader(source);
    this.#read = read;
    this.#cancel = cancel;
    this.#maxBytes = maxBytes;
  }

  /** Why reading ended before the body did. */
  get fault(): BodyFault | null {
    return this.#fault;
  }

  /** Aborted with the fault. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /**
   * null at the end. A fault stays. The chunk is the caller's alone. With a `buffer`, which is lost to the caller, the
   * answer waits until it is full.
   */
  async next(buffer?: ArrayBuffer): Promise<Result<Uint8Array | null, BodyFault>> {
    if (this.#fault !== null) return err(this.#fault);
    if (this.#held !== null) {
      const held = this.#held;
      this.#held = null;
      return ok(held);
    }
    const chunk = await this.#read(buffer);
    if (chunk === undefined) return this.#fail('broken');
    this.#bytes += chunk?.length ?? 0;
    return this.#bytes > this.#maxBytes ? this.#fail('too_large') : ok(chunk);
  }

  /** The next `next` answers these first. */
  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#held = bytes;
  }

  /** Reads the rest and forgets it, up to a limit: a client reads no answer while it is sending. */
  async drain(maxBytes: number): Promise<void> {
    for (let left = maxBytes; left > 0;) {
      const chunk = await this.#read();
      if (!chunk) return;
      left -= chunk.length;
    }
    await this.stop();
  }

  /** Idempotent. */
  stop(): Promise<void> {
    return this.#cancel().catch(() => undefined);
  }

  #fail(fault: BodyFault): Result<never, BodyFault> {
    this.#fault = fault;
    this.#aborter.abort();
    return err(fault);
  }
}

/** null at the end, undefined when it cannot be read on. Never an empty chunk. */
type ReadChunk = (buffer?: ArrayBuffer) => Promise<Uint8Array | null | undefined>;

const NOTHING: [ReadChunk, () => Promise<void>] = [() => Promise.resolve(null), () => Promise.resolve()];

const openReader = (stream: ReadableStream<Uint8Array>): [ReadChunk, () => Promise<void>] => {
  const byob = openByobReader(stream);
  if (byob !== null) return [untilBytes((buffer) => fill(byob, buffer)), () => byob.cancel()];
  const plain = stream.getReader();
  return [untilBytes(() => plain.read()), () => plain.cancel()];
};

interface Piece {
  done: boolean;
  value?: Uint8Array | undefined;
}

/** The types of workerd do not know `min`. */
interface ByobReader {
  read(view: Uint8Array<ArrayBuffer>, options: { min: number }): Promise<Piece>;
  cancel(): Promise<void>;
}

/** null: a stream of whole chunks, as Node decompresses to. */
const openByobReader = (stream: ReadableStream<Uint8Array>): ByobReader | null => {
  try {
    return stream.getReader({ mode: 'byob' });
  } catch {
    return null;
  }
};

const fill = (reader: ByobReader, buffer: ArrayBuffer | undefined): Promise<Piece> =>
  buffer === undefined
    ? reader.read(new Uint8Array(CHUNK_BYTES), { min: 1 })
    : reader.read(new Uint8Array(buffer), { min: buffer.byteLength });

const untilBytes =
  (read: (buffer?: ArrayBuffer) => Promise<Piece>): ReadChunk =>
  async (buffer) => {
    try {
      for (let piece = await read(buffer); ; piece = await read()) {
        // The last bytes may come together with the end.
        if (piece.value !== undefined && piece.value.length > 0) return piece.value;
        if (piece.done) return null;
      }
    } catch {
      return undefined;
    }
  };

const decompress = (
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): ReadableStream<Uint8Array> | null => stream?.pipeThrough(new DecompressionStream('gzip')) ?? null;

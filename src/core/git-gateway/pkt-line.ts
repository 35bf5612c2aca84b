/** Git's framing, gitprotocol-common(5): four hex digits of length, then the payload. `0000` is a flush. */
import { type Result, err, ok } from '../result.ts';
import { fromByteText, joinBytes } from './byte-text.ts';

export type PktLine = { kind: 'flush' } | { kind: 'data'; payload: Uint8Array };

/** Where a reader stands in a chunk that it may leave half read. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

const HEADER_BYTES = 4;
/** The longest payload that git itself reads. */
export const MAX_PAYLOAD_BYTES = 65_516;

export const FLUSH = fromByteText('0000');

export const encodePktLine = (payload: Uint8Array): Uint8Array => {
  const length = (payload.length + HEADER_BYTES).toString(16).padStart(HEADER_BYTES, '0');
  return joinBytes([fromByteText(length), payload]);
};

/** Holds one line at most, in a buffer of its exact size: chunks of one byte cost no more than large ones. */
export class PktLineReader {
  readonly #maxPayloadBytes: number;
  #header = new Uint8Array(HEADER_BYTES);
  #payload: Uint8Array | null = null;
  #filled = 0;

  constructor(maxPayloadBytes: number) {
    this.#maxPayloadBytes = maxPayloadBytes;
  }

  /** null: the chunk ended first. After a fault the reader is of no use. */
  read(from: Cursor): Result<PktLine | null, string> {
    if (this.#payload === null) {
      if (!this.#fill(this.#header, from)) return ok(null);
      const length = parseLength(this.#header);
      if (length === 0) return ok({ kind: 'flush' });
      const fault = faultOf(length, this.#maxPayloadBytes);
      if (fault !== null) return err(fault);
      this.#payload = new Uint8Array(length - HEADER_BYTES);
    }
    const payload = this.#payload;
    if (!this.#fill(payload, from)) return ok(null);
    this.#payload = null;
    return ok({ kind: 'data', payload });
  }

  #fill(target: Uint8Array, from: Cursor): boolean {
    const taken = Math.min(target.length - this.#filled, from.bytes.length - from.at);
    target.set(from.bytes.subarray(from.at, from.at + taken), this.#filled);
    from.at += taken;
    this.#filled += taken;
    if (this.#filled < target.length) return false;
    this.#filled = 0;
    return true;
  }
}

/** NaN: no four hex digits. */
const parseLength = (header: Uint8Array): number => {
  let length = 0;
  for (const byte of header) length = length * 16 + digitOf(byte);
  return length;
};

const digitOf = (byte: number): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : Number.NaN;
};

/** 1 and 2 separate sections in protocol 2 only, 3 is reserved, 4 is empty: git sends none of them in a push. */
const faultOf = (length: number, maxPayloadBytes: number): string | null => {
  if (Number.isNaN(length)) return 'a pkt-line does not start with four hex digits';
  if (length <= HEADER_BYTES) return `a pkt-line of length ${length} has no place in a push`;
  return length - HEADER_BYTES > maxPayloadBytes
    ? `a pkt-line of ${length} bytes is longer than any command`
    : null;
};

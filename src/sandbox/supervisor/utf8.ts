/** Turns the bytes of a process into valid UTF-8 as they arrive. Pure: what waits for its rest is handed back. */
import { isUtf8 } from 'node:buffer';

export interface Sanitised {
  readonly text: Buffer;
  /** At most three bytes: the start of a character whose rest has not arrived. */
  readonly pending: Buffer;
}

const REPLACEMENT = Buffer.from('\uFFFD');

export function sanitise(pending: Buffer, chunk: Buffer): Sanitised {
  const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
  const end = bytes.length - unfinishedLength(bytes);
  const whole = bytes.subarray(0, end);
  const text = isUtf8(whole) ? whole : Buffer.from(decode(whole));
  return { text, pending: Buffer.from(bytes.subarray(end)) };
}

/** What is left when the process ended in the middle of a character. */
export const finishPending = (pending: Buffer): Buffer =>
  pending.length === 0 ? Buffer.alloc(0) : REPLACEMENT;

const decode = (bytes: Buffer): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

const sequenceLength = (lead: number): number => {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
};

/** How many bytes at the end start a character that is not complete. */
function unfinishedLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Where a cut at `at` may be without splitting a character of valid UTF-8: at or before it. */
export function cutBefore(bytes: Buffer, at: number): number {
  let cut = Math.min(at, bytes.length);
  while (cut > 0 && cut < bytes.length && isContinuation(bytes[cut] ?? 0)) cut -= 1;
  return cut;
}

/** The end of `bytes` without a character that is split there. */
export const trimEnd = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length - unfinishedLength(bytes));

/** The start of `bytes` without the rest of a character that was split there. */
export function trimStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start] ?? 0)) start += 1;
  return bytes.subarray(start);
}

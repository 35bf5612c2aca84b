/**
 * One output stream of one operation, kept in one file of bounded size: a header, the head, and the tail as a ring.
 * Every chunk is written before the next is read, so a supervisor that is killed loses nothing and needs no memory.
 */
import { closeSync, constants, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { KeptOutput } from '../protocol.ts';
import { buildMarker, planRing, planWindow, type OutputLimits, type Span } from './output-window.ts';
import { cutBefore, finishPending, sanitise, trimEnd, trimStart } from './utf8.ts';

const HEADER_BYTES = 64;
/** How long a reader may still want what was forgotten: longer than a page follows a script that has ended. */
const LAST_WORDS_MS = 10_000;

export interface OutputChunk {
  from: number;
  next: number;
  text: string;
}

export class OutputFile {
  readonly #path: string;
  readonly #limits: OutputLimits;
  /** Opened with the first byte: most hooks print nothing on one of the streams. */
  #fd: number | null = null;
  #rawBytes = 0;
  #textBytes = 0;
  #pending: Buffer = Buffer.alloc(0);
  /** The disk refused some of it; draining goes on, or the process would block. */
  #incomplete = false;
  #isForgotten = false;

  constructor(path: string, limits: OutputLimits) {
    this.#path = path;
    this.#limits = limits;
    if (existsSync(path)) this.#restore();
  }

  get textBytes(): number {
    return this.#textBytes;
  }

  append(chunk: Buffer): void {
    this.#rawBytes += chunk.length;
    const { text, pending } = sanitise(this.#pending, chunk);
    this.#pending = pending;
    this.#store(text);
  }

  /** No more bytes will come. The kept text stays readable. */
  close(): void {
    if (this.#pending.length > 0) {
      const rest = finishPending(this.#pending);
      this.#pending = Buffer.alloc(0);
      this.#store(rest);
    }
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  /**
   * After `close`: takes it off the disk, for an agent may have printed credentials that the next hook must not find. Who
   * still follows it can, a moment longer.
   */
  forget(): void {
    if (this.#isForgotten || !existsSync(this.#path)) return;
    this.#isForgotten = true;
    const fd = openSync(this.#path, 'r');
    this.#fd = fd;
    rmSync(this.#path);
    setTimeout(() => {
      this.#fd = null;
      closeSync(fd);
    }, LAST_WORDS_MS).unref();
  }

  /** `none`: the counts alone. */
  kept(output: 'kept' | 'none'): KeptOutput {
    const { head, tail, missing } = planWindow(this.#textBytes, this.#limits);
    const isGone = this.#isForgotten && this.#fd === null;
    const counts = { total_bytes: this.#rawBytes, truncated: missing > 0 || this.#incomplete || isGone };
    if (output === 'none') return { text: '', ...counts };
    const first = this.#read(head);
    const last = this.#read(tail);
    const text =
      missing === 0
        ? Buffer.concat([first, last]).toString()
        : trimEnd(first).toString() + buildMarker(missing) + trimStart(last).toString();
    return { text, ...counts };
  }

  /** Text from `offset` on, at most `maxBytes`; begins later where that text is no longer kept. Empty only at the end. */
  chunk(offset: number, maxBytes: number): OutputChunk {
    const { head, tail, missing } = planWindow(this.#textBytes, this.#limits);
    if (missing === 0) return this.#cut({ from: offset, to: tail.to }, maxBytes);
    const first = this.#cut({ from: offset, to: head.to }, maxBytes);
    // A character that the gap cuts is nowhere whole.
    return first.text === ''
      ? this.#cut({ from: Math.max(offset, tail.from), to: tail.to }, maxBytes)
      : first;
  }

  #cut({ from, to }: Span, maxBytes: number): OutputChunk {
    const start = Math.min(from, this.#textBytes);
    // Three more than asked: as many as the rest of a cut character at the start can be.
    const bytes = this.#read({ from: start, to: Math.min(to, start + maxBytes + 3) });
    const whole = trimStart(bytes);
    const text = trimEnd(whole.subarray(0, cutBefore(whole, maxBytes)));
    const begin = start + bytes.length - whole.length;
    return { from: begin, next: begin + text.length, text: text.toString() };
  }

  #store(text: Buffer): void {
    try {
      this.#fd ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
      this.#write(this.#fd, text);
      this.#textBytes += text.length;
      writeSync(this.#fd, this.#header(), 0, HEADER_BYTES, 0);
    } catch {
      this.#incomplete = true;
    }
  }

  #write(fd: number, text: Buffer): void {
    const headRoom = Math.max(0, this.#limits.headBytes - this.#textBytes);
    const forHead = text.subarray(0, headRoom);
    if (forHead.length > 0) writeSync(fd, forHead, 0, forHead.length, HEADER_BYTES + this.#textBytes);
    const total = this.#textBytes + text.length;
    // Only the last `tailBytes` of a chunk can survive.
    const from = Math.max(this.#textBytes + forHead.length, total - this.#limits.tailBytes);
    let at = from - this.#textBytes;
    for (const part of planRing({ from, to: total }, this.#limits)) {
      writeSync(fd, text, at, part.length, HEADER_BYTES + this.#limits.headBytes + part.at);
      at += part.length;
    }
  }

  #read(span: Span): Buffer {
    if (span.to <= span.from || (this.#isForgotten && this.#fd === null)) return Buffer.alloc(0);
    const fd = this.#fd ?? openSync(this.#path, 'r');
    try {
      const { headBytes } = this.#limits;
      const parts: Buffer[] = [];
      if (span.from < headBytes) {
        parts.push(readAt(fd, HEADER_BYTES + span.from, Math.min(span.to, headBytes) - span.from));
      }
      const ring = { from: Math.max(span.from, headBytes), to: span.to };
      for (const part of planRing(ring, this.#limits)) {
        parts.push(readAt(fd, HEADER_BYTES + headBytes + part.at, part.length));
      }
      return Buffer.concat(parts);
    } finally {
      if (this.#fd === null) closeSync(fd);
    }
  }

  #header(): Buffer {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeDoubleLE(this.#rawBytes, 0);
    header.writeDoubleLE(this.#textBytes, 8);
    header.writeUInt8(this.#incomplete ? 1 : 0, 16);
    header.writeUInt8(this.#pending.length, 17);
    this.#pending.copy(header, 18);
    return header;
  }

  #restore(): void {
    const fd = openSync(this.#path, 'r');
    const header = readAt(fd, 0, HEADER_BYTES);
    closeSync(fd);
    if (header.length < HEADER_BYTES) return;
    this.#rawBytes = header.readDoubleLE(0);
    this.#textBytes = header.readDoubleLE(8);
    this.#incomplete = header.readUInt8(16) === 1;
    this.#pending = Buffer.from(header.subarray(18, 18 + Math.min(3, header.readUInt8(17))));
  }
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, position));
}

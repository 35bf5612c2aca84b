import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { OutputFile } from '../../../src/sandbox/supervisor/output-file.ts';
import { planRing, planWindow } from '../../../src/sandbox/supervisor/output-window.ts';
import { finishPending, sanitise } from '../../../src/sandbox/supervisor/utf8.ts';

const folder = mkdtempSync(join(tmpdir(), 'edge-harness-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = (): string => {
  files += 1;
  return join(folder, String(files));
};

const sanitiseAll = (chunks: Uint8Array[]): string => {
  let pending: Buffer = Buffer.alloc(0);
  const parts: Buffer[] = [];
  for (const chunk of chunks) {
    const result = sanitise(pending, Buffer.from(chunk));
    parts.push(result.text);
    pending = result.pending;
  }
  return Buffer.concat([...parts, finishPending(pending)]).toString();
};

/** Text and noise, cut anywhere. */
const chunked = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    ),
  )
  .map((parts) => Buffer.concat(parts))
  .chain((bytes) =>
    fc.array(fc.nat(bytes.length), { maxLength: 5 }).map((cuts) => {
      const points = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      return points.slice(1).map((end, index) => new Uint8Array(bytes.subarray(points[index], end)));
    }),
  );

describe('bytes on their way to text', () => {
  test('come out as one decoding of all of them would, however they are cut', () => {
    fc.assert(
      fc.property(chunked, (chunks) => {
        const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks));
        expect(sanitiseAll(chunks).replaceAll(/\uFFFD+$/g, '')).toBe(whole.replaceAll(/\uFFFD+$/g, ''));
      }),
    );
  });

  test('a byte order mark stays', () => {
    expect(sanitiseAll([Buffer.from('\uFEFFa')])).toBe('\uFEFFa');
  });
});

describe('the window', () => {
  const limits = { headBytes: 100, tailBytes: 200 };

  test.each([
    [0, 0, 0, 0],
    [100, 100, 100, 0],
    [300, 100, 100, 0],
    [301, 100, 165, 1],
    [1000, 100, 864, 700],
  ])('of %i bytes is [0, %i) and [%i, end): %i are missing', (total, headEnd, tailStart, missing) => {
    const window = planWindow(total, limits);
    expect(window).toEqual({ head: { from: 0, to: headEnd }, tail: { from: tailStart, to: total }, missing });
  });

  test('a span of the ring wraps once at most', () => {
    expect(planRing({ from: 250, to: 450 }, limits)).toEqual([
      { at: 150, length: 50 },
      { at: 0, length: 150 },
    ]);
  });
});

describe('an output file', () => {
  const limits = { headBytes: 64, tailBytes: 128 };

  test('keeps head and tail of any text within the limit, whole where it fits', () => {
    fc.assert(
      fc.property(chunked, fc.boolean(), (chunks, reopen) => {
        const path = newPath();
        let file = new OutputFile(path, limits);
        for (const chunk of chunks) {
          file.append(Buffer.from(chunk));
          // As a supervisor that was killed here and started again.
          if (reopen) file = new OutputFile(path, limits);
        }
        file.close();
        const all = sanitiseAll(chunks);
        const kept = file.kept('kept');
        expect(kept.total_bytes).toBe(Buffer.concat(chunks).length);
        expect(kept.text.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(kept.text)).toBeLessThanOrEqual(limits.headBytes + limits.tailBytes);
        const [head = '', tail] = kept.text.split(/\n\[… \d+ bytes left out …\]\n/);
        expect(all.startsWith(head)).toBe(true);
        expect(tail === undefined ? head === all : all.endsWith(tail)).toBe(true);
        expect(kept.truncated).toBe(tail !== undefined);
      }),
    );
  });

  test('read from any offset in steps, it gives what is kept, in order', () => {
    fc.assert(
      fc.property(chunked, fc.integer({ min: 4, max: 50 }), (chunks, step) => {
        const file = new OutputFile(newPath(), limits);
        for (const chunk of chunks) file.append(Buffer.from(chunk));
        file.close();
        const all = Buffer.from(sanitiseAll(chunks));
        for (let offset = 0; offset < all.length;) {
          const chunk = file.chunk(offset, step);
          expect(chunk.from).toBeGreaterThanOrEqual(offset);
          expect(chunk.text).not.toBe('');
          expect(chunk.text).toBe(all.subarray(chunk.from, chunk.next).toString());
          offset = chunk.next;
        }
      }),
      { endOnFailure: true },
    );
  });

  test('where the disk refuses, counting goes on and the text says that it is not whole', () => {
    writeFileSync(join(folder, 'a-file'), '');
    const file = new OutputFile(join(folder, 'a-file', 'below'), limits);
    file.append(Buffer.from('hello'));
    file.close();
    expect(file.kept('kept')).toEqual({ text: '', total_bytes: 5, truncated: true });
  });
});

import { array, assert, nat, property, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { fromByteText, joinBytes, toByteText } from '../../../src/core/git-gateway/byte-text.ts';
import { FLUSH, PktLineReader, encodePktLine } from '../../../src/core/git-gateway/pkt-line.ts';

const LIMIT = 4096;

/** What a reader makes of pieces: payloads as text, `flush`, and a fault at the end where there is one. */
const readAll = (pieces: readonly Uint8Array[]): string[] => {
  const reader = new PktLineReader(LIMIT);
  const seen: string[] = [];
  for (const bytes of pieces) {
    const from = { bytes, at: 0 };
    for (;;) {
      const line = reader.read(from);
      if (!line.ok) return [...seen, `fault: ${line.error}`];
      if (line.value === null) break;
      seen.push(line.value.kind === 'flush' ? 'flush' : toByteText(line.value.payload));
    }
  }
  return seen;
};

const cut = (bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] => {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const size of sizes) pieces.push(bytes.subarray(at, (at += size)));
  return [...pieces, bytes.subarray(at)];
};

test('lines come out as they went in, whatever the pieces are', () => {
  const payload = uint8Array({ minLength: 1, maxLength: 300 });
  assert(
    property(array(payload), array(nat({ max: 40 })), (payloads, sizes) => {
      const bytes = joinBytes([...payloads.map(encodePktLine), FLUSH]);
      expect(readAll(cut(bytes, sizes))).toEqual([...payloads.map(toByteText), 'flush']);
    }),
  );
});

test.each([
  ['0006a\n', ['a\n']],
  ['0000', ['flush']],
  ['000', []],
  ['0009abc', []],
  ['00', []],
  ['000Aabcdef', ['abcdef']],
  ['0001', ['fault: a pkt-line of length 1 has no place in a push']],
  ['0002', ['fault: a pkt-line of length 2 has no place in a push']],
  ['0003', ['fault: a pkt-line of length 3 has no place in a push']],
  ['0004', ['fault: a pkt-line of length 4 has no place in a push']],
  ['00zz', ['fault: a pkt-line does not start with four hex digits']],
  [' 006a\n', ['fault: a pkt-line does not start with four hex digits']],
  ['+006a\n', ['fault: a pkt-line does not start with four hex digits']],
  ['PACK', ['fault: a pkt-line does not start with four hex digits']],
  ['1005', ['fault: a pkt-line of 4101 bytes is longer than any command']],
  ['0006a\n0000PACK', ['a\n', 'flush', 'fault: a pkt-line does not start with four hex digits']],
])('%j reads as %j', (text, expected) => {
  expect(readAll([fromByteText(text)])).toEqual(expected);
  expect(readAll(text.split('').map(fromByteText))).toEqual(expected);
});

test('every byte survives as text', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  expect(fromByteText(toByteText(bytes))).toEqual(bytes);
});

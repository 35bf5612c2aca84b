/** Damages and forges pushes, the same ones every time. */
import { gzipSync } from 'node:zlib';
import { ONE, ZERO, pktLine, pushHead } from './push-body.ts';

/** A failure can be run again. */
const SEED = 20_261_001;

const REF = 'refs/heads/symphony/ABC-1';
const RESCUE = 'refs/heads/symphony-rescue/ABC-1/1';
const SHA256 = ' report-status object-format=sha256';

const BODIES = [
  `${pushHead([REF])}PACKdata`,
  `${pushHead([REF, RESCUE], ' report-status-v2 side-band-64k atomic object-format=sha1 agent=git/2.39.5')}PACKdata`,
  `${pktLine(`shallow ${ONE}`)}${pktLine(`${ONE} ${'2'.repeat(40)} ${REF}\n\0 report-status`)}0000PACKdata`,
  `${pktLine(`${'0'.repeat(64)} ${'1'.repeat(64)} ${REF}\0${SHA256}`)}0000PACKdata`,
  `${pushHead([REF, 'refs/heads/main'])}PACKdata`,
  `${pktLine(`${ONE} ${ZERO} ${REF}\0 report-status`)}0000`,
  `${pushHead([REF], ' report-status push-options')}${pktLine('ci.skip')}0000PACKdata`,
  `${pktLine('push-cert\0 push-cert=x')}${pktLine('certificate version 0.1\n')}0000`,
  '0000',
];

/** Pieces of the protocol in places where they do not belong. */
const SPLICES = [
  pktLine(`${ZERO} ${ONE} refs/heads/main`),
  pktLine(`${ONE} ${ZERO} ${REF}`),
  pktLine(`${ZERO} ${ONE} ${REF}\0 report-status`),
  pktLine(`shallow ${ONE}`),
  pktLine('push-cert\0'),
  'refs/heads/main',
  'refs/heads/',
  '/../main',
  '.lock',
  'PACK',
  '0000',
  '0001',
  '0002',
  '0004',
  'ffff',
  ZERO,
  ONE,
  ' ',
  '\n',
  '\0',
  '\u00ff',
  ' push-options',
  ' object-format=sha256',
];

export interface MutatedPush {
  /** Before gzip, one character per byte. */
  text: string;
  bytes: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
  /** The bytes in many pieces, for half of the pushes; else whole. */
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

/** Some are gzip, which may be damaged afterwards. */
export function* mutatedPushes(count: number): Generator<MutatedPush> {
  const random = mulberry32(SEED);
  for (let round = 0; round < count; round += 1) {
    const text = mutate(pick(BODIES, random), random);
    let bytes = new Uint8Array(Buffer.from(text, 'latin1'));
    const isZipped = random() < 0.2;
    if (isZipped) bytes = new Uint8Array(gzipSync(bytes));
    const at = Math.floor(random() * bytes.length);
    if (isZipped && random() < 0.3) bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    const headers = isZipped !== random() < 0.02 ? { 'content-encoding': 'gzip' } : {};
    yield { text, bytes, headers, body: random() < 0.5 ? bytes : inPieces(bytes, mulberry32(round)) };
  }
}

type Random = () => number;

const inPieces = (bytes: Uint8Array, random: Random): ReadableStream<Uint8Array> => {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, (at += 1 + Math.floor(random() * 60))));
    },
  });
};

const mutate = (body: string, random: Random): string => {
  let text = body;
  for (let times = Math.floor(random() * 4); times > 0; times -= 1) text = mutateOnce(text, random);
  return text;
};

const mutateOnce = (text: string, random: Random): string => {
  const at = Math.floor(random() * (text.length + 1));
  const end = at + Math.floor(random() * 50);
  switch (Math.floor(random() * 7)) {
    case 0:
      return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1);
    case 1:
      return text.slice(0, at) + pick(SPLICES, random) + text.slice(at);
    case 2:
      return text.slice(0, at) + pick(SPLICES, random) + text.slice(end);
    case 3:
      return text.slice(0, at) + text.slice(end);
    case 4:
      return text.slice(0, end) + text.slice(at);
    case 5:
      return text.slice(0, at);
    default:
      return spliceLine(text, random);
  }
};

/** A whole line in a place where lines stand: the rest stays well-formed. */
const spliceLine = (text: string, random: Random): string => {
  let at = 0;
  while (random() < 0.5) {
    const length = Number.parseInt(text.slice(at, at + 4), 16);
    if (!(length >= 4)) break;
    at += length;
  }
  return text.slice(0, at) + pick(SPLICES.slice(0, 5), random) + text.slice(at);
};

const pick = (from: readonly string[], random: Random): string =>
  from[Math.floor(random() * from.length)] ?? '';

const mulberry32 = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

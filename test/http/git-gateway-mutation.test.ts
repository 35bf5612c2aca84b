/** Thousands of damaged and forged pushes: what reaches the host is always a list of allowed updates, and never a 500. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ONE, ZERO, pktLine, pushHead } from '../support/push-body.ts';
import { type Answer, BRANCH, askToPush, fakeHost } from './git-gateway-fake.ts';

/** TEST_LONG=1 runs all that the issue asks for. */
const COUNT = process.env['TEST_LONG'] === '1' ? 10_000 : 500;
/** The same every time: a failure can be run again. */
const SEED = 20_261_001;

const REF = `refs/heads/${BRANCH}`;
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

test(
  `${COUNT} mutated pushes reach the host checked or not at all, and none answers 500`,
  { timeout: 600_000 },
  async () => {
    const random = mulberry32(SEED);
    const statuses = new Map<number, number>();
    const faults: string[] = [];
    let forwarded = 0;
    for (let round = 0; round < COUNT; round += 1) {
      const body = mutate(pick(BODIES, random), random);
      const host = fakeHost();
      const answer = await send(host, body, random);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const posts = host.sent.filter(({ method }) => method === 'POST');
      forwarded += posts.length;
      const isGood =
        [200, 400, 403, 415].includes(answer.status) &&
        posts.every((sent) => isAllowed(sent.body) && !('content-encoding' in sent.headers));
      if (!isGood) faults.push(`round ${round} answers ${answer.status}: ${JSON.stringify(body)}`);
    }
    console.log(
      `${COUNT} pushes, ${forwarded} sent on, answers ${JSON.stringify(Object.fromEntries(statuses))}`,
    );
    expect(faults).toEqual([]);
    expect(forwarded).toBeGreaterThan(COUNT / 50);
    expect(statuses.get(400)).toBeGreaterThan(COUNT / 10);
  },
);

type Random = () => number;

/** Half of them go in many pieces, some as gzip, which may be damaged afterwards. */
const send = (host: ReturnType<typeof fakeHost>, body: string, random: Random): Promise<Answer> => {
  let bytes = new Uint8Array(Buffer.from(body, 'latin1'));
  const isZipped = random() < 0.2;
  if (isZipped) bytes = new Uint8Array(gzipSync(bytes));
  if (isZipped && random() < 0.3) bytes[Math.floor(random() * bytes.length)] ^= 1 << Math.floor(random() * 8);
  const headers = isZipped !== random() < 0.02 ? { 'content-encoding': 'gzip' } : {};
  return askToPush(host, random() < 0.5 ? bytes : inPieces(bytes, random), { headers });
};

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

/** Read by another parser than the gateway's, as tolerantly as git reads: null where git would give up. */
const updatesOf = (body: string): { newId: string; ref: string }[] => {
  const updates: { newId: string; ref: string }[] = [];
  let at = 0;
  for (;;) {
    const length = Number.parseInt(body.slice(at, at + 4), 16);
    if (!(length >= 4)) break;
    const line = (body.slice(at + 4, at + length).split('\0')[0] ?? '').replace(/\n$/, '');
    at += length;
    if (line.startsWith('shallow ')) continue;
    const [, newId = '', ...ref] = line.split(' ');
    updates.push({ newId, ref: ref.join(' ') });
  }
  if (body.slice(at, at + 4) !== '0000') throw new Error('No flush ends the commands.');
  const rest = body.slice(at + 4);
  if (updates.length === 0 ? rest !== '' : !rest.startsWith('PACK')) throw new Error('No pack follows.');
  return updates;
};

const isAllowed = (body: string): boolean => {
  const updates = updatesOf(body);
  const refs = updates.map(({ ref }) => ref);
  return (
    new Set(refs).size === refs.length &&
    updates.every(
      ({ newId, ref }) =>
        /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(newId) &&
        !/^0+$/.test(newId) &&
        (ref === REF || /^refs\/heads\/symphony-rescue\/ABC-1\/[^/.][!-~]*$/.test(ref)) &&
        !/\.\.|\/\/|\.lock|[~^:?*[\\\s]|[/.]$/.test(ref),
    )
  );
};

const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)] as T;

const mulberry32 = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

import { expect, test } from 'vitest';
import { fromByteText, toByteText } from '../../../src/core/git-gateway/byte-text.ts';
import { buildPushReport } from '../../../src/core/git-gateway/push-report.ts';
import { pktLine } from '../../support/push-body.ts';

const VERDICTS = [
  { ref: 'refs/heads/a', reason: 'ref_not_allowed: no' },
  { ref: 'refs/heads/\u00ff', reason: 'not_attempted' },
];
const REPORT = `${pktLine('unpack ok\n')}${pktLine('ng refs/heads/a ref_not_allowed: no\n')}${pktLine('ng refs/heads/\u00ff not_attempted\n')}0000`;

const textOf = (report: Uint8Array | null): string | null => (report === null ? null : toByteText(report));

test('a report names every ref with its reason', () => {
  expect(textOf(buildPushReport(VERDICTS, { wantsReport: true, hasSideBand: false }))).toBe(REPORT);
});

test('a client with a side band gets the report in band 1', () => {
  expect(textOf(buildPushReport(VERDICTS, { wantsReport: true, hasSideBand: true }))).toBe(
    `${pktLine(`\u0001${REPORT}`)}0000`,
  );
});

test('a client that asked for no report gets none', () => {
  expect(buildPushReport(VERDICTS, { wantsReport: false, hasSideBand: true })).toBeNull();
});

test('a report longer than a packet is cut into packets', () => {
  const many = Array.from({ length: 3000 }, (_, at) => ({ ref: `refs/heads/${at}`, reason: 'r'.repeat(60) }));
  const report = textOf(buildPushReport(many, { wantsReport: true, hasSideBand: true })) ?? '';
  const plain = textOf(buildPushReport(many, { wantsReport: true, hasSideBand: false })) ?? '';
  let joined = '';
  for (let at = 0; ;) {
    const length = Number.parseInt(report.slice(at, at + 4), 16);
    expect(length).toBeLessThanOrEqual(65_520);
    if (length === 0) break;
    expect(report[at + 4]).toBe('\u0001');
    joined += report.slice(at + 5, at + length);
    at += length;
  }
  expect(joined).toBe(plain);
  expect(fromByteText(report).length).toBeGreaterThan(65_520);
});

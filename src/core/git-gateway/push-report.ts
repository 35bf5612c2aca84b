/** Writes the report that git prints a refusal from: `unpack ok`, then `ng <ref> <reason>` per ref. */
import { fromByteText, joinBytes } from './byte-text.ts';
import type { Capabilities } from './capabilities.ts';
import { FLUSH, MAX_PAYLOAD_BYTES, encodePktLine } from './pkt-line.ts';
import type { Verdict } from './push-check.ts';

/** The band that git reads the report from; 2 would be shown as the remote's own words. */
const REPORT_BAND = new Uint8Array([1]);

/** null: the client asked for no report and would take silence for success. */
export const buildPushReport = (
  verdicts: readonly Verdict[],
  capabilities: Pick<Capabilities, 'wantsReport' | 'hasSideBand'>,
): Uint8Array | null => {
  if (!capabilities.wantsReport) return null;
  // Not an unpack error: git would put that above the reasons, and nothing was unpacked.
  const lines = ['unpack ok\n', ...verdicts.map(({ ref, reason }) => `ng ${ref} ${reason}\n`)];
  const report = joinBytes([...lines.map((line) => encodePktLine(fromByteText(line))), FLUSH]);
  return capabilities.hasSideBand ? inSideBand(report) : report;
};

const inSideBand = (report: Uint8Array): Uint8Array => {
  const room = MAX_PAYLOAD_BYTES - REPORT_BAND.length;
  const packets: Uint8Array[] = [];
  for (let at = 0; at < report.length; at += room)
    packets.push(encodePktLine(joinBytes([REPORT_BAND, report.subarray(at, at + room)])));
  return joinBytes([...packets, FLUSH]);
};

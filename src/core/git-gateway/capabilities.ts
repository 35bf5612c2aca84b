/** What a git client asks of a push. Only what is known here is passed on; the rest could change what follows. */
import { type Result, err, ok } from '../result.ts';

export interface Capabilities {
  /** In the client's order, ready to be sent. */
  forwarded: readonly string[];
  objectFormat: 'sha1' | 'sha256';
  wantsReport: boolean;
  hasSideBand: boolean;
  wantsPushOptions: boolean;
}

const PLAIN = new Set(['report-status', 'report-status-v2', 'side-band-64k', 'quiet', 'atomic']);

/** Git's own values; they reach the remote's logs, so their length and alphabet are bounded. */
const LABEL = /^(?:agent|session-id)=[!-~]{1,256}$/;

export const parseCapabilities = (text: string): Result<Capabilities, string> => {
  const asked = text.split(' ').filter((word) => word !== '');
  const formats = asked.filter((word) => word.startsWith('object-format='));
  const format = formats[0]?.slice('object-format='.length) ?? 'sha1';
  if (formats.length > 1 || (format !== 'sha1' && format !== 'sha256'))
    return err('the object format is neither sha1 nor sha256');
  return ok({
    forwarded: asked.filter((word) => PLAIN.has(word) || LABEL.test(word) || formats.includes(word)),
    objectFormat: format,
    wantsReport: asked.includes('report-status') || asked.includes('report-status-v2'),
    hasSideBand: asked.includes('side-band-64k'),
    wantsPushOptions: asked.includes('push-options'),
  });
};

/** Judges mutated pushes without the gateway's own parser. */
import { type MutatedPush, mutatedPushes } from './push-mutation.ts';

/** TEST_LONG=1 runs all that the gateway promises. */
export const MUTATIONS = process.env['TEST_LONG'] === '1' ? 10_000 : 500;

export interface PushOutcome {
  status: number;
  /** What the host got. */
  posts: { body: string; coding: string | undefined }[];
}

export interface Verdict {
  /** Empty: nothing unchecked, nothing else than 200, 400, 403 and 415. */
  faults: string[];
  /** How many the host got. */
  forwarded: number;
  malformed: number;
}

export const judgeMutations = async (
  count: number,
  send: (push: MutatedPush) => Promise<PushOutcome>,
): Promise<Verdict> => {
  const verdict: Verdict = { faults: [], forwarded: 0, malformed: 0 };
  for (const push of mutatedPushes(count)) {
    const { status, posts } = await send(push);
    verdict.forwarded += posts.length;
    if (status === 400) verdict.malformed += 1;
    const isChecked = posts.every(({ body, coding }) => isAllowedPush(body) && coding === undefined);
    if (!isChecked || ![200, 400, 403, 415].includes(status))
      verdict.faults.push(`${status} for ${JSON.stringify(push.text)}`);
  }
  return verdict;
};

/** What a host got of a push to `symphony/ABC-1`, one character per byte. */
const isAllowedPush = (body: string): boolean => {
  const updates = updatesOf(body);
  if (updates === null) return false;
  const refs = updates.map(({ ref }) => ref);
  return (
    new Set(refs).size === refs.length &&
    updates.every(
      ({ newId, ref }) =>
        /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(newId) &&
        !/^0+$/.test(newId) &&
        (ref === 'refs/heads/symphony/ABC-1' ||
          /^refs\/heads\/symphony-rescue\/ABC-1\/[^/.][!-~]*$/.test(ref)) &&
        !/\.\.|\/\/|\.lock|[~^:?*[\\\s]|[/.]$/.test(ref),
    )
  );
};

/** Read by another parser than the gateway's, as tolerantly as git reads. */
const updatesOf = (body: string): { newId: string; ref: string }[] | null => {
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
  if (body.slice(at, at + 4) !== '0000') return null;
  const rest = body.slice(at + 4);
  return (updates.length === 0 ? rest === '' : rest.startsWith('PACK')) ? updates : null;
};

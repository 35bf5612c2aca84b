/** Thousands of damaged and forged pushes: what reaches the host is always a list of allowed updates. */
import { expect, test } from 'vitest';
import { MUTATIONS, judgeMutations } from '../support/push-verdict.ts';
import { askToPush, fakeHost } from './git-gateway-fake.ts';

test(
  `of ${MUTATIONS} mutated pushes none reaches the host unchecked, and none answers 500`,
  { timeout: 600_000 },
  async () => {
    const verdict = await judgeMutations(MUTATIONS, async ({ body, headers }) => {
      const host = fakeHost();
      const { status } = await askToPush(host, body, { headers });
      const posts = host.sent.filter(({ method }) => method === 'POST');
      return {
        status,
        posts: posts.map((sent) => ({ body: sent.body, coding: sent.headers['content-encoding'] })),
      };
    });
    expect(verdict.faults).toEqual([]);
    // The damage is neither so small nor so great that nothing would be tested.
    expect(verdict.forwarded).toBeGreaterThan(MUTATIONS / 50);
    expect(verdict.malformed).toBeGreaterThan(MUTATIONS / 10);
  },
);

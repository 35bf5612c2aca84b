/** A push of 200 MB, and limits of size. The large one takes a minute: TEST_LONG=1 runs it. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { runGit } from '../support/git-client.ts';
import { type GatewayRuntime, peakBytes } from '../support/git-gateway.ts';
import { BRANCH, commit, openPlace, push } from './git-gateway-place.ts';

const MEGABYTE = 1_000_000;
/** 200 MB pass through within; the service runs in workerd, and Node takes its time to collect what is done with. */
const MEMORY = { workerd: 64 * MEGABYTE, node: 100 * MEGABYTE } as const;
const isLong = process.env['TEST_LONG'] === '1';

describe.each(['node', 'workerd'] as const)('sizes of a push in %s', (runtime) => {
  test.runIf(isLong)('200 MB pass through within a part of that memory', { timeout: 600_000 }, async () => {
    const place = await open(runtime, null);
    const tree = await place.clone();
    await runGit(tree, 'config', 'core.compression', '0');
    await push(place, tree, `HEAD:refs/heads/${BRANCH}`);
    const sha = await commit(tree, 200 * MEGABYTE);
    const before = peakBytes(place.gateway.pid);
    const startMs = Date.now();
    expect(await push(place, tree, BRANCH)).toMatchObject({ code: 0 });
    const grown = peakBytes(place.gateway.pid) - before;
    console.log(
      `${runtime}: peak ${mb(before)} before, ${mb(before + grown)} after, ${Date.now() - startMs} ms`,
    );
    expect(await place.server.sha('demo', BRANCH)).toBe(sha);
    expect(grown).toBeLessThan(MEMORY[runtime]);

    const cloned = peakBytes(place.gateway.pid);
    const url = place.gateway.address('clone');
    expect(await runGit(await place.folder(), 'clone', '--bare', '--branch', BRANCH, url)).toMatchObject({
      code: 0,
    });
    console.log(`${runtime}: peak ${mb(peakBytes(place.gateway.pid))} after cloning it`);
    expect(peakBytes(place.gateway.pid) - cloned).toBeLessThan(MEMORY[runtime]);
  });

  test('a push of known length over the limit is refused with the reason before it is sent on', async () => {
    const place = await open(runtime, MEGABYTE);
    const { code, text } = await pushOf(place, 1.2 * MEGABYTE, 'http.postBuffer=5000000');
    expect(code).toBe(1);
    expect(text).toMatch(
      /! \[remote rejected\] .* \(pack_too_large: 2 MB are over the limit of 1 MB; push fewer/,
    );
    expect(place.host.requests.filter(({ url }) => url.endsWith('/git-receive-pack'))).toEqual([]);
  });

  test('a push in chunks that grows over the limit is refused with the reason', async () => {
    const place = await open(runtime, MEGABYTE);
    const { code, text } = await pushOf(place, 5 * MEGABYTE, 'http.postBuffer=65536');
    expect(code).toBe(1);
    expect(text).toMatch(
      /! \[remote rejected\] .* \(pack_too_large: the push is over the limit of 1 MB; push fewer/,
    );
    expect(await place.server.sha('demo', BRANCH)).toBeNull();
  });
});

const open = async (runtime: GatewayRuntime, maxBodyBytes: number | null) => {
  const place = await openPlace(runtime, undefined, maxBodyBytes);
  onTestFinished(() => place.close());
  return place;
};

const pushOf = async (place: Awaited<ReturnType<typeof open>>, bytes: number, config: string) => {
  const tree = await place.clone();
  await commit(tree, bytes);
  return runGit(tree, '-c', config, 'push', place.gateway.address('save'), BRANCH);
};

const mb = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

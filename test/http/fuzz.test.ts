import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { apiRoutes } from '../../src/routes/table.ts';
import { startFakes } from './fake-objects.ts';
import { hostileRequest, unit } from './hostile-request.ts';

declare const process: { env: Record<string, string | undefined> };
const numRuns = process.env['TEST_LONG'] === '1' ? 20_000 : 500;
const LONG = 600_000;

const { ask } = startFakes({ ENCRYPTION_KEY: 'only-for-tests-only-for-tests-only-for-tests' });

test(
  'no request, however malformed, is answered with 500 or with anything but JSON problems',
  { timeout: LONG },
  async () => {
    await fc.assert(
      fc.asyncProperty(hostileRequest(apiRoutes), async ({ method, path, init }) => {
        const response = await ask(`${method} ${path}`, init);
        expect(response.status).toBeLessThan(500);
        const isProblem =
          response.headers.get('content-type')?.startsWith('application/problem+json') ?? false;
        expect(isProblem).toBe(response.status >= 400);
      }),
      { numRuns },
    );
  },
);

test('no path at all is answered with 500', { timeout: LONG }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.webPath({ size: 'medium' }), unit, async (path, text) => {
      for (const address of [path, `/v1/${path}`, `/v1/projects/${encodeURIComponent(text.toWellFormed())}`])
        expect((await ask(`GET ${address === '' ? '/' : address}`)).status).toBeLessThan(500);
    }),
    { numRuns },
  );
});

import { cloudflareTest } from '@cloudflare/vitest-pool-workers';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [
    cloudflareTest(({ inject }) => ({
      main: './test/workers/main.ts',
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: {
          API_TOKEN: 'test-token',
          ENCRYPTION_KEY: 'only-for-tests-only-for-tests-only-for-tests',
          LOCATIONS: 'host,cloudflare',
          ALLOW_LOCAL_REPOSITORIES: 'true',
          SANDBOX_HOST_URL: inject('sandboxHostUrl'),
          SANDBOX_HOST_TOKEN: inject('sandboxHostToken'),
          CONTAINER_ENGINE_URL: inject('containerEngineUrl'),
        },
        r2Buckets: ['SNAPSHOTS'],
      },
    })),
  ],
  test: {
    name: 'workers',
    include: ['test/**/*.workers.test.ts'],
    globalSetup: ['test/workers/setup.ts'],
    // Real processes on a shared machine: in CI one that was starved of time gets another try, which the report shows.
    retry: process.env['CI'] === 'true' ? 2 : 0,
    testTimeout: 60_000,
  },
});

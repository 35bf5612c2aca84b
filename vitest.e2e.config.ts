import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'e2e',
    include: ['test/**/*.e2e.test.ts'],
    // Real processes on a shared machine: in CI one that was starved of time gets another try, which the report shows.
    retry: process.env['CI'] === 'true' ? 2 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A page on a busy machine takes longer than the usual second.
    expect: { poll: { timeout: 30_000, interval: 100 } },
    // Most of them wait for processes: two at a time keep two cores busy, more would time each other out.
    maxWorkers: 2,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'node',
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.workers.test.ts', 'test/**/*.e2e.test.ts'],
    testTimeout: 30_000,
  },
});

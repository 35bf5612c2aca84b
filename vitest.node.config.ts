import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'node',
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.{workers,e2e,container}.test.ts'],
    testTimeout: 30_000,
  },
});

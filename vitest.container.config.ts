import { defineConfig } from 'vitest/config';

/** `npm run test:container`: the contract suite over real containers, which boot in seconds. */
export default defineConfig({
  test: {
    name: 'container',
    include: ['test/**/*.container.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});

/** Bundles the supervisor into the one file that the image copies: `node scripts/build-supervisor.ts`. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

await build({
  absWorkingDir: ROOT,
  entryPoints: ['src/sandbox/supervisor/main.ts'],
  outfile: 'dist/supervisor.mjs',
  bundle: true,
  platform: 'node',
  format: 'esm',
  // The oldest Node that the package supports; the image has a newer one.
  target: 'node22',
  // Stack traces in the sandbox's log name real functions.
  keepNames: true,
  legalComments: 'inline',
  logLevel: 'warning',
});

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
  // CommonJS inside it (ws) asks for Node's own modules by `require`, which a module does not have.
  banner: {
    js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
  // Native, and only for terminals on a host, which runs from the sources; in Cloudflare the SDK has the terminal.
  external: ['@lydell/node-pty'],
  // The oldest Node that the package supports; the image has a newer one.
  target: 'node22',
  // Stack traces in the sandbox's log name real functions.
  keepNames: true,
  legalComments: 'inline',
  logLevel: 'warning',
});

/** Bundles the command line into `dist/harness.mjs`, so that it runs without a TypeScript loader and starts fast. */
import { chmod, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

/** The package's other build is CommonJS, which needs `require` at run time and can't be shaken. */
const yamlModule = fileURLToPath(new URL('../node_modules/yaml/browser/dist/index.js', import.meta.url));

await rm('dist', { recursive: true, force: true });
await esbuild.build({
  entryPoints: { harness: 'src/cli/harness.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  mainFields: ['module', 'main'],
  alias: { yaml: yamlModule },
  legalComments: 'linked',
  logLevel: 'warning',
});
await chmod('dist/harness.mjs', 0o755);

/** Bundles the command line into `dist/harness.mjs`, so that it runs without a TypeScript loader and starts fast. */
import { chmod, rm } from 'node:fs/promises';
import * as esbuild from 'esbuild';
import type { Plugin } from 'esbuild';

/**
 * The YAML parser is half of the bundle and only side-cars need it, so it is loaded with the first of them.
 * `project` is synchronous, hence `require` instead of `import()`; esbuild turns it into a local function.
 */
const lazyYaml: Plugin = {
  name: 'lazy-yaml',
  setup(build) {
    build.onResolve({ filter: /^yaml$/ }, ({ pluginData }) =>
      pluginData === 'real' ? undefined : { path: 'yaml', namespace: 'lazy-yaml' },
    );
    build.onLoad({ filter: /.*/, namespace: 'lazy-yaml' }, () => ({
      contents: ['isAlias', 'isMap', 'isScalar', 'isSeq', 'parseDocument', 'parse', 'LineCounter']
        .map(
          (name) =>
            `export const ${name} = function (...args) { return Reflect.apply(require('yaml').${name}, this, args); };`,
        )
        .join('\n'),
      resolveDir: import.meta.dirname,
      pluginData: 'real',
    }));
  },
};
void lazyYaml;

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
  legalComments: 'linked',
  logLevel: 'warning',
});
await chmod('dist/harness.mjs', 0o755);

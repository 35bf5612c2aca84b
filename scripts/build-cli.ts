/** Bundles the command line into `dist/harness.mjs`, so that it runs without a TypeScript loader and starts fast. */
import { chmod, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

/** The package's other build is CommonJS, which asks for `require` at run time and can't be shaken. */
const yamlModule = fileURLToPath(new URL('../node_modules/yaml/browser/dist/index.js', import.meta.url));

const common: esbuild.BuildOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node22',
  mainFields: ['module', 'main'],
  legalComments: 'linked',
  logLevel: 'warning',
};

/**
 * The YAML parser is as large as the rest and only side-cars need it. `project` is synchronous, so the parser becomes
 * a CommonJS file of its own that the first side-car loads; `harness workflow` bundles the module as usual.
 */
const lazyYaml: esbuild.Plugin = {
  name: 'lazy-yaml',
  setup(build) {
    build.onResolve({ filter: /^yaml$/ }, ({ importer }) =>
      importer.endsWith('parse-override.ts')
        ? { path: 'yaml', namespace: 'lazy-yaml' }
        : { path: yamlModule },
    );
    build.onLoad({ filter: /.*/, namespace: 'lazy-yaml' }, () => ({ contents: LAZY_YAML }));
  },
};

const LAZY_YAML = `
import { createRequire } from 'node:module';
let loaded;
const yaml = () => (loaded ??= createRequire(import.meta.url)('./yaml.cjs'));
${['isAlias', 'isMap', 'isScalar', 'parseDocument']
  .map((name) => `export const ${name} = (...given) => yaml().${name}(...given);`)
  .join('\n')}
`;

await rm('dist', { recursive: true, force: true });
await esbuild.build({
  ...common,
  entryPoints: { harness: 'src/cli/harness.ts', main: 'src/cli/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  splitting: true,
  format: 'esm',
  plugins: [lazyYaml],
});
await esbuild.build({ ...common, entryPoints: [yamlModule], outfile: 'dist/yaml.cjs', format: 'cjs' });
await chmod('dist/harness.mjs', 0o755);

/** The page's scripts and styles: esbuild bundles them, and only what differs is written, each file at once. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Served as it is: `_headers`, the icon, and what is built here. */
export const STATIC_DIRECTORY = join(ROOT, 'src/ui/static');
const ASSETS = join(STATIC_DIRECTORY, 'assets');

export interface BuiltFile {
  name: string;
  gzipBytes: number;
}

/** Several stacks start at once in tests: a file is never seen half-written, and one that is the same is left alone. */
export async function buildUi(): Promise<BuiltFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: {
      app: 'src/ui/client/app.ts',
      style: 'src/ui/style/style.css',
      terminal: 'src/ui/style/terminal.css',
    },
    outdir: ASSETS,
    bundle: true,
    splitting: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    chunkNames: 'chunk-[name]-[hash]',
    tsconfig: 'src/ui/client/tsconfig.json',
    legalComments: 'none',
    logLevel: 'error',
  });
  mkdirSync(ASSETS, { recursive: true });
  const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  for (const { name, contents } of files) writeChanged(join(ASSETS, name), contents);
  dropOthers(new Set(files.map(({ name }) => name)));
  return files.map(({ name, contents }) => ({ name, gzipBytes: gzipSync(contents).byteLength }));
}

function writeChanged(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

/** Chunks of an older build; another process's unfinished files are its own. */
function dropOthers(names: Set<string>): void {
  for (const name of readdirSync(ASSETS))
    if (!names.has(name) && !name.endsWith('.tmp')) rmSync(join(ASSETS, name), { force: true });
}

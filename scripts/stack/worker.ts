/** The Worker on this machine: bundled by esbuild, run by workerd under Miniflare with the bindings of wrangler.toml. No Docker, no account. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { unstable_getMiniflareWorkerOptions } from 'wrangler';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface WorkerOptions {
  /** 0: any free port. */
  port: number;
  /** Durable Objects and buckets live here across restarts. */
  stateDirectory: string;
  vars: Record<string, string>;
  /** Worker logs go to the terminal. */
  verbose: boolean;
}

export interface RunningWorker {
  url: URL;
  miniflare: Miniflare;
  stop(): Promise<void>;
}

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(`${ROOT}wrangler.toml`);
  const converted = convertV4MiniflareOptions({
    name: 'edge-harness',
    host: '127.0.0.1',
    port: options.port,
    compatibilityDate: workerOptions.compatibilityDate ?? '2026-10-01',
    compatibilityFlags: workerOptions.compatibilityFlags ?? [],
    durableObjects: workerOptions.durableObjects ?? {},
    r2Buckets: ['SNAPSHOTS'],
    bindings: options.vars,
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundleWorker() }],
    log: new Log(options.verbose ? LogLevel.INFO : LogLevel.ERROR),
  });
  const miniflare = new Miniflare({ ...converted, resourcePersistencePath: options.stateDirectory });
  const url = await miniflare.ready;
  return { url, miniflare, stop: () => miniflare.dispose() };
}

async function bundleWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${ROOT}src/worker.ts`],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    loader: { '.css': 'text', '.txt': 'text' },
    logLevel: 'error',
  });
  const [bundle] = outputFiles;
  if (!bundle) throw new Error('esbuild wrote no bundle');
  return bundle.text;
}

/** The Worker on this machine: bundled by esbuild, run by workerd under Miniflare with the bindings of wrangler.toml. No Docker, no account. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { convertV4MiniflareOptions, Log, LogLevel } from 'miniflare';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import { keepUp, type RunningWorker } from './keep-up.ts';
import { loadSecretName } from './secret-name.ts';
import { buildUi, STATIC_DIRECTORY } from './ui.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface WorkerOptions {
  /** 0: any free port. */
  port: number;
  /** Durable Objects and buckets live here across restarts. */
  stateDirectory: string;
  vars: Record<string, string>;
  /** The Worker's own log lines; without it only errors are shown. */
  onLog?: (line: string) => void;
  /** From the repository's top. */
  entry?: string;
  /** Without: what serves static files stands before the Worker here, and takes longer than most requests. */
  staticFiles?: false;
}

/** What of wrangler.toml matters here. */
const WranglerConfig = z.object({
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()),
  durable_objects: z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) }),
});

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  await buildUi();
  const config = WranglerConfig.parse(parseToml(readFileSync(`${ROOT}wrangler.toml`, 'utf8')));
  const objects = config.durable_objects.bindings.map(({ name, class_name }) => [
    name,
    { className: class_name, useSQLite: true },
  ]);
  const converted = convertV4MiniflareOptions({
    name: 'edge-harness',
    host: '127.0.0.1',
    port: options.port,
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    durableObjects: Object.fromEntries(objects),
    // Miniflare serves every bucket at /cdn-cgi/local/r2/public/<name>/ to whoever asks: its name is the password.
    r2Buckets: { SNAPSHOTS: loadSecretName(options.stateDirectory, 'snapshots') },
    ...(options.staticFiles !== false && {
      assets: { directory: STATIC_DIRECTORY, routerConfig: { has_user_worker: true } },
    }),
    bindings: options.vars,
    modules: [
      {
        type: 'ESModule',
        path: 'worker.mjs',
        contents: await bundleWorker(options.entry ?? 'src/worker.ts'),
      },
    ],
    log: new Log(LogLevel.ERROR),
    handleStructuredLogs: ({ level, message }) => {
      if (options.onLog) options.onLog(message);
      else if (level === 'error') console.error(message);
    },
  });
  return keepUp({ ...converted, resourcePersistencePath: options.stateDirectory });
}

async function bundleWorker(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${ROOT}${entry}`],
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

/** Proves that the Worker bundles as it would for a deployment, and reports its size. Needs no account and no Docker. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const folder = mkdtempSync(join(tmpdir(), 'edge-harness-bundle-'));
try {
  execFileSync(
    process.execPath,
    [
      'node_modules/wrangler/bin/wrangler.js',
      'deploy',
      '--dry-run',
      '--containers-rollout=none',
      '--outdir',
      folder,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
    },
  );
  const bundle = readFileSync(join(folder, 'worker.js'));
  console.log(
    `worker.js: ${kib(bundle.length)}, ${kib(gzipSync(bundle).length)} gzipped (limit of the free plan: 3072 KiB)`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KiB`;
}

/** `npm run dev:docker`: the Worker under `wrangler dev` with the real container of the Dockerfile. Wants a running Docker engine. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { randomSecret } from './stack/stack.ts';

const port = process.env['PORT'] ?? '8787';
const ip = process.env['IP'] ?? '127.0.0.1';
const publicUrl = process.env['PUBLIC_URL'] ?? `http://host.docker.internal:${port}`;
const token = process.env['API_TOKEN'] ?? randomSecret();

try {
  execFileSync('docker', ['info'], { stdio: 'ignore' });
} catch {
  console.error('No Docker engine answers. Start one, or use `npm run dev`, which needs none.');
  process.exit(1);
}
execFileSync('npm', ['run', '--silent', 'build:supervisor'], { stdio: 'inherit' });

// In a file, not in arguments: every user of the machine can read a process's arguments.
const folder = resolve('.edge-harness');
mkdirSync(folder, { recursive: true, mode: 0o700 });
const vars = join(folder, 'docker.env');
const lines = {
  API_TOKEN: token,
  ENCRYPTION_KEY: process.env['ENCRYPTION_KEY'] ?? randomSecret(),
  LOCATIONS: 'cloudflare',
  PUBLIC_URL: publicUrl,
};
writeFileSync(
  vars,
  Object.entries(lines)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(''),
  { mode: 0o600 },
);

console.log(`URL    http://${ip}:${port}\ntoken  ${token}\nsandboxes reach this Worker at ${publicUrl}\n`);
const wrangler = spawn(
  process.execPath,
  [
    'node_modules/wrangler/bin/wrangler.js',
    'dev',
    '--ip',
    ip,
    '--port',
    port,
    '--env-file',
    vars,
    '--test-scheduled',
  ],
  { stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => wrangler.kill(signal));
wrangler.on('exit', (code) => process.exit(code ?? 1));

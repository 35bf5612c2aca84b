/** `npm run dev:docker`: the Worker under `wrangler dev` with the real container of the Dockerfile. Wants a running Docker engine. */
import { readOptions, readTokens } from './stack/command-line.ts';
import { randomSecret } from './stack/stack.ts';
import { hasDockerEngine, startWranglerDev } from './stack/wrangler-dev.ts';

readOptions(
  'npm run dev:docker\nenvironment: PORT (8787), IP (127.0.0.1), PUBLIC_URL, API_TOKEN, ENCRYPTION_KEY',
  {},
);
const port = process.env['PORT'] ?? '8787';
const ip = process.env['IP'] ?? '127.0.0.1';
const publicUrl = process.env['PUBLIC_URL'] ?? `http://host.docker.internal:${port}`;
const { token, all } = readTokens(randomSecret());

if (!hasDockerEngine()) {
  console.error('No Docker engine answers. Start one, or use `npm run dev`, which needs none.');
  process.exit(1);
}

console.log(`URL    http://${ip}:${port}\ntoken  ${token}\nsandboxes reach this Worker at ${publicUrl}\n`);
const wrangler = startWranglerDev({
  ip,
  port,
  vars: {
    API_TOKEN: all,
    ENCRYPTION_KEY: process.env['ENCRYPTION_KEY'] ?? randomSecret(),
    LOCATIONS: 'cloudflare',
    PUBLIC_URL: publicUrl,
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => wrangler.kill(signal));
wrangler.on('exit', (code) => process.exit(code ?? 1));

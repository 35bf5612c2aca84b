/**
 * `npm run test:container`: the real container. Builds the image of the Dockerfile, starts `npm run dev:docker` and drives a whole life of a
 * task through it. Says why when it skips: no Docker engine, or the base image is neither here nor to be had.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomSecret } from './stack/stack.ts';

const BASE_IMAGE = 'docker.io/cloudflare/sandbox:0.12.10';
const PORT = process.env['PORT'] ?? '8788';
const START_MS = 300_000;

const skip = (reason: string): never => {
  console.log(`skipped: ${reason}`);
  process.exit(0);
};

const docker = (...args: string[]): boolean => spawnSync('docker', args, { stdio: 'ignore' }).status === 0;

if (!docker('info')) skip('no Docker engine answers (docker info)');
if (!docker('image', 'inspect', BASE_IMAGE) && !docker('pull', BASE_IMAGE))
  skip(`the image ${BASE_IMAGE} is not here and cannot be pulled`);

const token = randomSecret();
const url = `http://127.0.0.1:${PORT}`;
const dev = spawn(process.execPath, ['scripts/dev-docker.ts'], {
  stdio: 'inherit',
  env: { ...process.env, PORT, API_TOKEN: token },
});
try {
  await waitForHealth();
  const smoke = ['scripts/smoke.ts', '--url', url, '--token', token, '--location', 'cloudflare'];
  process.exitCode = spawnSync(process.execPath, smoke, { stdio: 'inherit' }).status ?? 1;
} finally {
  dev.kill('SIGINT');
}

async function waitForHealth(): Promise<void> {
  const endAtMs = Date.now() + START_MS;
  while (Date.now() < endAtMs && dev.exitCode === null) {
    const answer = await fetch(`${url}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`npm run dev:docker did not answer at ${url} within ${START_MS / 1000} s`);
}

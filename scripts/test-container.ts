/**
 * `npm run test:container`: the real container. Runs the supervisor's contract suite over the SDK and the image of the Dockerfile, then starts
 * `npm run dev:docker` and drives a whole life of a task through it. Says why when it skips: no Docker engine, or the base image is neither
 * here nor to be had.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readOptions } from './stack/command-line.ts';
import { randomSecret } from './stack/stack.ts';
import { hasDockerEngine, startWranglerDev } from './stack/wrangler-dev.ts';

readOptions('npm run test:container\nenvironment: PORT (8788)', {});

const BASE_IMAGE = 'docker.io/cloudflare/sandbox:0.12.10';
const IP = '127.0.0.1';
const PORT = process.env['PORT'] ?? '8788';
const URL = `http://${IP}:${PORT}`;
const START_MS = 300_000;

const skip = (reason: string): never => {
  console.log(`skipped: ${reason}`);
  process.exit(0);
};

const docker = (...args: string[]): boolean => spawnSync('docker', args, { stdio: 'ignore' }).status === 0;

if (!hasDockerEngine()) skip('no Docker engine answers (docker info)');
if (!docker('image', 'inspect', BASE_IMAGE) && !docker('pull', BASE_IMAGE))
  skip(`the image ${BASE_IMAGE} is not here and cannot be pulled`);

const contract = await withServer(
  startWranglerDev({ ip: IP, port: PORT, vars: {}, entry: 'test/workers/container-entry.ts' }),
  '/',
  () =>
    runNode(['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.container.config.ts'], {
      CONTRACT_URL: URL,
    }),
);
const token = randomSecret();
const settings = { ...process.env, IP, PORT, API_TOKEN: token };
const life = await withServer(
  spawn(process.execPath, ['scripts/dev-docker.ts'], { stdio: 'inherit', env: settings }),
  '/healthz',
  () => runNode(['scripts/smoke.ts', '--url', URL, '--token', token, '--location', 'cloudflare']),
);
process.exitCode = contract || life;

/** Exit code. */
function runNode(args: string[], more: Record<string, string> = {}): number {
  const env = { ...process.env, ...more };
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
}

async function withServer(server: ChildProcess, path: string, use: () => number): Promise<number> {
  try {
    await waitForAnswer(server, path);
    return use();
  } finally {
    const ended = server.exitCode === null ? once(server, 'exit') : null;
    server.kill('SIGINT');
    await ended;
  }
}

async function waitForAnswer(server: ChildProcess, path: string): Promise<void> {
  const endAtMs = Date.now() + START_MS;
  while (Date.now() < endAtMs && server.exitCode === null) {
    const answer = await fetch(`${URL}${path}`).catch(() => null);
    await answer?.body?.cancel();
    if (answer) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`nothing answered at ${URL} within ${START_MS / 1000} s`);
}

/** Everything that runs on a developer's machine: the sandbox host and the Worker, started and ended together. */
import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join, resolve as absolute } from 'node:path';
import { SupervisorClient } from '../../src/sandbox/client.ts';
import { createLoopback } from '../../src/sandbox/loopback.ts';
import { startSandboxHost, type RunningSandboxHost } from './sandbox-host.ts';
import type { RunningWorker } from './keep-up.ts';
import { startWorker } from './worker.ts';

export interface StackOptions {
  port: number;
  token: string;
  encryptionKey: string;
  stateDirectory: string;
  roots: string[];
  onLog?: (line: string) => void;
  /** Laid over the Worker's own settings. */
  vars?: Record<string, string>;
  /** HOME of hooks and agents; left out: the person's own. */
  home?: string;
  /** Another Worker than the deployed one, as a path from the repository's top: for tests. */
  entry?: string;
}

export interface Stack {
  url: string;
  token: string;
  host: RunningSandboxHost;
  worker: RunningWorker;
  stop(): Promise<void>;
}

/** HOST_ROOTS, relative ones from here; blank is none. */
export function defaultRoots(): string[] {
  const named = (process.env['HOST_ROOTS'] ?? '').split(':').filter((root) => root !== '');
  return named.length > 0
    ? named.map((root) => absolute(root))
    : [join(homedir(), 'HarnessWorkspaces'), join(tmpdir(), 'symphony_workspaces')];
}

export const randomSecret = (): string => randomBytes(32).toString('base64url');

export async function startStack(options: StackOptions): Promise<Stack> {
  const host = await startSandboxHost({
    roots: options.roots,
    stateDirectory: join(options.stateDirectory, 'host'),
    hidden: [options.stateDirectory],
    ...(options.home === undefined ? {} : { home: options.home }),
  });
  try {
    const port = options.port === 0 ? await findFreePort() : options.port;
    const worker = await startWorker({
      port,
      stateDirectory: join(options.stateDirectory, 'worker'),
      ...(options.onLog ? { onLog: options.onLog } : {}),
      ...(options.entry === undefined ? {} : { entry: options.entry }),
      vars: {
        API_TOKEN: options.token,
        ENCRYPTION_KEY: options.encryptionKey,
        LOCATIONS: await offeredLocations(host),
        ALLOW_LOCAL_REPOSITORIES: 'true',
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        SANDBOX_HOST_URL: host.url,
        SANDBOX_HOST_TOKEN: host.token,
        ...options.vars,
      },
    });
    const url = worker.url.origin;
    return { url, token: options.token, host, worker, stop: () => stopAll(worker, host) };
  } catch (thrown) {
    await host.stop();
    throw isPortTaken(thrown)
      ? new Error(`port ${options.port} is in use: end what listens there, or choose another with PORT=…`)
      : thrown;
  }
}

const isPortTaken = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_ADDRESS_IN_USE';

/** Location docker is a mode of the sandbox host, where a Docker engine answers. */
async function offeredLocations(host: RunningSandboxHost): Promise<string> {
  const health = await new SupervisorClient(createLoopback(host.url, host.token)).health();
  const hasDocker = health.kind === 'answer' && health.value.confinements.includes('docker');
  return hasDocker ? 'host,docker' : 'host';
}

/** Known before the Worker starts: sandboxes are told where it is. */
async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function stopAll(worker: RunningWorker, host: RunningSandboxHost): Promise<void> {
  await worker.stop();
  await host.stop();
}

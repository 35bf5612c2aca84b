/** Everything that runs on a developer's machine: the sandbox host and the Worker, started and ended together. */
import { randomBytes } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandboxHost, type RunningSandboxHost } from './sandbox-host.ts';
import { startWorker, type RunningWorker } from './worker.ts';

export interface StackOptions {
  port: number;
  token: string;
  encryptionKey: string;
  stateDirectory: string;
  roots: string[];
  onLog?: (line: string) => void;
}

export interface Stack {
  url: string;
  token: string;
  host: RunningSandboxHost;
  worker: RunningWorker;
  stop(): Promise<void>;
}

export const defaultRoots = (): string[] =>
  process.env['HOST_ROOTS']?.split(':').filter((root) => root !== '') ?? [
    join(homedir(), 'HarnessWorkspaces'),
    join(tmpdir(), 'symphony_workspaces'),
  ];

export const randomSecret = (): string => randomBytes(32).toString('base64url');

export async function startStack(options: StackOptions): Promise<Stack> {
  const host = await startSandboxHost({
    roots: options.roots,
    stateDirectory: join(options.stateDirectory, 'host'),
  });
  try {
    const worker = await startWorker({
      port: options.port,
      stateDirectory: join(options.stateDirectory, 'worker'),
      ...(options.onLog ? { onLog: options.onLog } : {}),
      vars: {
        API_TOKEN: options.token,
        ENCRYPTION_KEY: options.encryptionKey,
        LOCATIONS: 'host',
        ALLOW_LOCAL_REPOSITORIES: 'true',
        SANDBOX_HOST_URL: host.url,
        SANDBOX_HOST_TOKEN: host.token,
      },
    });
    const url = worker.url.origin;
    return { url, token: options.token, host, worker, stop: () => stopAll(worker, host) };
  } catch (thrown) {
    await host.stop();
    throw thrown;
  }
}

async function stopAll(worker: RunningWorker, host: RunningSandboxHost): Promise<void> {
  await worker.stop();
  await host.stop();
}

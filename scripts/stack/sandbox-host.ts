/** The supervisor on this machine: one process for all workspaces under the allowed roots, on 127.0.0.1 with a random token. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const MAIN = fileURLToPath(new URL('../../src/sandbox/supervisor/main.ts', import.meta.url));
const START_MS = 15_000;
const Ready = z.object({ port: z.number().int() });

export interface SandboxHostOptions {
  /** Allowed workspace roots. */
  roots: string[];
  stateDirectory: string;
}

export interface RunningSandboxHost {
  url: string;
  token: string;
  pid: number;
  process: ChildProcess;
  /** Names the folder that a project's WORKFLOW.md is in. */
  setWorkflowDirectory(project: string, directory: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startSandboxHost(options: SandboxHostOptions): Promise<RunningSandboxHost> {
  const token = randomBytes(32).toString('base64url');
  const child = spawn(
    process.execPath,
    [
      MAIN,
      '--mode',
      'host',
      '--port',
      '0',
      '--roots',
      options.roots.join(':'),
      '--state',
      options.stateDirectory,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, EDGE_HARNESS_SUPERVISOR_TOKEN: token },
      // A Ctrl-C reaches the launcher alone, which then ends everything in order.
      detached: true,
    },
  );
  const { port } = await readReadyLine(child);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    token,
    pid: child.pid ?? 0,
    process: child,
    setWorkflowDirectory: async (project, directory) => {
      const answer = await fetch(`${url}/workflow-dirs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ project, directory }),
      });
      if (!answer.ok)
        throw new Error(
          `the sandbox host refused the WORKFLOW.md folder ${directory}: ${await answer.text()}`,
        );
    },
    stop: () => stopProcess(child),
  };
}

async function readReadyLine(child: ChildProcess): Promise<{ port: number }> {
  const { stdout } = child;
  if (!stdout) throw new Error('the sandbox host has no stdout');
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  try {
    for await (const line of createInterface({ input: stdout })) return Ready.parse(JSON.parse(line));
    throw new Error('the sandbox host ended before it was ready');
  } finally {
    clearTimeout(timer);
    stdout.resume();
  }
}

const STOP_MS = 5_000;

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}

/** The supervisor on this machine: one process for all workspaces under the allowed roots, on 127.0.0.1 with a random token. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const MAIN = fileURLToPath(new URL('../../src/sandbox/supervisor/main.ts', import.meta.url).href);
const START_MS = 30_000;
const RESTART_MS = 500;
const Ready = z.object({ port: z.number().int() });

export interface SandboxHostOptions {
  /** Allowed workspace roots. */
  roots: string[];
  stateDirectory: string;
  /** Where else secrets of ours lie: out of sight for scripts under bubblewrap. */
  hidden: string[];
  /** HOME of hooks and agents; left out: the person's own, with its login profile. */
  home?: string;
}

export interface RunningSandboxHost {
  url: string;
  token: string;
  /** Of the process that runs now: it is started again when it crashes. */
  pid(): number;
  /** Names the folder that a project's WORKFLOW.md is in. */
  setWorkflowDirectory(project: string, directory: string, how: { keep: boolean }): Promise<void>;
  stop(): Promise<void>;
}

export async function startSandboxHost(options: SandboxHostOptions): Promise<RunningSandboxHost> {
  const token = randomBytes(32).toString('base64url');
  let child = spawnSupervisor(options, token, 0);
  const { port } = await readReadyLine(child);
  const url = `http://127.0.0.1:${port}`;
  let isStopping = false;
  // A supervisor that comes back finds its operations again: the same port and token make it the same host for the Worker.
  const restartOnExit = () => {
    child.once('exit', (code, signal) => {
      if (isStopping) return;
      console.error(`the sandbox host ended (${signal ?? code}); starting it again`);
      setTimeout(() => {
        if (isStopping) return;
        child = spawnSupervisor(options, token, port);
        child.stdout?.resume();
        restartOnExit();
      }, RESTART_MS);
    });
  };
  restartOnExit();
  return {
    url,
    token,
    pid: () => child.pid ?? 0,
    setWorkflowDirectory: (project, directory, { keep }) =>
      setWorkflowDirectory(url, token, { project, directory, keep }),
    stop: async () => {
      isStopping = true;
      await stopProcess(child);
    },
  };
}

function spawnSupervisor(options: SandboxHostOptions, token: string, port: number): ChildProcess {
  const { roots, stateDirectory, hidden } = options;
  const argv = [
    '--mode',
    'host',
    '--port',
    String(port),
    '--roots',
    roots.join(':'),
    '--state',
    stateDirectory,
    '--watch-stdin',
    ...hidden.flatMap((folder) => ['--hide', folder]),
  ];
  return spawn(process.execPath, [MAIN, ...argv], {
    // It ends with the launcher, whose end of its stdin closes then.
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...(options.home === undefined ? {} : { HOME: options.home }),
      EDGE_HARNESS_SUPERVISOR_TOKEN: token,
    },
    // A Ctrl-C reaches the launcher alone, which then ends everything in order.
    detached: true,
  });
}

async function setWorkflowDirectory(
  url: string,
  token: string,
  folder: { project: string; directory: string; keep: boolean },
): Promise<void> {
  const answer = await fetch(`${url}/workflow-dirs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(folder),
  });
  if (!answer.ok)
    throw new Error(
      `the sandbox host refused the WORKFLOW.md folder ${folder.directory}: ${await answer.text()}`,
    );
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

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}

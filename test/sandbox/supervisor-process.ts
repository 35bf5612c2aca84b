/** Real supervisors for tests: a host's, and a sandbox's, which has a pid namespace of its own where bubblewrap is there. */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createLoopback } from '../../src/sandbox/loopback.ts';
import { readProcesses } from '../../src/sandbox/supervisor/process-table.ts';
import type { Reached, Way } from './way.ts';

const MAIN = fileURLToPath(new URL('../../src/sandbox/supervisor/main.ts', import.meta.url));

export interface HostReached extends Reached {
  readonly folder: string;
  readonly token: string;
  readonly url: () => string;
}

export interface HostExtras {
  readonly args?: (folder: string) => string[];
  /** Runs it as another user. */
  readonly uid?: number;
}

export const hostWay: Way = { name: 'loopback to a host', open: () => openHost() };

export async function openHost(extras: HostExtras = {}): Promise<HostReached> {
  const folder = makeFolder();
  const token = randomUUID();
  const args = [MAIN, '--mode', 'host', '--watch-stdin', '--state', join(folder, 'state')];
  args.push('--roots', join(folder, 'roots'), ...(extras.args?.(folder) ?? []));
  const options: SpawnOptions = {
    env: { ...baseEnv(folder), EDGE_HARNESS_SUPERVISOR_TOKEN: token },
    stdio: STDIO,
  };
  if (extras.uid !== undefined) {
    spawnSync('chown', ['-R', String(extras.uid), folder]);
    Object.assign(options, { uid: extras.uid, gid: extras.uid });
  }
  let running = await launch(process.execPath, args, options);
  const url = () => `http://127.0.0.1:${running.port}`;
  return {
    folder,
    token,
    url,
    fetcher: { fetch: (request) => createLoopback(url(), token).fetch(request) },
    root: join(folder, 'roots'),
    home: join(folder, 'home'),
    restart: async (between) => {
      await kill(running.child, 'SIGKILL');
      await between?.();
      running = await launch(process.execPath, args, options);
    },
    memoryBytes: () => readMemory(running.child.pid ?? 0),
    ownsMachine: false,
    end: async () => {
      await kill(running.child, 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Without a namespace the machine is shared, and only marked processes may be taken for leftovers. */
const hasNamespaces =
  spawnSync('bwrap', ['--unshare-pid', '--bind', '/', '/', '--proc', '/proc', 'true']).status === 0;

const NAMESPACE = ['bwrap', '--unshare-pid', '--die-with-parent', '--bind', '/', '/'];
NAMESPACE.push('--dev-bind', '/dev', '/dev', '--proc', '/proc');

export const sandboxWay: Way = {
  name: hasNamespaces
    ? 'loopback to a sandbox'
    : 'loopback to a sandbox without a pid namespace (no bubblewrap)',
  open: () => openSandbox(),
};

/** `main` may be the bundle. */
export async function openSandbox(main: string = MAIN): Promise<Reached> {
  const folder = makeFolder();
  mkdirSync(join(folder, 'workspace'));
  const port = await findFreePort();
  const go = join(folder, 'go');
  const env = {
    ...baseEnv(folder),
    EDGE_HARNESS_LISTEN: '127.0.0.1',
    EDGE_HARNESS_PORT: String(port),
    EDGE_HARNESS_STATE: join(folder, 'state'),
    EDGE_HARNESS_WORKSPACE: join(folder, 'workspace'),
  };
  // As in the image, a supervisor that dies is started again: here once the test says so.
  const keeper = `while :; do "$@"; until [ -e "${go}" ]; do sleep 0.05; done; done`;
  const supervisor = [
    process.execPath,
    main,
    '--mode',
    'sandbox',
    ...(hasNamespaces ? ['--own-container'] : []),
  ];
  const [program = 'sh', ...args] = [
    ...(hasNamespaces ? NAMESPACE : []),
    'sh',
    '-c',
    keeper,
    'sh',
    ...supervisor,
  ];
  const { child, nextPort } = launchLines(program, args, { env, stdio: STDIO, detached: true });
  await nextPort();
  const fetcher = createLoopback(`http://127.0.0.1:${port}`, '');
  return {
    fetcher,
    root: null,
    home: join(folder, 'home'),
    restart: async (between) => {
      rmSync(go, { force: true });
      process.kill(findSupervisor(child, main), 'SIGKILL');
      await between?.();
      writeFileSync(go, '');
      await nextPort();
    },
    memoryBytes: () => readMemory(findSupervisor(child, main)),
    ownsMachine: hasNamespaces,
    end: async () => {
      rmSync(go, { force: true });
      // Alone it ends what it started; a namespace ends with its first process anyway.
      if (!hasNamespaces) await endAlone(child, main);
      await kill(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const STDIO: SpawnOptions['stdio'] = ['pipe', 'pipe', 'inherit'];

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'edge-harness-test-')));
  for (const name of ['home', 'roots']) mkdirSync(join(folder, name));
  return folder;
}

const baseEnv = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: join(folder, 'home'),
  // What a launcher may have and a script must not get.
  ANTHROPIC_API_KEY: 'the-launchers-own',
  LAUNCHER_SETTING: 'the-launchers-own',
});

async function launch(program: string, args: string[], options: SpawnOptions) {
  const { child, nextPort } = launchLines(program, args, options);
  return { child, port: await nextPort() };
}

function launchLines(program: string, args: string[], options: SpawnOptions) {
  const child = spawn(program, args, options);
  if (child.stdout === null) throw new Error('the supervisor has no stdout');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextPort = async (): Promise<number> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the supervisor ended before it was ready');
    return (JSON.parse(value) as { port: number }).port;
  };
  return { child, nextPort };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await exited;
}

/** Without a namespace nothing else ends what it started. */
async function endAlone(child: ChildProcess, main: string): Promise<void> {
  process.kill(findSupervisor(child, main), 'SIGTERM');
  while (findDescendants(child).length > 1) await sleep(20);
}

function findSupervisor(child: ChildProcess, main: string): number {
  const found = findDescendants(child).find((pid) => {
    const command = readCommand(pid);
    return command[1] === main && command[0] === process.execPath;
  });
  if (found === undefined) throw new Error('there is no supervisor');
  return found;
}

function findDescendants(child: ChildProcess): number[] {
  const processes = readProcesses();
  const found = [child.pid ?? 0];
  for (const pid of found)
    found.push(...processes.flatMap((other) => (other.parent === pid ? [other.pid] : [])));
  return found;
}

function readCommand(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

const readMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

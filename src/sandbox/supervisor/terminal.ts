/** Terminals on a host: one WebSocket each, a login shell on a pty behind it. Ends with its connection, its shell or its workspace. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type * as nodePty from '@lydell/node-pty';
import { z } from 'zod';
import { type WebSocket, WebSocketServer } from 'ws';
import type { SupervisorError } from '../protocol.ts';
import { buildEnvIn, type Machine } from './base-environment.ts';
import type { Workspace } from './workspace.ts';

/** A screen that does not read: the shell waits, as it would for a slow line. */
const MAX_WAITING_BYTES = 1024 * 1024;
const DRAIN_STEP_MS = 20;
/** What ignores a hangup is killed. */
const GRACE_MS = 2_000;
/** Its binary comes with the package; in the image, whose terminals are the SDK's, it is not there. */
const PTY_MODULE: string = '@lydell/node-pty';

const Size = z.object({
  cols: z.coerce.number().int().min(2).max(1000).default(80),
  rows: z.coerce.number().int().min(2).max(1000).default(24),
});
const Resize = Size.extend({ type: z.literal('resize') });

const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 });

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly query: URLSearchParams;
}

/** Takes the connection over, or answers why not. */
export async function openTerminal(
  { request, socket, head, query }: Upgrade,
  workspace: Workspace,
  machine: Machine,
): Promise<SupervisorError | null> {
  const size = Size.safeParse(Object.fromEntries(query));
  if (!size.success) return { code: 'bad_request', detail: 'cols and rows are numbers from 2 to 1000.' };
  const pty = await startShell(workspace, machine, size.data).catch((error: unknown) => String(error));
  if (typeof pty === 'string') return { code: 'not_found', detail: `No terminal can be opened: ${pty}` };
  sockets.handleUpgrade(request, socket, head, (connection) => connect(connection, pty, workspace));
  return null;
}

async function startShell(
  workspace: Workspace,
  machine: Machine,
  size: z.infer<typeof Size>,
): Promise<nodePty.IPty> {
  const { spawn } = (await import(PTY_MODULE)) as typeof nodePty;
  const { directory } = workspace.place;
  return spawn(machine.bash, ['-l'], {
    name: 'xterm-256color',
    ...size,
    cwd: directory,
    // The base set alone: no value of the project and no credential is shown on a screen by `env`.
    env: {
      ...buildEnvIn(machine, directory),
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      SYMPHONY_WORKSPACE: directory,
    },
    encoding: null,
  });
}

function connect(connection: WebSocket, pty: nodePty.IPty, workspace: Workspace): void {
  const end = (message: string): void => {
    if (connection.readyState !== connection.OPEN) return;
    connection.send(JSON.stringify({ type: 'closed', message }));
    connection.close(1000, message.slice(0, 100));
  };
  const close = (): void => end('the workspace was closed');
  workspace.terminals.add(close);
  let hasExited = false;
  pty.onData((data) => send(connection, pty, data as unknown as Buffer));
  pty.onExit(({ exitCode }) => {
    hasExited = true;
    end(exitCode === 0 ? 'the shell has ended' : `the shell has ended (exit ${exitCode})`);
  });
  connection.on('message', (data: Buffer, isBinary) => {
    if (!hasExited) takeMessage(pty, data, isBinary);
  });
  connection.on('error', () => connection.terminate());
  connection.on('close', () => {
    workspace.terminals.delete(close);
    if (!hasExited) hangUp(pty.pid, () => hasExited);
  });
  connection.send(JSON.stringify({ type: 'ready' }));
}

function send(connection: WebSocket, pty: nodePty.IPty, data: Buffer): void {
  if (connection.readyState !== connection.OPEN) return;
  connection.send(data, { binary: true });
  if (connection.bufferedAmount < MAX_WAITING_BYTES) return;
  pty.pause();
  const timer = setInterval(() => {
    if (connection.readyState === connection.OPEN && connection.bufferedAmount > 0) return;
    clearInterval(timer);
    pty.resume();
  }, DRAIN_STEP_MS);
}

function takeMessage(pty: nodePty.IPty, data: Buffer, isBinary: boolean): void {
  if (isBinary) {
    pty.write(data.toString('utf8'));
    return;
  }
  const message = Resize.safeParse(parseJson(data.toString('utf8')));
  if (message.success) pty.resize(message.data.cols, message.data.rows);
}

/** The shell leads its own session: its group, then whatever stays of it. */
function hangUp(pid: number, hasExited: () => boolean): void {
  signal(pid, 'SIGHUP');
  setTimeout(() => {
    if (!hasExited()) signal(pid, 'SIGKILL');
  }, GRACE_MS).unref();
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // It is gone already.
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

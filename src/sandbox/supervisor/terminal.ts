/** Terminals on a host: one WebSocket each, a confined shell on a pty behind it. Ends with its connection, its shell or its workspace. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type * as nodePty from '@lydell/node-pty';
import { z } from 'zod';
import { type WebSocket, WebSocketServer } from 'ws';
import { Confinement, CONFINEMENT_HEADER, type SupervisorError } from '../protocol.ts';
import { startShell, type TerminalSetting, type TerminalShell } from './terminal-shell.ts';
import type { Workspace } from './workspace.ts';

/** A screen that does not read: the shell waits, as it would for a slow line. */
const MAX_WAITING_BYTES = 1024 * 1024;
const DRAIN_STEP_MS = 20;

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
  surface: Pick<TerminalSetting, 'machine' | 'confinements'>,
): Promise<SupervisorError | null> {
  const size = Size.safeParse(Object.fromEntries(query));
  if (!size.success) return { code: 'bad_request', detail: 'cols and rows are numbers from 2 to 1000.' };
  const confinement = Confinement.safeParse(parseJson(String(request.headers[CONFINEMENT_HEADER])));
  if (!confinement.success)
    return { code: 'bad_request', detail: `${CONFINEMENT_HEADER} says how the terminal is confined.` };
  const { place } = workspace;
  const shell = await startShell({ ...surface, place, size: size.data, confinement: confinement.data });
  if (!shell.ok) return shell.error;
  let isTaken = false;
  sockets.handleUpgrade(request, socket, head, (connection) => {
    isTaken = true;
    connect(connection, shell.value, workspace);
  });
  // Whoever asked went away while the shell was started, or shook hands wrongly.
  if (!isTaken) shell.value.hangUp();
  return null;
}

function connect(connection: WebSocket, { pty, hangUp }: TerminalShell, workspace: Workspace): void {
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
    if (!hasExited) hangUp();
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Terminals as the SDK's control plane in a container serves them: one shell per session, shared by its connections and outliving them;
 * bytes as binary frames, `ready` as JSON. An ended shell says nothing, and its session can't be attached to again.
 */
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { spawn, type IPty } from '@lydell/node-pty';
import type * as webSockets from 'ws';

/** By Node's own rules: beside the tests in workerd an import would give the browser's half of it. */
const { WebSocketServer } = createRequire(import.meta.url)('ws') as typeof webSockets;

interface Session {
  cwd: string;
  shell: IPty | null;
}

const sockets = new WebSocketServer({ noServer: true });

export class SdkTerminals {
  /** What `/` is in a container. */
  readonly #root: string;
  readonly #sessions = new Map<string, Session>();

  constructor(root: string) {
    this.#root = root;
  }

  create(id: string, cwd: string): void {
    this.#sessions.set(id, { cwd: join(this.#root, cwd), shell: null });
  }

  end(id: string): void {
    this.#sessions.get(id)?.shell?.kill('SIGKILL');
    this.#sessions.delete(id);
  }

  attach(query: URLSearchParams, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const session = this.#sessions.get(query.get('sessionId') ?? '');
    if (!session) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\nno such session');
    const { cwd } = session;
    const size = { cols: Number(query.get('cols')), rows: Number(query.get('rows')) };
    session.shell ??= spawn('bash', [], { ...size, cwd, env: { HOME: this.#root }, encoding: null });
    const { shell } = session;
    sockets.handleUpgrade(request, socket, head, (connection) => {
      shell.onData((data) => connection.send(data, { binary: true }));
      connection.on('message', (data: Buffer, isBinary) => isBinary && shell.write(data.toString('utf8')));
      connection.send(JSON.stringify({ type: 'ready' }));
    });
  }
}

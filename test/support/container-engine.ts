/**
 * Containers without Docker: per sandbox id one supervisor process in sandbox mode with folders of its own, as the image has /workspace.
 * Serves the SDK double over HTTP, with the SDK's awkward ways: see sandbox-double.ts.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request as forward } from 'node:http';
import { createServer as createProbe } from 'node:net';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sendError } from '../../src/sandbox/supervisor/http-answer.ts';
import { killProcesses } from './leftovers.ts';
import { SdkTerminals } from './sdk-terminals.ts';

const SUPERVISOR = fileURLToPath(new URL('../../src/sandbox/supervisor/main.ts', import.meta.url).href);

/** A boot takes a fraction of a second where the machine is not busy. */
const BOOT_MS = 60_000;

interface Container {
  child: ChildProcess;
  port: number;
  folder: string;
  /** The first call to a cold container arrives, but its answer is cut off. */
  cold: boolean;
  terminals: SdkTerminals;
}

export interface ContainerEngine {
  url: string;
  /** All containers' folders are below it. */
  root: string;
  /** The sandbox is gone with its disk; the next call boots a fresh one. */
  kill(id: string): Promise<void>;
  /** The sandbox's next call is never answered. */
  hang(id: string): void;
  /** Its work tree; null while no container runs. */
  workspaceOf(id: string): Promise<string | null>;
  stop(): Promise<void>;
}

export async function startContainerEngine(): Promise<ContainerEngine> {
  const root = mkdtempSync(join(tmpdir(), 'edge-harness-containers-'));
  const engine = new Engine(root);
  const server = createServer((request, response) => {
    engine.serve(request, response).catch((thrown: unknown) => {
      response.writeHead(500).end(String(thrown));
    });
  });
  server.on('upgrade', (request, socket, head) => void engine.openTerminal(request, socket, head));
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    root,
    kill: (id) => engine.kill(id),
    hang: (id) => engine.hang(id),
    workspaceOf: (id) => engine.workspaceOf(id),
    stop: async () => {
      await engine.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

class Engine {
  readonly #root: string;
  readonly #containers = new Map<string, Promise<Container>>();
  /** Ids whose next call hangs. */
  readonly #hanging = new Set<string>();
  /** By id: what a call says whose answer will be held back for ever, though it arrives. */
  readonly #muted = new Map<string, string>();
  /** By id: what a call says that finds the disk full. */
  readonly #full = new Map<string, string>();
  /** By id: the `METHOD /path` of the call that will be cut off before it arrives starts with this. */
  readonly #cut = new Map<string, string>();
  /** Ids whose next `destroy` fails. */
  readonly #stubborn = new Set<string>();
  /** Ids whose next `destroy` is never answered, and does nothing. */
  readonly #hangingDestroys = new Set<string>();
  /** `METHOD /path` of every call to a sandbox, oldest first. */
  readonly #calls = new Map<string, string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  /** `/{id}/state`, `/{id}/kill`, `/{id}/destroy`, `/{id}/hang`, `/{id}/mute/{text}`, `/{id}/fill/{text}`, `/{id}/cut/{text}`, `/{id}/refuse-destroy`, `/{id}/hang-destroy`, `/{id}/hosts`, `/{id}/calls`, `/{id}/session/{session}`, `/{id}/call/…`. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, id = '', verb = '', ...rest] = (request.url ?? '').split('/');
    switch (verb) {
      case 'state':
        return void response.end(
          JSON.stringify({ status: this.#containers.has(id) ? 'healthy' : 'stopped' }),
        );
      case 'kill':
        await this.kill(id);
        return void response.end();
      case 'destroy':
        if (this.#hangingDestroys.delete(id)) return;
        if (this.#stubborn.delete(id)) return void response.writeHead(500).end();
        await this.kill(id);
        return void response.end();
      case 'refuse-destroy':
        this.#stubborn.add(id);
        return void response.end();
      case 'hang-destroy':
        this.#hangingDestroys.add(id);
        return void response.end();
      case 'mute':
        this.#muted.set(id, decodeURIComponent(rest.join('/')));
        return void response.end();
      case 'fill':
        this.#full.set(id, decodeURIComponent(rest.join('/')));
        return void response.end();
      case 'muted':
        return void response.end(this.#muted.get(id) ?? '');
      case 'cut':
        this.#cut.set(id, decodeURIComponent(rest.join('/')));
        return void response.end();
      case 'hang':
        this.hang(id);
        return void response.end();
      case 'hosts':
        this.#record(id, `HOSTS ${await text(request)}`);
        return void response.end();
      case 'session':
        this.#record(id, `${request.method} session`);
        await this.#serveSession(id, rest.join('/'), request);
        return void response.end();
      case 'calls':
        return void response.end(JSON.stringify(this.#calls.get(id) ?? []));
      default:
        return this.#call(id, `/${rest.join('/')}`, request, response);
    }
  }

  async #serveSession(id: string, session: string, request: IncomingMessage): Promise<void> {
    const { terminals } = await this.#running(id);
    if (request.method === 'DELETE') terminals.end(session);
    else terminals.create(session, await text(request));
  }

  /** `/{id}/pty?sessionId=…` */
  async openTerminal(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://engine');
    const id = pathname.split('/')[1] ?? '';
    if (this.#cut.get(id) === 'pty') {
      this.#cut.delete(id);
      return void socket.destroy();
    }
    const { terminals } = await this.#running(id);
    terminals.attach(searchParams, request, socket, head);
  }

  async #call(id: string, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#record(id, `${request.method} ${path}`);
    if (this.#hanging.delete(id)) return;
    const cut = this.#cut.get(id);
    if (cut !== undefined && `${request.method} ${path}`.startsWith(cut)) {
      this.#cut.delete(id);
      request.resume();
      return cutOff(response);
    }
    const container = await this.#running(id);
    const { cold } = container;
    container.cold = false;
    const full = this.#full.get(id);
    if (full !== undefined && `${request.method} ${path}`.includes(full)) {
      this.#full.delete(id);
      return sendError(response, { code: 'internal', detail: 'ENOSPC: no space left on device, write' });
    }
    const onward = forward(
      { port: container.port, path, method: request.method, headers: request.headers },
      (answer) => {
        if (cold) {
          answer.destroy();
          return cutOff(response);
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => cutOff(response));
    const muted = this.#muted.get(id);
    if (muted === undefined) return void request.pipe(onward);
    const body = Buffer.concat(await request.toArray());
    if (`${request.method} ${path} ${body.toString()}`.includes(muted)) {
      this.#muted.delete(id);
      onward.removeAllListeners('response');
      onward.on('response', (answer) => answer.resume());
    }
    onward.end(body);
  }

  #record(id: string, call: string): void {
    this.#calls.set(id, [...(this.#calls.get(id) ?? []), call]);
  }

  #running(id: string): Promise<Container> {
    const known = this.#containers.get(id);
    if (known) return known;
    const booting = this.#boot(id);
    this.#containers.set(id, booting);
    // A boot that failed, as on a machine that is too busy, is tried again by the next call.
    booting.catch(() => this.#containers.delete(id));
    return booting;
  }

  async #boot(id: string): Promise<Container> {
    const folder = mkdtempSync(join(this.#root, `${id}-`));
    const port = await freePort();
    mkdirSync(join(folder, 'workspace'));
    const child = spawn(process.execPath, [SUPERVISOR, '--mode', 'sandbox', '--port', String(port)], {
      stdio: 'ignore',
      detached: true,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        EDGE_HARNESS_WORKSPACE: join(folder, 'workspace'),
        EDGE_HARNESS_STATE: join(folder, 'state'),
      },
    });
    try {
      await waitUntilListening(port, child);
    } catch (thrown) {
      end(folder);
      throw thrown;
    }
    return { child, port, folder, cold: true, terminals: new SdkTerminals(folder) };
  }

  async kill(id: string): Promise<void> {
    const container = await this.#containers.get(id)?.catch(() => null);
    if (!container) return;
    this.#containers.delete(id);
    end(container.folder);
  }

  hang(id: string): void {
    this.#hanging.add(id);
  }

  async workspaceOf(id: string): Promise<string | null> {
    const container = await this.#containers.get(id)?.catch(() => null);
    return container ? join(container.folder, 'workspace') : null;
  }

  async stop(): Promise<void> {
    for (const id of this.#containers.keys()) await this.kill(id);
  }
}

/** As the end of a container does: everything in it, and its disk. */
function end(folder: string): void {
  killProcesses(folder);
  rmSync(folder, { recursive: true, force: true });
}

const cutOff = (response: ServerResponse): void => {
  if (response.headersSent) return void response.destroy();
  response
    .writeHead(500)
    .end('Error proxying request to container: Container port connection closed unexpectedly.');
};

async function waitUntilListening(port: number, child: ChildProcess): Promise<void> {
  const endAtMs = Date.now() + BOOT_MS;
  while (Date.now() < endAtMs && child.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`no supervisor on port ${port}`);
}

async function freePort(): Promise<number> {
  const probe = createProbe();
  const port = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function listen(server: Server | ReturnType<typeof createProbe>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

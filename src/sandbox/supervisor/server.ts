/** The HTTP server: lets in whom it may, finds the handler, and answers whatever happens in it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { err, type Result } from '../../core/result.ts';
import { PROTOCOL_VERSION, SUPERVISOR_HEADER, type SupervisorError } from '../protocol.ts';
import { hasToken, isOwnName } from './access.ts';
import type { Machine } from './base-environment.ts';
import { sendAnswer, sendError, statusOf, type Answer } from './http-answer.ts';
import type { Log } from './log.ts';
import { findRoute, findTarget } from './routes.ts';
import type { Supervisor } from './supervisor.ts';
import { openTerminal, type Upgrade } from './terminal.ts';

export interface Listening {
  readonly server: Server;
  readonly port: number;
}

interface Gate {
  readonly supervisor: Supervisor;
  /** null in a sandbox, whose network is its own. */
  readonly token: string | null;
  readonly machine: Machine;
  readonly log: Log;
}

export async function listen(gate: Gate, port: number, host: string): Promise<Listening> {
  const server = createServer((request, response) => void serve(gate, server, request, response));
  server.on(
    'upgrade',
    (request, socket, head) =>
      void upgrade(gate, server, { request, socket, head }).catch(() => socket.destroy()),
  );
  // A long-poll is not a slow caller.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

async function serve(
  gate: Gate,
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A caller that goes away changes nothing; without listeners the error would end the process.
  request.on('error', () => {});
  response.on('error', () => {});
  const startedAt = performance.now();
  const answer = await handle(gate, server, request).catch(
    (error: unknown): Result<never, SupervisorError> => {
      gate.log('failure', { path: request.url, error: error instanceof Error ? error.stack : String(error) });
      return err({ code: 'internal', detail: error instanceof Error ? error.message : String(error) });
    },
  );
  // What is left of a refused body is not read; the connection cannot be used again.
  if (!request.complete) response.setHeader('connection', 'close');
  if (answer.ok) await sendAnswer(response, answer.value);
  else sendError(response, answer.error);
  gate.log('call', {
    call: `${request.method} ${request.url?.split('?')[0]}`,
    answer: answer.ok ? 'ok' : answer.error.code,
    ms: Math.round(performance.now() - startedAt),
  });
}

async function handle(
  gate: Gate,
  server: Server,
  request: IncomingMessage,
): Promise<Result<Answer, SupervisorError>> {
  const url = new URL(request.url ?? '/', 'http://supervisor');
  const refusal = gate.token === null ? null : refuse(gate.token, server, request, url.pathname);
  if (refusal !== null) return err({ code: 'unauthorized', detail: refusal });
  const found = findRoute(request.method ?? '', url.pathname);
  if (found === null)
    return err({ code: 'not_found', detail: `There is no ${request.method} ${url.pathname}.` });
  return found.handle({ supervisor: gate.supervisor, request, query: url.searchParams, name: found.name });
}

/** The one call that is no request and answer: a terminal. */
async function upgrade(
  gate: Gate,
  server: Server,
  { request, socket, head }: Omit<Upgrade, 'query'>,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const url = new URL(request.url ?? '/', 'http://supervisor');
  const refusal = gate.token === null ? null : refuse(gate.token, server, request, url.pathname);
  if (refusal !== null) return refuseUpgrade(socket, { code: 'unauthorized', detail: refusal });
  if (url.pathname !== '/terminal')
    return refuseUpgrade(socket, { code: 'not_found', detail: `There is no WebSocket ${url.pathname}.` });
  const workspace = findTarget(gate.supervisor, request);
  if (!workspace.ok) return refuseUpgrade(socket, workspace.error);
  const upgraded = { request, socket, head, query: url.searchParams };
  const { machine, supervisor } = gate;
  const surface = { machine, confinements: supervisor.confinements };
  const refused = await openTerminal(upgraded, workspace.value, surface);
  gate.log('terminal', { directory: workspace.value.place.directory, answer: refused?.code ?? 'ok' });
  if (refused) refuseUpgrade(socket, refused);
}

function refuseUpgrade(socket: Duplex, error: SupervisorError): void {
  const body = JSON.stringify(error);
  const head = `HTTP/1.1 ${statusOf(error)} Refused\r\nContent-Type: application/json\r\n${SUPERVISOR_HEADER}: ${PROTOCOL_VERSION}`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}

function refuse(token: string, server: Server, { headers }: IncomingMessage, path: string): string | null {
  const { port } = server.address() as AddressInfo;
  if (!isOwnName(headers.host, port)) return `Call 127.0.0.1:${port} by that name.`;
  return path === '/healthz' || hasToken(headers, token) ? null : 'The token is missing or wrong.';
}

/** The HTTP server: lets in whom it may, finds the handler, and answers whatever happens in it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { err, type Result } from '../../core/result.ts';
import type { SupervisorError } from '../protocol.ts';
import { hasToken, isOwnName } from './access.ts';
import { sendAnswer, sendError, type Answer } from './http-answer.ts';
import type { Log } from './log.ts';
import { findRoute } from './routes.ts';
import type { Supervisor } from './supervisor.ts';

export interface Listening {
  readonly server: Server;
  readonly port: number;
}

interface Gate {
  readonly supervisor: Supervisor;
  /** null in a sandbox, whose network is its own. */
  readonly token: string | null;
  readonly log: Log;
}

export async function listen(gate: Gate, port: number, host: string): Promise<Listening> {
  const server = createServer((request, response) => void serve(gate, server, request, response));
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

function refuse(token: string, server: Server, { headers }: IncomingMessage, path: string): string | null {
  const { port } = server.address() as AddressInfo;
  if (!isOwnName(headers.host, port)) return `Call 127.0.0.1:${port} by that name.`;
  return path === '/healthz' || hasToken(headers, token) ? null : 'The token is missing or wrong.';
}

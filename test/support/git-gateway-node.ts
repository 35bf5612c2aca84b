/** The gateway as a Node program, so that its memory can be measured alone. Prints its port; ends with its standard input. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildGateway } from './git-gateway-entry.ts';

/** Node's fetch keeps a copy of the whole body for a redirect, unless there may be none. */
const fetchWithoutCopy: typeof fetch = (url, init) =>
  fetch(url, init?.body instanceof ReadableStream ? { ...init, redirect: 'error', window: null } : init);

const serve = buildGateway(JSON.parse(process.env['CONFIG'] ?? '{}'), fetchWithoutCopy);

const server = createServer((incoming, outgoing) => {
  const closed = new AbortController();
  outgoing.once('close', () => closed.abort());
  serve(toRequest(incoming, closed.signal)).then(
    (answer) => sendAnswer(answer, outgoing),
    (error: unknown) => outgoing.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.stdin.on('end', () => process.exit()).resume();

const toRequest = (incoming: IncomingMessage, signal: AbortSignal): Request => {
  const { method = 'GET', url = '/' } = incoming;
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(incoming);
  // Not every set of types knows `duplex`, without which Node streams nothing.
  const init = { method, headers, body, signal, duplex: 'half' } as const;
  return new Request(`http://gateway.example${url}`, init);
};

/** A cancelled body leaves the connection alone: the answer has yet to go out on it. */
const bodyOf = (incoming: IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value as Uint8Array);
      },
      cancel: () => void incoming.resume(),
    },
    { highWaterMark: 0 },
  );
};

const sendAnswer = async (answer: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  try {
    for await (const chunk of answer.body ?? []) if (!outgoing.write(chunk)) await untilDrained(outgoing);
    outgoing.end();
  } catch {
    outgoing.destroy();
  }
};

const untilDrained = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      outgoing.off('drain', go).off('close', go);
      resolve();
    };
    outgoing.on('drain', go).on('close', go);
  });

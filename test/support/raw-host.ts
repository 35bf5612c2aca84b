/** A host that speaks HTTP badly on purpose: tests see the very bytes it gets and decide what it answers. */
import { type AddressInfo, type Socket, createServer } from 'node:net';

export interface RawHost {
  /** Without a slash at the end. */
  readonly url: string;
  /** Bytes of each connection, oldest first, one character per byte. */
  readonly received: string[];
  /** Called after each piece with everything of the connection so far; what it returns is sent. */
  answer: (received: string) => string | null;
  closed(): Promise<void>;
  close(): Promise<void>;
}

export const startRawHost = async (): Promise<RawHost> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const at = host.received.push('') - 1;
    socket.on('data', (piece) => {
      host.received[at] += piece.toString('latin1');
      const reply = host.answer(host.received[at] ?? '');
      if (reply !== null) socket.write(reply);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const host: RawHost = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: () => null,
    async closed() {
      while (sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
  return host;
};

export const httpAnswer = (status: string, type: string, body: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;

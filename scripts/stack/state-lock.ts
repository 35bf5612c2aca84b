/** One server for one state folder: two would work on the same tasks, and lock each other's databases. */
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join, relative } from 'node:path';

/** Held until the process ends, however it ends: nobody listens then, and the next one takes the socket's place. */
export async function lockState(directory: string): Promise<void> {
  // The path of a socket may have about 100 bytes: seen from here it is short.
  const path = relative(process.cwd(), join(directory, 'lock.sock'));
  if (await isListening(path))
    throw new Error(
      `another server works with ${directory}: end that one first, or start this one in another folder`,
    );
  rmSync(path, { force: true });
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

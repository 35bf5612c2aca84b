/**
 * The named pipe that a script writes to. The supervisor and the script's processes all hold it open for reading and
 * writing, so nobody sees an end-of-file or a broken pipe when another one goes, and a new supervisor can open it again.
 */
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { removeFile } from './atomic-file.ts';

/** As much as one pipe can hold (Linux allows 1 MiB to a user), so a daemon that writes for ever cannot keep us reading. */
const DRAIN_BYTES = 1024 * 1024;

/** The script's side: blocking, as programs expect of stdout. The caller closes it. */
export const openWriter = (path: string): number => openSync(path, constants.O_RDWR);

export class OutputPipe {
  readonly #path: string;
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #onData: (chunk: Buffer) => void;

  constructor(path: string, onData: (chunk: Buffer) => void) {
    this.#path = path;
    this.#onData = onData;
    this.#fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.#socket = readFrom(this.#fd, onData);
  }

  /** The script is over: takes what lies in the pipe now, then lets what is left behind write into the void. */
  finish(): void {
    this.#socket.pause();
    const buffered = this.#socket.read() as Buffer | null;
    if (buffered !== null) this.#onData(buffered);
    this.#readRest();
    discard(this.#path);
    this.#socket.destroy();
  }

  #readRest(): void {
    const buffer = Buffer.alloc(64 * 1024);
    let budget = DRAIN_BYTES;
    try {
      while (budget > 0) {
        const length = readSync(this.#fd, buffer);
        if (length === 0) return;
        budget -= length;
        this.#onData(Buffer.from(buffer.subarray(0, length)));
      }
    } catch {
      // EAGAIN: the pipe is empty.
    }
  }
}

export function discardIfThere(path: string): void {
  if (existsSync(path)) discard(path);
}

/** Reads and forgets until nobody has the pipe open for writing: a daemon's log must not fill the pipe and stop it. */
function discard(path: string): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const socket = readFrom(fd, () => {});
  socket.once('close', () => removeFile(path));
  socket.unref();
}

function readFrom(fd: number, onData: (chunk: Buffer) => void): Socket {
  try {
    const socket = new Socket({ fd, readable: true, writable: false });
    socket.on('data', onData);
    socket.on('error', () => socket.destroy());
    return socket;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Programs that leave a trace when anybody runs them, and a port that leaves one when anybody connects. */
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface Canary {
  /** A shell command that leaves the trace `name`. */
  command(name: string): string;
  /** The same as an executable file. */
  program(name: string): Promise<string>;
  /** Connections leave the trace `port`. */
  readonly port: number;
  traces(): Promise<string[]>;
  forget(): Promise<void>;
  close(): Promise<void>;
}

export const startCanary = async (root: string): Promise<Canary> => {
  const traces = join(root, 'canary-traces');
  const programs = join(root, 'canary-programs');
  await mkdir(traces, { recursive: true });
  await mkdir(programs, { recursive: true });
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const command = (name: string): string => `touch '${join(traces, name)}'`;
  return {
    command,
    port: (server.address() as AddressInfo).port,
    async program(name) {
      const path = join(programs, name);
      await writeFile(path, `#!/bin/sh\n${command(name)}\nexit 0\n`);
      await chmod(path, 0o755);
      return path;
    },
    async traces() {
      return [...(await readdir(traces)), ...(connections > 0 ? ['port'] : [])].sort((a, b) =>
        a.localeCompare(b),
      );
    },
    async forget() {
      connections = 0;
      await rm(traces, { recursive: true });
      await mkdir(traces);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
};

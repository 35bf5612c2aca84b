/** The real machine behind `CliIo`. Synchronous: a command line has nothing else to do, and promises cost start-up time. */
import type { Stats } from 'node:fs';
import { fs } from './builtins.ts';

import { FileError } from './io.ts';
import type { CliIo, FilePort, ProcessPort } from './io.ts';

const codeOf = (error: unknown): string | undefined => (error as { code?: string }).code;

/** A parent that is missing or no folder means that the path itself does not exist. */
const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

const attempt = <T>(action: string, path: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    throw new FileError(action, path, REASONS[codeOf(error) ?? ''] ?? (error as Error).message);
  }
};

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EISDIR: 'a folder lies there',
  ENOTDIR: 'a parent of it is no folder',
  EEXIST: 'something lies there already',
};

const orMissing = <T, M>(missing: M, run: () => T): T | M => {
  try {
    return run();
  } catch (error) {
    if (isMissing(error)) return missing;
    throw error;
  }
};

const kindOf = (stats: Stats): 'file' | 'folder' | 'link' | 'other' => {
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
};

/** A pipe in the place of a file is read as it is, empty, instead of for ever. */
const WITHOUT_WAITING = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

export const nodeFiles: FilePort = {
  kind: (path) =>
    attempt('look at', path, () => {
      const stats = fs.lstatSync(path, { throwIfNoEntry: false });
      return stats === undefined ? undefined : kindOf(stats);
    }),
  read: (path) =>
    attempt('read', path, () => orMissing(undefined, () => fs.readFileSync(path, { flag: WITHOUT_WAITING }))),
  mode: (path) => attempt('look at', path, () => fs.statSync(path).mode & 0o777),
  list: (path) =>
    attempt('list', path, () => orMissing<string[], string[]>([], () => fs.readdirSync(path)).sort()),
  makeFolder: (path) => attempt('make the folder', path, () => void fs.mkdirSync(path, { recursive: true })),
  writeNew: (path, text, mode) =>
    attempt('write', path, () => {
      fs.writeFileSync(path, text, { flag: 'wx' });
      if (mode !== undefined) fs.chmodSync(path, mode); // exact, where the option of writeFile is less the umask
    }),
  rename: (from, to) => attempt('write', to, () => fs.renameSync(from, to)),
  remove: (path) => attempt('remove', path, () => orMissing(undefined, () => fs.unlinkSync(path))),
};

export const nodeProcesses: ProcessPort = {
  own: process.pid,
  isRunning: (id) => {
    try {
      return process.kill(id, 0);
    } catch (error) {
      return codeOf(error) === 'EPERM'; // somebody else's
    }
  },
  sleep: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/** Without Node's streams: loading them costs more time than everything that is ever written here. */
const writeAll = (descriptor: number, text: string): void => {
  let rest = Buffer.from(text);
  while (rest.length > 0) rest = rest.subarray(writeSome(descriptor, rest));
};

const RETRY_MS = 5; // a full pipe that does not block

const writeSome = (descriptor: number, bytes: Uint8Array): number => {
  try {
    return fs.writeSync(descriptor, bytes);
  } catch (error) {
    if (codeOf(error) === 'EPIPE') return bytes.length; // the reader, such as head, has seen enough
    if (codeOf(error) !== 'EAGAIN') throw error;
    nodeProcesses.sleep(RETRY_MS);
    return 0;
  }
};

/** The terminal module loads sockets, so it is asked only about what can be a terminal at all. */
const isTerminal = (descriptor: number): boolean => {
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isCharacterDevice() || stats.rdev === nullDevice()) return false;
  } catch {
    return false; // closed
  }
  return process.getBuiltinModule('node:tty').isatty(descriptor);
};

/** Scripts like to connect it, and it is a character device as well. */
const nullDevice = (): number | undefined => fs.statSync('/dev/null', { throwIfNoEntry: false })?.rdev;

export const nodeIo = (): CliIo => ({
  cwd: process.cwd(),
  env: process.env,
  get isTty() {
    return isTerminal(1) && isTerminal(0);
  },
  stdout: { write: (text) => writeAll(1, text) },
  stderr: { write: (text) => writeAll(2, text) },
  files: nodeFiles,
  processes: nodeProcesses,
  ask: async (question) => {
    const { createInterface } = await import('node:readline/promises');
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  },
});

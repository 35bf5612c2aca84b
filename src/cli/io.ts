/** Everything that the command touches outside itself. Tests hand in their own; `node-io.ts` is the real one. */

export interface FilePort {
  /** What lies there, links not followed; `undefined` when nothing does. */
  kind(path: string): 'file' | 'folder' | 'link' | 'other' | undefined;
  /** Whole content; `undefined` when there is no such file. */
  read(path: string): Uint8Array | undefined;
  /** Permission bits of a file that exists. */
  mode(path: string): number;
  /** Names in a folder, sorted; none when it is missing. */
  list(path: string): string[];
  /** With all its parents; no error when it is there. */
  makeFolder(path: string): void;
  /** Fails when something lies there, so no link is ever written through. Without `mode`, the usual one of a new file. */
  writeNew(path: string, text: string, mode: number | undefined): void;
  /** Replaces what lies at `to`, in one step. */
  rename(from: string, to: string): void;
  /** No error when it is gone already. */
  remove(path: string): void;
}

export interface ProcessPort {
  readonly own: number;
  isRunning(id: number): boolean;
  sleep(ms: number): void;
}

export interface CliIo {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether a person sits in front of standard input and output. */
  readonly isTty: boolean;
  stdout: { write(text: string): void };
  stderr: { write(text: string): void };
  files: FilePort;
  processes: ProcessPort;
  /** One line from the person. Only called when `isTty`. */
  ask(question: string): Promise<string>;
}

/** A file operation that failed for a reason of the machine: rights, space, a folder in the way. */
export class FileError extends Error {
  readonly path: string;
  readonly reason: string;

  constructor(action: string, path: string, reason: string) {
    super(`Cannot ${action} ${path}: ${reason}.`);
    this.path = path;
    this.reason = reason;
  }
}

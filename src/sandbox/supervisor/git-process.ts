/** Runs git: with a clean environment, bounded output, and an end — the whole process group dies with the operation. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { allowedProtocols, cleanEnvironment } from '../../core/git.ts';
import {
  classifyFailure,
  type GitAnswer,
  type GitFailure,
  type RemoteNames,
} from '../../core/git-failure.ts';
import { err, ok, type Result } from '../../core/result.ts';
import type { Place } from './place.ts';

/** An answer that we keep in memory; ten thousand branches are about 1 MB. */
const MAX_STDOUT_BYTES = 64 * 1024 * 1024;
const MAX_STDERR_BYTES = 64 * 1024;
/** Git removes its temporary files on TERM; then it is killed. */
const KILL_AFTER_MS = 1000;

/** What all git processes of one operation share. */
export interface GitSession {
  readonly place: Place;
  readonly remote: RemoteNames | null;
  readonly env: Readonly<Record<string, string>>;
  /** Aborted by the caller or by the operation's own timeout. */
  readonly signal: AbortSignal;
  readonly timeout: AbortSignal;
}

export interface GitCommand {
  args: readonly string[];
  /** For messages: `Fetching the repository`. */
  what: string;
  cwd: string;
  env?: Readonly<Record<string, string>>;
  input?: string | Uint8Array;
  /** Takes the output piece by piece instead of keeping it; `stop` ends git as over its limit. */
  onStdout?: (chunk: Buffer) => 'go on' | 'stop';
  /** Exit codes that are answers, besides 0. */
  accept?: readonly number[];
}

export interface GitOutput {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
}

export const gitFolder = (place: Place): string => join(place.stateDirectory, 'git');

export function openSession(
  place: Place,
  remote: RemoteNames | null,
  limit: { timeoutMs: number; signal: AbortSignal },
): GitSession {
  const timeout = AbortSignal.timeout(Math.max(1, limit.timeoutMs - earlierMs(limit.timeoutMs)));
  const env = {
    ...withoutGitNames(place.gitEnv),
    // Nothing is ever created there: no .gitconfig, no .netrc.
    ...cleanEnvironment(join(gitFolder(place), 'no-home')),
    GIT_ALLOW_PROTOCOL: allowedProtocols(remote?.url ?? null),
  };
  return { place, remote, env, timeout, signal: AbortSignal.any([limit.signal, timeout]) };
}

/** The same session with less time: for work that the operation can do without. */
export function lessTime(session: GitSession, timeoutMs: number): GitSession {
  const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  return { ...session, timeout, signal: AbortSignal.any([session.signal, timeout]) };
}

/** Of git's own variables only those for certificates: any other could name a program, a repository or a file. */
const withoutGitNames = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || name.startsWith('GIT_SSL_CA')),
  );

/** Before the operation's own timer, so that the answer can still say what timed out. */
const earlierMs = (timeoutMs: number): number => Math.min(250, Math.floor(timeoutMs / 20));

export async function runGit(
  session: GitSession,
  command: GitCommand,
): Promise<Result<GitOutput, GitFailure>> {
  const answer = await answerOf(session, command);
  const accepted = answer.exitCode !== null && [0, ...(command.accept ?? [])].includes(answer.exitCode);
  if (answer.stopped === null && answer.exitCode !== null && accepted) {
    return ok({ exitCode: answer.exitCode, stdout: answer.bytes, stderr: answer.stderr });
  }
  return err(classifyFailure(command.what, answer, session.remote));
}

type Answer = GitAnswer & { bytes: Buffer };

function answerOf(session: GitSession, command: GitCommand): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const stdout = new Kept(MAX_STDOUT_BYTES);
  const stderr = new Kept(MAX_STDERR_BYTES);
  let stopped: GitAnswer['stopped'] = null;
  const end = (exitCode: number | null) => {
    session.signal.removeEventListener('abort', abort);
    const bytes = stdout.bytes();
    resolve({ exitCode, stdout: bytes.toString(), stderr: stderr.bytes().toString(), bytes, stopped });
  };
  const stop = (cause: NonNullable<GitAnswer['stopped']>) => {
    stopped ??= cause;
    killGroup(child);
  };
  const abort = () => stop(session.timeout.aborted ? 'timeout' : 'cancelled');

  const child = spawn('git', command.args, {
    cwd: command.cwd,
    env: { ...session.env, ...command.env },
    detached: true,
    stdio: [command.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.on('error', (error) => {
    stderr.add(Buffer.from(`git could not be started: ${error.message}\n`));
    if (child.pid === undefined) end(null);
  });
  child.on('close', (exitCode) => end(exitCode));
  child.stdout?.on('data', (chunk: Buffer) => {
    if (command.onStdout !== undefined) {
      if (command.onStdout(chunk) === 'stop') stop('output');
    } else if (!stdout.add(chunk)) stop('output');
  });
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
  // A git that ends early breaks the pipe; its exit code says why.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(command.input);
  session.signal.addEventListener('abort', abort);
  if (session.signal.aborted) abort();
  return promise;
}

/** The first bytes up to a limit; `add` tells whether all of them fitted. */
class Kept {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): boolean {
    const room = this.#limit - this.#bytes;
    if (room > 0) this.#chunks.push(chunk.subarray(0, room));
    this.#bytes += chunk.length;
    return chunk.length <= room;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** git-remote-http and pack-objects are in git's group; the leader's exit alone would leave them. */
function killGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  signalGroup(pid, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), KILL_AFTER_MS);
  child.once('close', () => {
    clearTimeout(timer);
    signalGroup(pid, 'SIGKILL');
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // The group is gone.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The process of one script, started by us or found again: tells how it went, takes signals, and is let go at the end. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadText } from './atomic-file.ts';
import { parseExit, type ExitStatus } from './exit-status.ts';
import type { OperationFolder } from './operation-record.ts';
import { openWriter } from './output-pipe.ts';
import { signal } from './process-killer.ts';
import { WRAPPER } from './script-command.ts';
import { isAlive, parseWrapper, type WrapperProcess } from './wrapper-process.ts';

const POLL_MS = 50;
/** A wrapper writes its first line within milliseconds of its start. */
const FIRST_LINE_MS = 500;

/** `vanished`: the wrapper is gone and nobody knows how the script ended. */
export type Passing = { kind: 'exited'; status: ExitStatus; atMs: number } | { kind: 'vanished' };

export interface Launch {
  readonly bash: string;
  /** The argument vector that runs the script. */
  readonly command: readonly string[];
  readonly directory: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

export class ScriptProcess {
  readonly #folder: OperationFolder;
  #child: ChildProcess | null = null;

  constructor(folder: OperationFolder) {
    this.#folder = folder;
  }

  /** Throws or rejects where the machine refuses to start it. Its promise settles when the script is over. */
  async start(launch: Launch): Promise<Passing> {
    const { folder, child } = { folder: this.#folder, child: this.#spawn(launch) };
    this.#child = child;
    child.stdin?.on('error', () => {});
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.stdout?.once('data', (line: Buffer) => {
        const status = readExit(folder) ?? { code: Number.parseInt(line.toString(), 10), signal: null };
        resolve({ kind: 'exited', status, atMs: Date.now() });
      });
      child.once('exit', () => resolve(this.passing() ?? { kind: 'vanished' }));
    });
  }

  /** Settles when the script that another supervisor started is over, at once where it is already. */
  async adopt(): Promise<Passing> {
    const wrapper = await this.#findWrapper();
    for (;;) {
      const gone = wrapper === null || !isAlive(wrapper);
      const passing = this.passing();
      if (passing !== null) return passing;
      if (gone) return { kind: 'vanished' };
      await sleep(POLL_MS);
    }
  }

  /** null while it runs. */
  passing(): Passing | null {
    const status = readExit(this.#folder);
    if (status === null) return null;
    return { kind: 'exited', status, atMs: Math.round(statSync(this.#folder.file('exit')).mtimeMs) };
  }

  /** The process group that the script's shell leads. */
  async signalScript(name: NodeJS.Signals): Promise<void> {
    const wrapper = await this.#findWrapper();
    if (wrapper !== null && isAlive(wrapper)) signal(-wrapper.scriptGroup, name);
  }

  /** Everything is read and written down: the wrapper may go. */
  async release(): Promise<void> {
    if (this.#child !== null) {
      this.#child.stdin?.end('done\n');
      return;
    }
    const wrapper = await this.#findWrapper();
    if (wrapper !== null && isAlive(wrapper)) signal(wrapper.pid, 'SIGKILL');
  }

  #spawn({ bash, command, directory, env }: Launch): ChildProcess {
    const folder = this.#folder;
    const files: number[] = [];
    try {
      files.push(openSync(folder.file('wrapper.log'), 'a', 0o600));
      files.push(openWriter(folder.file('stdout.pipe')), openWriter(folder.file('stderr.pipe')));
      return spawn(bash, ['-p', '-c', WRAPPER, 'edge-harness', folder.path, ...command], {
        cwd: directory,
        env,
        detached: true,
        stdio: ['pipe', 'pipe', ...files],
      });
    } finally {
      for (const fd of files) closeSync(fd);
    }
  }

  async #findWrapper(): Promise<WrapperProcess | null> {
    const deadline = performance.now() + FIRST_LINE_MS;
    for (;;) {
      const wrapper = parseWrapper(loadText(this.#folder.file('process')));
      if (wrapper !== null || performance.now() > deadline) return wrapper;
      await sleep(10);
    }
  }
}

const readExit = (folder: OperationFolder): ExitStatus | null =>
  parseExit(loadText(folder.file('exit')), loadText(folder.file('wrapper.log')) ?? '');

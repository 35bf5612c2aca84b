/** One operation in memory: its record, its output, its end, and those who wait for it. How it runs is a runner's concern. */
import { AGENT_OUTPUT, HOOK_OUTPUT } from '../protocol.ts';
import type { Ending, OperationEnd, OperationFolder, OperationRecord } from './operation-record.ts';
import { OutputFile } from './output-file.ts';

export class Operation {
  readonly folder: OperationFolder;
  readonly record: OperationRecord;
  readonly stdout: OutputFile;
  readonly stderr: OutputFile;
  #end: OperationEnd | null;
  #stop: ((cause: Ending['cause']) => Promise<void>) | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(folder: OperationFolder, record: OperationRecord) {
    this.folder = folder;
    this.record = record;
    this.#end = folder.loadEnd();
    const limits = record.role === 'agent' ? AGENT_OUTPUT : HOOK_OUTPUT;
    this.stdout = new OutputFile(folder.file('stdout'), limits);
    this.stderr = new OutputFile(folder.file('stderr'), limits);
  }

  get end(): OperationEnd | null {
    return this.#end;
  }

  /** The runner says how the operation is ended before its time; its promise settles when the processes are gone. */
  onStop(stop: (cause: Ending['cause']) => Promise<void>): void {
    this.#stop = stop;
  }

  /** Does nothing to an operation that has ended. */
  async stop(cause: Ending['cause']): Promise<void> {
    if (this.#end === null) await this.#stop?.(cause);
  }

  finish(end: OperationEnd): void {
    if (this.#end !== null) return;
    this.stdout.close();
    this.stderr.close();
    this.#end = end;
    try {
      this.folder.saveEnd(end);
    } catch {
      // A full disk: whoever asks now is told, and after a restart the wrapper's own record has to do.
    }
    this.announce();
  }

  /** What a script printed leaves the disk; its end stays. Nothing happens while it runs. */
  forgetOutput(): void {
    if (this.#end === null) return;
    this.stdout.forget();
    this.stderr.forget();
  }

  /** New output, or the end. */
  announce(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Settles with the next news, or after `ms`. */
  async news(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }
}

const NOTHING = { clone: null, save: null, snapshot: null, restore: null };

export const buildEnd = (
  end: Pick<OperationEnd, 'outcome'> & Partial<OperationEnd>,
  endedAtMs: number,
): OperationEnd => ({
  exit_code: null,
  signal: null,
  detail: null,
  ended_at_ms: endedAtMs,
  ...NOTHING,
  ...end,
});

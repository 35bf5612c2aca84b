/** Takes one script from its start, or from where another supervisor left it, to its end. The first cause of an end wins. */
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../protocol.ts';
import type { ExitStatus } from './exit-status.ts';
import { removeFile } from './atomic-file.ts';
import { buildEnd, type Operation } from './operation.ts';
import { outcomeOfEnding, type Ending, type OperationFolder } from './operation-record.ts';
import { OutputPipe } from './output-pipe.ts';
import type { PipeSupply } from './pipe-supply.ts';
import { isLongScript } from './script-command.ts';
import { ScriptProcess, type Launch, type Passing } from './script-process.ts';

/** Between TERM and KILL. */
const GRACE_MS = 2_000;
const POLL_MS = 50;

/** What a run needs of the workspace around it. */
export interface Surroundings {
  readonly pipes: PipeSupply;
  /** Whether a process of this operation besides its wrapper is alive. */
  isBusy(operation: Operation): boolean;
  /** Where it runs in a container whose client is gone. */
  endContainer(operation: Operation): Promise<void>;
  /** Kills everything of this operation; answers how many are left. */
  killOperation(operation: Operation): Promise<number>;
  /** Kills everything of the workspace that no other running operation owns; answers how many are left. */
  killLeftovers(operation: Operation): Promise<number>;
}

export class ScriptRun {
  readonly #operation: Operation;
  readonly #surroundings: Surroundings;
  readonly #process: ScriptProcess;
  #pipes: OutputPipe[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The one way to the end that was taken. */
  #ending: Promise<void> | null = null;

  constructor(operation: Operation, surroundings: Surroundings) {
    this.#operation = operation;
    this.#surroundings = surroundings;
    this.#process = new ScriptProcess(operation.folder);
    operation.onStop((cause) => this.#stop(cause));
  }

  /** A long script goes through a file, which is gone when the operation ends. Returns when it runs, or has failed to. */
  async start(launch: Launch, script: string): Promise<void> {
    const { folder } = this.#operation;
    try {
      if (isLongScript(script)) writeFileSync(folder.file('script'), script, { mode: 0o600 });
      await this.#surroundings.pipes.take(folder.file('stdout.pipe'));
      await this.#surroundings.pipes.take(folder.file('stderr.pipe'));
      // Stopped meanwhile.
      if (this.#ending !== null) return;
      this.#openPipes();
      void this.#follow(this.#process.start(launch));
      this.#armTimer();
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** Goes on with a script whose supervisor died. */
  adopt(): void {
    const { folder } = this.#operation;
    if (existsSync(folder.file('stdout.pipe'))) this.#openPipes();
    if (folder.loadEnding() !== null) {
      void this.#stop('cancelled');
      return;
    }
    // Checked before the timer is armed: a script may have ended in time while nobody looked.
    const passed = this.#process.passing();
    if (passed !== null) {
      this.#pass(passed);
      return;
    }
    this.#armTimer();
    void this.#follow(this.#process.adopt());
  }

  async #follow(passing: Promise<Passing>): Promise<void> {
    try {
      this.#pass(await passing);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #openPipes(): void {
    const { folder, stdout, stderr } = this.#operation;
    this.#pipes = [stdout, stderr].map((output, index) => {
      const path = folder.file(index === 0 ? 'stdout.pipe' : 'stderr.pipe');
      return new OutputPipe(path, (chunk) => {
        output.append(chunk);
        this.#operation.announce();
      });
    });
  }

  #armTimer(): void {
    this.#timer = setTimeout(() => void this.#stop('timeout'), Math.max(0, this.#deadlineMs() - Date.now()));
  }

  #deadlineMs(): number {
    const { started_at_ms, timeout_ms } = this.#operation.record;
    return started_at_ms + timeout_ms;
  }

  #pass(how: Passing): void {
    this.#ending ??= how.kind === 'exited' ? this.#conclude(how.status, how.atMs) : this.#lose();
  }

  async #conclude(status: ExitStatus, atMs: number): Promise<void> {
    // A shell in a container that was killed is an exit of the docker client: here the client itself was.
    if (status.signal !== null) await this.#surroundings.endContainer(this.#operation);
    // Nobody was there to end it in time, but it was out of time all the same.
    const isLate = atMs > this.#deadlineMs() + GRACE_MS;
    await this.#finish(isLate ? 'timeout' : outcomeOf(status), status, atMs);
  }

  async #lose(): Promise<void> {
    await this.#surroundings.killOperation(this.#operation);
    await this.#finish('lost', NO_STATUS, Date.now());
  }

  #refuse(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#ending ??= this.#finish(
      'failed',
      NO_STATUS,
      Date.now(),
      `The shell could not be started: ${reason}`,
    );
  }

  #stop(cause: Ending['cause']): Promise<void> {
    this.#ending ??= this.#terminate(cause);
    return this.#ending;
  }

  async #terminate(cause: Ending['cause']): Promise<void> {
    const { folder } = this.#operation;
    saveEnding(folder, cause);
    const first = folder.loadEnding()?.cause ?? cause;
    // Looked at before the first signal: a child without marker and session is known by its parent only while that lives.
    this.#surroundings.isBusy(this.#operation);
    await this.#process.signalScript('SIGTERM');
    const graceEnds = performance.now() + GRACE_MS;
    while (performance.now() < graceEnds && this.#surroundings.isBusy(this.#operation)) await sleep(POLL_MS);
    const passed = this.#process.passing();
    await this.#process.signalScript('SIGKILL');
    const left = await this.#surroundings.killOperation(this.#operation);
    const status = passed?.kind === 'exited' ? passed.status : NO_STATUS;
    const reason = first === 'shutdown' ? 'The sandbox was ended while the script ran.' : undefined;
    await this.#finish(outcomeOfEnding(first), status, Date.now(), reason, left);
  }

  async #finish(
    outcome: Outcome,
    status: ExitStatus,
    atMs: number,
    reason?: string,
    unkilled = 0,
  ): Promise<void> {
    const { folder, record } = this.#operation;
    clearTimeout(this.#timer);
    for (const pipe of this.#pipes) pipe.finish();
    const left =
      record.leftovers === 'kill' ? await this.#surroundings.killLeftovers(this.#operation) : unkilled;
    removeFile(folder.file('script'));
    const detail = [reason ?? describe(outcome, status, record.timeout_ms), describeLeft(left)].join('');
    const end = {
      outcome,
      exit_code: status.code,
      signal: status.signal,
      detail: detail === '' ? null : detail,
    };
    this.#operation.finish(buildEnd(end, atMs));
    await this.#process.release();
    void this.#surroundings.pipes.fill();
  }
}

/** A full disk must not keep a script alive. */
function saveEnding(folder: OperationFolder, cause: Ending['cause']): void {
  try {
    folder.saveEnding({ cause, at_ms: Date.now() });
  } catch {
    // A restarted supervisor would find the script still running, and end it by its timeout.
  }
}

const NO_STATUS: ExitStatus = { code: null, signal: null };

function outcomeOf(status: ExitStatus): Outcome {
  if (status.signal !== null) return 'killed';
  return status.code === 0 ? 'ok' : 'failed';
}

function describe(outcome: Outcome, status: ExitStatus, timeoutMs: number): string {
  switch (outcome) {
    case 'ok':
      return '';
    case 'failed':
      return `The script exited with ${status.code}.`;
    case 'killed':
      return `The script's shell was killed by ${status.signal}.`;
    case 'timeout':
      return `The script ran longer than ${timeoutMs} ms and was ended.`;
    case 'cancelled':
      return 'The script was cancelled.';
    case 'lost':
      return 'The process that watched the script is gone, and with it how the script ended.';
    default:
      return outcome satisfies never;
  }
}

const describeLeft = (left: number): string =>
  left === 0 ? '' : ` ${left} of its processes could not be killed.`;

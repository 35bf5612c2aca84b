/** Follows the output of one operation while somebody reads along: polled beside the effect that waits for its end, masked, kept within bounds. */
import { gatherMs, HOLD_MS } from '../src/core/output-pace.ts';
import type { Masker, MaskStream } from '../src/core/redact.ts';
import type { SupervisorClient, Target } from '../src/sandbox/client.ts';
import type { OperationView } from '../src/sandbox/protocol.ts';
import { pause } from './effects/context.ts';

export interface OutputEvent {
  attempt: number | null;
  /** `before_run` …, or `agent`. */
  hook: string;
  operation: string;
  stream: 'stdout' | 'stderr';
  /** Bytes of this stream before this text. */
  offset: number;
  text: string;
  /** Bytes between the text before and this one that are no longer kept. */
  missing_bytes: number;
}

export interface TailSource {
  client: SupervisorClient;
  target: Target;
  masker(): Promise<Masker>;
  /** Somebody reads, and the operation may still run. */
  isWanted(): boolean;
  publish(event: OutputEvent): void;
}

const WAIT_MS = 20_000;
const NOT_YET_MS = 150;
/** What a reader that comes later is told of what was before. */
const KEPT_CHARACTERS = 512 * 1024;

type Name = 'stdout' | 'stderr';
const STREAMS: readonly Name[] = ['stdout', 'stderr'];

export class OutputTail {
  readonly operation: string;
  readonly #about: Pick<OutputEvent, 'attempt' | 'hook' | 'operation'>;
  readonly #source: TailSource;
  readonly #offsets = { stdout: 0, stderr: 0 };
  #kept: OutputEvent[] = [];
  #keptLength = 0;

  constructor(about: Pick<OutputEvent, 'attempt' | 'hook' | 'operation'>, source: TailSource) {
    this.operation = about.operation;
    this.#about = about;
    this.#source = source;
  }

  /** For a reader that has just come. */
  get kept(): readonly OutputEvent[] {
    return this.#kept;
  }

  /** Ends with the operation, or when nobody reads any more. Never rejects for the sandbox's sake. */
  async run(): Promise<void> {
    let streams: Record<Name, MaskStream> | null = null;
    for (let polls = 0; this.#source.isWanted(); polls += 1) {
      const isHolding = streams !== null && (streams.stdout.isHolding || streams.stderr.isHolding);
      const view = await this.#poll(isHolding ? HOLD_MS : WAIT_MS);
      if (view === null) {
        await pause(NOT_YET_MS);
        continue;
      }
      // Not before: what an operation was started with is remembered by now.
      streams ??= await this.#openStreams();
      if (this.#take(view, streams)) {
        await pause(gatherMs(polls));
        continue;
      }
      for (const name of STREAMS) this.#emit(name, this.#offsets[name], streams[name].flush(), 0);
      if (view.state === 'ended') return;
    }
  }

  async #openStreams(): Promise<Record<Name, MaskStream>> {
    const masker = await this.#source.masker();
    return { stdout: masker.stream(), stderr: masker.stream() };
  }

  async #poll(waitMs: number): Promise<OperationView | null> {
    const { client, target } = this.#source;
    const polled = await client.poll(target, this.operation, {
      waitMs,
      output: 'none',
      stdoutOffset: this.#offsets.stdout,
      stderrOffset: this.#offsets.stderr,
    });
    return polled.kind === 'answer' ? polled.value : null;
  }

  #take(view: OperationView, streams: Record<Name, MaskStream>): boolean {
    let hadText = false;
    for (const name of STREAMS) {
      const chunk = view.chunks?.[name];
      if (!chunk) continue;
      const missing = Math.max(0, chunk.from - this.#offsets[name]);
      this.#offsets[name] = chunk.next;
      hadText ||= chunk.text !== '';
      this.#emit(name, chunk.from, streams[name].push(chunk.text), missing);
    }
    return hadText;
  }

  #emit(stream: Name, offset: number, text: string, missingBytes: number): void {
    if (text === '' && missingBytes === 0) return;
    const event: OutputEvent = { ...this.#about, stream, offset, text, missing_bytes: missingBytes };
    this.#keep(event);
    this.#source.publish(event);
  }

  #keep(event: OutputEvent): void {
    this.#kept.push(event);
    this.#keptLength += event.text.length;
    while (this.#keptLength > KEPT_CHARACTERS && this.#kept.length > 1) {
      const [first, ...rest] = this.#kept;
      this.#keptLength -= first?.text.length ?? 0;
      this.#kept = rest;
    }
  }
}

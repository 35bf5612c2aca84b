/** Server-Sent Events of one object to any number of readers: formats, heartbeats, and an end for readers that don't keep up. */

/** A proxy drops a connection that is silent for longer. */
const HEARTBEAT_MS = 15_000;
/** What waits for a slow reader; then its stream ends, and it comes back with its last id. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** How soon a reader asks again after its connection broke. */
const RETRY_MS = 1_000;

export interface StreamEvent {
  /** Only what can be resumed from has one. */
  id: number | null;
  name: string;
  data: unknown;
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

export class EventStreams {
  readonly #readers = new Set<Controller>();
  readonly #onEmpty: () => void;
  #heartbeat: ReturnType<typeof setInterval> | null = null;

  constructor(onEmpty: () => void = () => undefined) {
    this.#onEmpty = onEmpty;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** `first` is sent before anything that is published later. */
  open(first: Iterable<StreamEvent>): ReadableStream<Uint8Array> {
    let own: Controller | null = null;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          own = controller;
          controller.enqueue(encode(`retry: ${RETRY_MS}\n\n`));
          for (const event of first) controller.enqueue(encode(formatEvent(event)));
          this.#add(controller);
        },
        cancel: () => {
          if (own) this.#drop(own);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
    );
  }

  publish(events: Iterable<StreamEvent>): void {
    if (this.#readers.size === 0) return;
    for (const event of events) this.#send(formatEvent(event));
  }

  #send(text: string): void {
    const bytes = encode(text);
    for (const reader of this.#readers) {
      if ((reader.desiredSize ?? 0) <= 0) this.#end(reader);
      else reader.enqueue(bytes);
    }
  }

  #end(reader: Controller): void {
    this.#drop(reader);
    try {
      reader.close();
    } catch {
      // Its other end went away first.
    }
  }

  #add(reader: Controller): void {
    this.#readers.add(reader);
    this.#heartbeat ??= setInterval(() => this.#send(': still here\n\n'), HEARTBEAT_MS);
  }

  #drop(reader: Controller): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
    this.#heartbeat = null;
    this.#onEmpty();
  }
}

const encoder = new TextEncoder();
const encode = (text: string): Uint8Array => encoder.encode(text);

/** JSON has no raw line breaks, so one `data` line is enough. */
const formatEvent = ({ id, name, data }: StreamEvent): string =>
  `${id === null ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

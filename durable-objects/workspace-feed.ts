/** A workspace's live events: its stored story, resumed by number, and the output of what runs now. */
import type { State } from '../src/core/lifecycle/state.ts';
import { viewAttempt, viewWorkspace } from './attempt-reader.ts';
import { EventStreams, type StreamEvent } from './event-streams.ts';
import { type OutputEvent, OutputTail, type TailSource } from './output-tail.ts';
import type { StoredEvent } from './rpc.ts';
import type { WorkspaceStore } from './workspace-store.ts';

/** Notes for the log alone have other names. */
const SHOWN: ReadonlySet<string> = new Set(['workspace', 'attempt', 'hook', 'save', 'removal']);
const SCRIPTS: ReadonlySet<string> = new Set([
  'after_create',
  'before_run',
  'agent',
  'after_run',
  'before_remove',
]);
/** How long the output of an operation that the stage has left is still asked for. */
const LAST_WORDS_MS = 10_000;
/** More events than a store keeps. */
const ALL = 10_000;

export class WorkspaceFeed {
  readonly #store: WorkspaceStore;
  readonly #source: (state: State) => Pick<TailSource, 'client' | 'target' | 'masker'>;
  readonly #streams = new EventStreams();
  #sent: number;
  /** By operation. */
  readonly #tails = new Map<string, Followed>();

  constructor(
    store: WorkspaceStore,
    source: (state: State) => Pick<TailSource, 'client' | 'target' | 'masker'>,
  ) {
    this.#store = store;
    this.#source = source;
    this.#sent = store.lastEvent();
  }

  /** `after` null: from now on. The present workspace comes first, so that nothing is missed between asking and reading. */
  open(state: State, after: number | null): ReadableStream<Uint8Array> {
    this.#flush(state);
    const missed = after === null ? [] : this.#store.events(after, ALL);
    const now: StreamEvent = { id: this.#sent, name: 'workspace', data: viewWorkspace(state) };
    const output = [...this.#tails.values()].flatMap(({ tail }) => tail?.kept ?? []).map(asOutput);
    const stream = this.#streams.open([
      ...missed.flatMap((event) => this.#view(state, event)),
      now,
      ...output,
    ]);
    this.#follow(state);
    return stream;
  }

  /** After every commit. */
  notify(state: State): void {
    this.#flush(state);
    this.#follow(state);
  }

  #flush(state: State): void {
    const fresh = this.#store.events(this.#sent, ALL);
    this.#sent = fresh.at(-1)?.seq ?? this.#sent;
    if (!this.#streams.hasReaders) return;
    this.#streams.publish(fresh.flatMap((event) => this.#view(state, event)));
    // The phase moves on without a note, too.
    if (!fresh.some(({ name }) => name === 'workspace'))
      this.#streams.publish([{ id: null, name: 'workspace', data: viewWorkspace(state) }]);
  }

  #view(state: State, { seq, name, data }: StoredEvent): StreamEvent[] {
    if (!SHOWN.has(name)) return [];
    const note = JSON.parse(data) as Record<string, unknown>;
    if (name === 'workspace') return [{ id: seq, name, data: viewWorkspace(state) }];
    if (name !== 'attempt') return [{ id: seq, name, data: note }];
    const attempt = this.#store.attempt(Number(note['number']));
    return attempt ? [{ id: seq, name, data: viewAttempt(this.#store, state, attempt, 'summary') }] : [];
  }

  /** The operation of the stage gets a tail; one that the stage has left may still bring its last words. */
  #follow(state: State): void {
    const { stage } = state;
    const operation = stage.name === 'work' || stage.name === 'removal' ? stage.operation : null;
    for (const [id, followed] of this.#tails) {
      if (id === operation) continue;
      followed.leftAtMs ??= Date.now();
      if (followed.isOver) this.#tails.delete(id);
    }
    if (!this.#streams.hasReaders || operation === null || this.#tails.has(operation)) return;
    if (stage.name !== 'work' && stage.name !== 'removal') return;
    if (SCRIPTS.has(stage.phase)) this.#start(state, operation, stage.phase, stage.name === 'work');
  }

  #start(state: State, operation: string, hook: string, isAttempt: boolean): void {
    const attempt = isAttempt ? (state.attempt?.number ?? null) : null;
    const followed: Followed = { leftAtMs: null, isOver: false, tail: null };
    const isWanted = () =>
      this.#streams.hasReaders && (followed.leftAtMs ?? Date.now()) > Date.now() - LAST_WORDS_MS;
    const publish = (event: OutputEvent) => this.#streams.publish([asOutput(event)]);
    const tail = new OutputTail({ attempt, hook, operation }, { ...this.#source(state), isWanted, publish });
    followed.tail = tail;
    this.#tails.set(operation, followed);
    const end = (): void => {
      followed.isOver = true;
      // Without readers it stopped early: the next one gets a tail from the start.
      if (followed.leftAtMs !== null || !this.#streams.hasReaders) this.#tails.delete(operation);
    };
    tail.run().then(end, (thrown: unknown) => {
      console.error(JSON.stringify({ at: 'output', error: String(thrown) }));
      end();
    });
  }
}

interface Followed {
  tail: OutputTail | null;
  /** When the stage moved on to something else. */
  leftAtMs: number | null;
  isOver: boolean;
}

const asOutput = (event: OutputEvent): StreamEvent => ({ id: null, name: 'output', data: event });

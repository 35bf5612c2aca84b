/** The workspace's SQLite tables: SQL and row parsing only, no decisions. */
import type { Effect } from '../src/core/lifecycle/effect.ts';
import type { Note } from '../src/core/lifecycle/event.ts';
import type { Attempt, State } from '../src/core/lifecycle/state.ts';
import type { KeptOutput } from '../src/sandbox/protocol.ts';
import { ANSWER_TABLE } from './answer-table.ts';
import { GRANT_ENDS, GRANT_TABLE } from './grant-table.ts';
import { HANDED_SECRET_TABLE } from './handed-secrets.ts';
import { migrate } from './migrations.ts';
import type { StoredEvent } from './rpc.ts';

const MIGRATIONS = [
  `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
   CREATE TABLE effect (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, command TEXT NOT NULL);
   CREATE TABLE attempt (number INTEGER PRIMARY KEY, value TEXT NOT NULL);
   CREATE TABLE output (operation TEXT NOT NULL, stream TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, total_bytes INTEGER NOT NULL, truncated INTEGER NOT NULL, PRIMARY KEY (operation, stream, part));
   CREATE TABLE event (seq INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL);
   ${ANSWER_TABLE}
   ${GRANT_TABLE}`,
  GRANT_ENDS,
  'ALTER TABLE effect ADD COLUMN issued_at_ms INTEGER NOT NULL DEFAULT 0;',
  'CREATE TABLE incarnation (creation_id TEXT PRIMARY KEY);',
  HANDED_SECRET_TABLE,
];

/** A SQLite value of a Durable Object holds 2 MB; a part of this many UTF-16 units stays below it in UTF-8. */
const PART_LENGTH = 500_000;
/** Of at least 80 attempts, and far below the 10 GB that an object may hold; what older ones printed is dropped. */
const MAX_OUTPUT_PARTS = 2000;
/** Enough to tell a workspace's whole story; older ones are dropped. */
const MAX_EVENTS = 2000;

/** Journalled before it was started. */
export interface StoredEffect extends Effect {
  issuedAtMs: number;
}

export class WorkspaceStore {
  readonly #storage: DurableObjectStorage;
  #state: State | null | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    migrate(storage, MIGRATIONS);
  }

  /** Everything goes, tables included; a dispatch that comes while the object is still there starts from empty ones. */
  async clear(): Promise<void> {
    await this.#storage.deleteAll();
    migrate(this.#storage, MIGRATIONS);
    this.#state = null;
  }

  load(): State | null {
    if (this.#state === undefined) {
      const value = this.meta('state');
      this.#state = value === null ? null : (JSON.parse(value) as State);
    }
    return this.#state;
  }

  /** State, effects, the attempt's record and notes in one transaction: all of a step or nothing of it. */
  commit(step: { state: State; effects: Effect[]; notes: Note[]; done: string | null; atMs: number }): void {
    const { state, effects, notes, done, atMs } = step;
    this.#storage.transactionSync(() => {
      if (this.load()?.generation !== state.generation) this.#forgetGeneration();
      this.setMeta('state', JSON.stringify(state));
      this.setMeta('version', String(Math.max(this.version() + 1, atMs)));
      if (state.creationId !== null) this.#rememberIncarnation(state.creationId);
      if (done !== null) this.deleteEffect(done);
      for (const effect of effects) this.#insertEffect(effect, state, atMs);
      if (state.attempt) this.#upsertAttempt(state.attempt);
      for (const { event, data } of notes) this.#insertEvent(atMs, event, data);
    });
    this.#state = state;
  }

  /** A removed workspace's key starts anew: numbers, attempts and outputs of the old one are not the new one's. */
  #forgetGeneration(): void {
    for (const table of ['effect', 'attempt', 'output', 'git_grant'])
      this.#storage.sql.exec(`DELETE FROM ${table}`);
  }

  /** Proves later that a folder or sandbox of this id was ours. */
  #rememberIncarnation(creationId: string): void {
    this.#storage.sql.exec('INSERT OR IGNORE INTO incarnation (creation_id) VALUES (?)', creationId);
  }

  hasMinted(creationId: string): boolean {
    const query = 'SELECT 1 FROM incarnation WHERE creation_id = ?';
    return this.#storage.sql.exec(query, creationId).toArray().length > 0;
  }

  meta(name: string): string | null {
    const rows = this.#storage.sql
      .exec<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)
      .toArray();
    return rows[0]?.value ?? null;
  }

  setMeta(name: string, value: string): void {
    this.#storage.sql.exec('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, value);
  }

  /** Grows with every commit, also past a record that was forgotten: it is never behind the clock. */
  version(): number {
    return Number(this.meta('version') ?? 0);
  }

  effects(): StoredEffect[] {
    return this.#storage.sql
      .exec<{ id: string; command: string; issued_at_ms: number }>(
        'SELECT id, command, issued_at_ms FROM effect ORDER BY seq',
      )
      .toArray()
      .map(({ id, command, issued_at_ms: issuedAtMs }) => ({
        id,
        command: JSON.parse(command) as Effect['command'],
        issuedAtMs,
      }));
  }

  #insertEffect(effect: Effect, state: State, atMs: number): void {
    this.#storage.sql.exec(
      'INSERT OR REPLACE INTO effect (id, seq, command, issued_at_ms) VALUES (?, ?, ?, ?)',
      effect.id,
      state.effectCount,
      JSON.stringify(effect.command),
      atMs,
    );
  }

  deleteEffect(id: string): void {
    this.#storage.sql.exec('DELETE FROM effect WHERE id = ?', id);
  }

  #upsertAttempt(attempt: Attempt): void {
    this.#storage.sql.exec(
      'INSERT OR REPLACE INTO attempt (number, value) VALUES (?, ?)',
      attempt.number,
      JSON.stringify(attempt),
    );
  }

  attempt(number: number): Attempt | null {
    return this.attempts(number + 1, 1).find((attempt) => attempt.number === number) ?? null;
  }

  /** Newest first, numbers below `before`. */
  attempts(before: number, limit: number): Attempt[] {
    return this.#storage.sql
      .exec<{ value: string }>(
        'SELECT value FROM attempt WHERE number < ? ORDER BY number DESC LIMIT ?',
        before,
        limit,
      )
      .toArray()
      .map(({ value }) => JSON.parse(value) as Attempt);
  }

  saveOutput(operation: string, stream: 'stdout' | 'stderr', output: KeptOutput): void {
    const { sql } = this.#storage;
    sql.exec('DELETE FROM output WHERE operation = ? AND stream = ?', operation, stream);
    for (const [part, text] of splitText(output.text).entries())
      sql.exec(
        'INSERT INTO output (operation, stream, part, text, total_bytes, truncated) VALUES (?, ?, ?, ?, ?, ?)',
        operation,
        stream,
        part,
        text,
        output.total_bytes,
        output.truncated ? 1 : 0,
      );
    sql.exec('DELETE FROM output WHERE rowid <= (SELECT MAX(rowid) FROM output) - ?', MAX_OUTPUT_PARTS);
  }

  output(operation: string, stream: 'stdout' | 'stderr'): KeptOutput | null {
    const rows = this.#storage.sql
      .exec<{ text: string; total_bytes: number; truncated: number }>(
        'SELECT text, total_bytes, truncated FROM output WHERE operation = ? AND stream = ? ORDER BY part',
        operation,
        stream,
      )
      .toArray();
    const [first] = rows;
    if (!first) return null;
    return {
      text: rows.map((row) => row.text).join(''),
      total_bytes: first.total_bytes,
      truncated: first.truncated === 1,
    };
  }

  #insertEvent(atMs: number, name: string, data: Record<string, unknown>): void {
    const { sql } = this.#storage;
    sql.exec('INSERT INTO event (at_ms, name, data) VALUES (?, ?, ?)', atMs, name, JSON.stringify(data));
    sql.exec('DELETE FROM event WHERE seq <= (SELECT MAX(seq) FROM event) - ?', MAX_EVENTS);
  }

  /** Beside the lifecycle's own notes: what somebody did. */
  addEvent(atMs: number, name: string, data: Record<string, unknown>): void {
    this.#insertEvent(atMs, name, data);
  }

  /** Sequence number of the newest; 0: there is none. */
  lastEvent(): number {
    const query = 'SELECT COALESCE(MAX(seq), 0) AS seq FROM event';
    return this.#storage.sql.exec<{ seq: number }>(query).one().seq;
  }

  /** Oldest first, sequence numbers above `after`. */
  events(after: number, limit: number): StoredEvent[] {
    const query = 'SELECT seq, at_ms, name, data FROM event WHERE seq > ? ORDER BY seq LIMIT ?';
    return this.#storage.sql
      .exec<StoredEvent & Record<string, SqlStorageValue>>(query, after, limit)
      .toArray();
  }
}

/** Parts never cut a surrogate pair. An empty text is one empty part, so that its counts are kept. */
function splitText(text: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length || parts.length === 0;) {
    let end = Math.min(start + PART_LENGTH, text.length);
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
    parts.push(text.slice(start, end));
    start = end;
    if (text.length === 0) break;
  }
  return parts;
}

/** Kept answers of idempotent requests: SQL only. */

export const ANSWER_TABLE =
  'CREATE TABLE answer (key TEXT PRIMARY KEY, digest TEXT NOT NULL, value TEXT NOT NULL, at_ms INTEGER NOT NULL);';

export interface StoredAnswer {
  [column: string]: SqlStorageValue;
  digest: string;
  value: string;
}

export class AnswerTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(key: string, sinceMs: number): StoredAnswer | null {
    const query = 'SELECT digest, value FROM answer WHERE key = ? AND at_ms >= ?';
    return this.#sql.exec<StoredAnswer>(query, key, sinceMs).toArray()[0] ?? null;
  }

  save(key: string, digest: string, value: string, atMs: number): void {
    const insert = 'INSERT OR REPLACE INTO answer (key, digest, value, at_ms) VALUES (?, ?, ?, ?)';
    this.#sql.exec(insert, key, digest, value, atMs);
  }

  dropBefore(ms: number): void {
    this.#sql.exec('DELETE FROM answer WHERE at_ms < ?', ms);
  }
}

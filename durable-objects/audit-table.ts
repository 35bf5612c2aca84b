/** Who did what, newest kept: every request that changed something or tried to. */
import type { AuditEntry } from '../src/core/api.ts';

export const AUDIT_TABLE =
  'CREATE TABLE audit (seq INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, project TEXT, target TEXT, status INTEGER NOT NULL);';

const MAX_ENTRIES = 20_000;

export type NewAuditEntry = Omit<AuditEntry, 'at' | 'seq'>;

interface Row {
  [column: string]: SqlStorageValue;
  seq: number;
  at_ms: number;
  actor: string;
  action: string;
  project: string | null;
  target: string | null;
  status: number;
}

export class AuditTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  add({ actor, action, project, target, status }: NewAuditEntry, atMs: number): void {
    const insert =
      'INSERT INTO audit (at_ms, actor, action, project, target, status) VALUES (?, ?, ?, ?, ?, ?)';
    this.#sql.exec(insert, atMs, actor, action, project, target, status);
    this.#sql.exec('DELETE FROM audit WHERE seq <= (SELECT MAX(seq) FROM audit) - ?', MAX_ENTRIES);
  }

  /** Newest first, below `before`. */
  page(before: number, limit: number): AuditEntry[] {
    const query =
      'SELECT seq, at_ms, actor, action, project, target, status FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?';
    return this.#sql
      .exec<Row>(query, before, limit)
      .toArray()
      .map(({ at_ms, ...row }) => ({ ...row, at: new Date(at_ms).toISOString() }));
  }
}

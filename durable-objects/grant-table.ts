/** Grants for the git gateway: one operation each, hashed, gone with the operation. */
import { hashGrant, newGrantToken } from '../src/core/git-gateway/grant.ts';

export const GRANT_TABLE =
  'CREATE TABLE git_grant (hash TEXT PRIMARY KEY, operation TEXT NOT NULL, kind TEXT NOT NULL, expires_at_ms INTEGER NOT NULL);';
export const GRANT_ENDS =
  'ALTER TABLE git_grant ADD COLUMN ended_at_ms INTEGER; ALTER TABLE git_grant ADD COLUMN reported INTEGER NOT NULL DEFAULT 0;';

/** How long a use of an ended grant is still told from a guess. */
const REMEMBERED_MS = 24 * 60 * 60_000;

export type GrantKind = 'clone' | 'save';

export class GrantTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The token itself is kept nowhere. A repeat of the operation's effect gets a new one; the earlier stays good until the operation ends. */
  async issue(operation: string, kind: GrantKind, expiresAtMs: number): Promise<string> {
    const token = newGrantToken(crypto.getRandomValues(new Uint8Array(32)));
    this.#sql.exec('DELETE FROM git_grant WHERE expires_at_ms < ?', Date.now() - REMEMBERED_MS);
    const insert = 'INSERT INTO git_grant (hash, operation, kind, expires_at_ms) VALUES (?, ?, ?, ?)';
    this.#sql.exec(insert, await hashGrant(token), operation, kind, expiresAtMs);
    return token;
  }

  find(hash: string, nowMs: number): GrantKind | null {
    const query = 'SELECT kind FROM git_grant WHERE hash = ? AND expires_at_ms > ? AND ended_at_ms IS NULL';
    return this.#sql.exec<{ kind: GrantKind }>(query, hash, nowMs).toArray()[0]?.kind ?? null;
  }

  /** True once for each grant that was given out and is no longer good: whoever uses it can't fill the events with it. */
  reportEnded(hash: string): boolean {
    return (
      this.#sql.exec('UPDATE git_grant SET reported = 1 WHERE hash = ? AND reported = 0', hash).rowsWritten >
      0
    );
  }

  /** All grants of the operation. Idempotent. */
  end(operation: string, nowMs: number): void {
    this.#sql.exec('UPDATE git_grant SET ended_at_ms = ? WHERE operation = ?', nowMs, operation);
  }
}

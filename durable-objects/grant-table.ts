/** Grants for the git gateway: one operation each, hashed, gone with the operation. */
import { hashGrant, newGrantToken } from '../src/core/git-gateway/grant.ts';

export const GRANT_TABLE =
  'CREATE TABLE git_grant (hash TEXT PRIMARY KEY, operation TEXT NOT NULL, kind TEXT NOT NULL, expires_at_ms INTEGER NOT NULL);';

export type GrantKind = 'clone' | 'save';

export class GrantTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The token itself is kept nowhere. A repeat of the operation's effect gets a new one; the earlier stays good until the operation ends. */
  async issue(operation: string, kind: GrantKind, expiresAtMs: number): Promise<string> {
    const token = newGrantToken(crypto.getRandomValues(new Uint8Array(32)));
    const insert = 'INSERT INTO git_grant (hash, operation, kind, expires_at_ms) VALUES (?, ?, ?, ?)';
    this.#sql.exec(insert, await hashGrant(token), operation, kind, expiresAtMs);
    return token;
  }

  find(hash: string, nowMs: number): GrantKind | null {
    const query = 'SELECT kind FROM git_grant WHERE hash = ? AND expires_at_ms > ?';
    return this.#sql.exec<{ kind: GrantKind }>(query, hash, nowMs).toArray()[0]?.kind ?? null;
  }

  revoke(operation: string): void {
    this.#sql.exec('DELETE FROM git_grant WHERE operation = ?', operation);
  }
}

/** API tokens that people made for others: kept hashed, limited by scope and, where asked, to one project. */
import type { ApiTokenView, NewApiToken } from '../src/core/api.ts';

export const TOKEN_TABLE =
  'CREATE TABLE api_token (id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, project TEXT, created_at_ms INTEGER NOT NULL);';

interface Row {
  [column: string]: SqlStorageValue;
  id: string;
  name: string;
  scope: ApiTokenView['scope'];
  project: string | null;
  created_at_ms: number;
}

export class TokenTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  create(id: string, hash: string, { name, scope, project }: NewApiToken, atMs: number): ApiTokenView {
    const insert =
      'INSERT INTO api_token (id, name, hash, scope, project, created_at_ms) VALUES (?, ?, ?, ?, ?, ?)';
    this.#sql.exec(insert, id, name, hash, scope, project ?? null, atMs);
    return viewToken({ id, name, scope, project: project ?? null, created_at_ms: atMs });
  }

  list(): ApiTokenView[] {
    const query = 'SELECT id, name, scope, project, created_at_ms FROM api_token ORDER BY created_at_ms, id';
    return this.#sql.exec<Row>(query).toArray().map(viewToken);
  }

  /** By the hash of what was presented: the comparison is the index's, over a digest nobody can steer. */
  find(hash: string): ApiTokenView | null {
    const query = 'SELECT id, name, scope, project, created_at_ms FROM api_token WHERE hash = ?';
    const [row] = this.#sql.exec<Row>(query, hash).toArray();
    return row ? viewToken(row) : null;
  }

  /** false: there is none. */
  revoke(id: string): boolean {
    return this.#sql.exec('DELETE FROM api_token WHERE id = ?', id).rowsWritten > 0;
  }
}

const viewToken = ({ id, name, scope, project, created_at_ms }: Row): ApiTokenView => ({
  id,
  name,
  scope,
  project,
  created_at: new Date(created_at_ms).toISOString(),
});

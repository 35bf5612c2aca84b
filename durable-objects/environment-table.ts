/** Environment values at rest, sealed under their scope and name; values are write-only for callers of the API. */
import type { EnvironmentView } from '../src/core/api.ts';
import type { Failure } from '../src/core/failure.ts';
import { CREDENTIAL_NAMES } from '../src/core/hook-env.ts';
import { ok, type Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';
import type { Answer } from './rpc.ts';
import { seal, unseal } from './secret-store.ts';

export const ENVIRONMENT_TABLE =
  'CREATE TABLE environment (name TEXT PRIMARY KEY, sealed TEXT NOT NULL, updated_at_ms INTEGER NOT NULL);';

interface Row {
  [column: string]: SqlStorageValue;
  name: string;
  sealed: string;
  updated_at_ms: number;
}

export class EnvironmentTable {
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  readonly #scope: string;

  /** `scope`: bound to the ciphertexts; a value copied into another scope does not open. */
  constructor(storage: DurableObjectStorage, env: Env, scope: string) {
    this.#storage = storage;
    this.#env = env;
    this.#scope = scope;
  }

  view(): EnvironmentView {
    const withheld = new Set<string>(CREDENTIAL_NAMES);
    return {
      names: this.#rows().map(({ name, updated_at_ms }) => ({
        name,
        withheld_from_hooks: withheld.has(name),
        updated_at: new Date(updated_at_ms).toISOString(),
      })),
    };
  }

  /** All of the patch or nothing of it. null deletes. */
  async patch(patch: Record<string, string | null>): Answer<EnvironmentView> {
    const sealed: [string, string | null][] = [];
    for (const [name, value] of Object.entries(patch)) {
      const result = value === null ? ok(null) : await seal(this.#env, this.#scope, name, value);
      if (!result.ok) return result;
      sealed.push([name, result.value]);
    }
    this.#storage.transactionSync(() => {
      for (const [name, value] of sealed) this.#set(name, value);
    });
    return ok(this.view());
  }

  #set(name: string, sealed: string | null): void {
    const { sql } = this.#storage;
    if (sealed === null) sql.exec('DELETE FROM environment WHERE name = ?', name);
    else
      sql.exec(
        'INSERT OR REPLACE INTO environment (name, sealed, updated_at_ms) VALUES (?, ?, ?)',
        name,
        sealed,
        Date.now(),
      );
  }

  /** In clear, for a process that is about to start. */
  async values(): Promise<Result<Record<string, string>, Failure>> {
    const values: [string, string][] = [];
    for (const { name, sealed } of this.#rows()) {
      const value = await unseal(this.#env, this.#scope, name, sealed);
      if (!value.ok) return value;
      values.push([name, value.value]);
    }
    return ok(Object.fromEntries(values));
  }

  #rows(): Row[] {
    return this.#storage.sql
      .exec<Row>('SELECT name, sealed, updated_at_ms FROM environment ORDER BY name')
      .toArray();
  }
}

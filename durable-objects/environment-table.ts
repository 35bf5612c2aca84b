/** Environment values at rest, sealed under their scope and name; values are write-only for callers of the API. */
import type { EnvironmentView, PatchEnvironment } from '../src/core/api.ts';
import type { Failure } from '../src/core/failure.ts';
import { CREDENTIAL_NAMES } from '../src/core/hook-env.ts';
import { isSecretName, tooShortToMask } from '../src/core/redact.ts';
import { ok, type Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';
import type { Answer, EnvironmentValues } from './rpc.ts';
import { seal, unseal } from './secret-store.ts';

export const ENVIRONMENT_TABLE =
  'CREATE TABLE environment (name TEXT PRIMARY KEY, sealed TEXT NOT NULL, flagged INTEGER NOT NULL, short INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL);';

interface Row {
  [column: string]: SqlStorageValue;
  name: string;
  sealed: string;
  /** Said to be secret by whoever set it. */
  flagged: number;
  short: number;
  updated_at_ms: number;
}

const WITHHELD: ReadonlySet<string> = new Set(CREDENTIAL_NAMES);

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
    return {
      names: this.#rows().map(({ name, flagged, short, updated_at_ms }) => {
        const secret = flagged === 1 || WITHHELD.has(name) || isSecretName(name);
        return {
          name,
          withheld_from_hooks: WITHHELD.has(name),
          secret,
          too_short_to_mask: secret && short === 1,
          updated_at: new Date(updated_at_ms).toISOString(),
        };
      }),
    };
  }

  /** All of the patch or nothing of it. null deletes. */
  async patch(patch: PatchEnvironment): Answer<EnvironmentView> {
    const rows: { name: string; row: Omit<Row, 'name' | 'updated_at_ms'> | null }[] = [];
    for (const [name, given] of Object.entries(patch)) {
      if (given === null) {
        rows.push({ name, row: null });
        continue;
      }
      const { value, secret } = typeof given === 'string' ? { value: given, secret: false } : given;
      const sealed = await seal(this.#env, this.#scope, name, value);
      if (!sealed.ok) return sealed;
      rows.push({
        name,
        row: { sealed: sealed.value, flagged: Number(secret), short: Number(tooShortToMask(value)) },
      });
    }
    this.#storage.transactionSync(() => {
      for (const { name, row } of rows) this.#set(name, row);
    });
    return ok(this.view());
  }

  #set(name: string, row: Omit<Row, 'name' | 'updated_at_ms'> | null): void {
    const { sql } = this.#storage;
    if (row === null) return void sql.exec('DELETE FROM environment WHERE name = ?', name);
    const insert =
      'INSERT OR REPLACE INTO environment (name, sealed, flagged, short, updated_at_ms) VALUES (?, ?, ?, ?, ?)';
    sql.exec(insert, name, row['sealed'], row['flagged'], row['short'], Date.now());
  }

  /** In clear, for a process that is about to start. */
  async values(): Promise<Result<EnvironmentValues, Failure>> {
    const values: [string, string][] = [];
    const rows = this.#rows();
    for (const { name, sealed } of rows) {
      const value = await unseal(this.#env, this.#scope, name, sealed);
      if (!value.ok) return value;
      values.push([name, value.value]);
    }
    const flagged = rows.filter((row) => row.flagged === 1).map(({ name }) => name);
    return ok({ values: Object.fromEntries(values), flagged });
  }

  #rows(): Row[] {
    const query = 'SELECT name, sealed, flagged, short, updated_at_ms FROM environment ORDER BY name';
    return this.#storage.sql.exec<Row>(query).toArray();
  }
}

/**
 * Secrets that the work under way may have got to see, masked until it is over, whatever a person puts in their place meanwhile.
 * Sealed at rest, like the settings that they come from.
 */
import type { Failure } from '../src/core/failure.ts';
import { ok, type Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';
import { seal, unseal } from './secret-store.ts';

export const HANDED_SECRET_TABLE = 'CREATE TABLE handed_secret (sealed TEXT NOT NULL);';

/** No environment name has a blank: the ciphertexts can't be taken for a setting's. */
const NAME = 'handed secret';

export class HandedSecrets {
  readonly #sql: SqlStorage;
  readonly #env: Env;
  readonly #scope: string;

  /** `object`: what no other workspace is called. */
  constructor(sql: SqlStorage, env: Env, object: string) {
    this.#sql = sql;
    this.#env = env;
    this.#scope = `workspace/${object}`;
  }

  /** Before they are handed out. What is remembered already is not kept twice. */
  async remember(secrets: readonly string[]): Promise<Result<null, Failure>> {
    const known = await this.values();
    // What no key opens any more withholds the whole text; what comes now is kept beside it.
    const before = new Set(known.ok ? known.value : []);
    for (const secret of new Set(secrets)) {
      if (before.has(secret)) continue;
      const sealed = await seal(this.#env, this.#scope, NAME, secret);
      if (!sealed.ok) return sealed;
      this.#sql.exec('INSERT INTO handed_secret (sealed) VALUES (?)', sealed.value);
    }
    return ok(null);
  }

  async values(): Promise<Result<string[], Failure>> {
    const values: string[] = [];
    const query = 'SELECT sealed FROM handed_secret';
    for (const { sealed } of this.#sql.exec<{ sealed: string }>(query).toArray()) {
      const value = await unseal(this.#env, this.#scope, NAME, sealed);
      if (!value.ok) return value;
      values.push(value.value);
    }
    return ok(values);
  }

  /** Nothing runs any more that could show one. Idempotent. */
  forget(): void {
    this.#sql.exec('DELETE FROM handed_secret');
  }
}

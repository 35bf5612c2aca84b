/** `Idempotency-Key`: the same key and body within a day gives the same answer, also when two arrive at once. */
import { failure, type Failure } from '../src/core/failure.ts';
import { err, type Result } from '../src/core/result.ts';
import type { AnswerTable } from './answer-table.ts';
import type { Answer, Idempotency } from './rpc.ts';

const KEPT_MS = 86_400_000;

export class IdempotentAnswers {
  readonly #table: AnswerTable;
  readonly #running = new Map<string, { digest: string; answer: Promise<unknown> }>();

  constructor(table: AnswerTable) {
    this.#table = table;
  }

  async once<T>(idempotency: Idempotency | null, work: () => Answer<T>): Answer<T> {
    if (idempotency === null) return work();
    const { key, digest } = idempotency;
    const sinceMs = Date.now() - KEPT_MS;
    const running = this.#running.get(key);
    if (running)
      return running.digest === digest ? ((await running.answer) as Result<T, Failure>) : reused(key);
    const stored = this.#table.find(key, sinceMs);
    if (stored)
      return stored.digest === digest ? (JSON.parse(stored.value) as Result<T, Failure>) : reused(key);
    const answer = work();
    this.#running.set(key, { digest, answer });
    try {
      const result = await answer;
      if (result.ok || isFinal(result.error))
        this.#table.save(key, digest, JSON.stringify(result), Date.now());
      this.#table.dropBefore(sinceMs);
      return result;
    } finally {
      this.#running.delete(key);
    }
  }
}

/** A refusal that only says "not now" is not kept: the same request may be answered otherwise later. */
const isFinal = (failed: Failure) =>
  failed.code !== 'sandbox_unavailable' && failed.code !== 'internal_error';

const reused = (key: string) =>
  err(
    failure(
      'idempotency_key_reused',
      `the Idempotency-Key ${JSON.stringify(key)} was sent with another body; use a new key`,
    ),
  );

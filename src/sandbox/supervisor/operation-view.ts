/** What a caller sees of an operation. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { OperationQuery, OperationView } from '../protocol.ts';
import type { Operation } from './operation.ts';

/** Text of one stream in one answer. */
const CHUNK_BYTES = 512 * 1024;

type Query = z.infer<typeof OperationQuery>;

export function buildView(
  operation: Operation,
  query: Pick<Query, 'output'> & Partial<Query>,
): OperationView {
  const { record, end } = operation;
  const hasOffsets = query.stdout_offset !== undefined || query.stderr_offset !== undefined;
  return {
    id: record.id,
    kind: record.kind,
    state: end === null ? 'running' : 'ended',
    started_at_ms: record.started_at_ms,
    ended_at_ms: end?.ended_at_ms ?? null,
    outcome: end?.outcome ?? null,
    exit_code: end?.exit_code ?? null,
    signal: end?.signal ?? null,
    duration_ms: end === null ? null : Math.max(0, Math.round(end.ended_at_ms - record.started_at_ms)),
    detail: end?.detail ?? null,
    stdout: operation.stdout.kept(query.output),
    stderr: operation.stderr.kept(query.output),
    chunks: hasOffsets
      ? {
          stdout: operation.stdout.chunk(query.stdout_offset ?? operation.stdout.textBytes, CHUNK_BYTES),
          stderr: operation.stderr.chunk(query.stderr_offset ?? operation.stderr.textBytes, CHUNK_BYTES),
        }
      : null,
    clone: end?.clone ?? null,
    save: end?.save ?? null,
    snapshot: end?.snapshot ?? null,
    restore: end?.restore ?? null,
  };
}

/** Returns when the operation has ended, when there is output past an asked offset, or after `wait_ms`. */
export async function waitFor(operation: Operation, query: Partial<Query>): Promise<void> {
  const deadline = performance.now() + (query.wait_ms ?? 0);
  while (operation.end === null && !hasOutput(operation, query)) {
    const rest = deadline - performance.now();
    if (rest <= 0) return;
    await operation.news(rest);
    // What arrives in the same turn belongs into the same answer.
    await nextTurn();
  }
}

const hasOutput = (operation: Operation, query: Partial<Query>): boolean =>
  (query.stdout_offset !== undefined && operation.stdout.textBytes > query.stdout_offset) ||
  (query.stderr_offset !== undefined && operation.stderr.textBytes > query.stderr_offset);

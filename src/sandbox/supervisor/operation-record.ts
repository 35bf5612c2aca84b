/** What the disk knows of an operation: how it started, why it is being ended, how it ended. Each file is written once. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import {
  CloneResult,
  Confinement,
  Outcome,
  RestoreResult,
  SaveResult,
  SnapshotResult,
  type OperationSpec,
} from '../protocol.ts';
import { isCode, loadJson, saveAtomic, saveOnce } from './atomic-file.ts';

const OperationRecord = z.object({
  id: z.string(),
  kind: z.enum(['script', 'clone', 'save', 'snapshot', 'restore']),
  role: z.enum(['hook', 'agent']).nullable(),
  leftovers: z.enum(['keep', 'kill']).nullable(),
  confinement: Confinement.nullable(),
  timeout_ms: z.number(),
  started_at_ms: z.number(),
  /** Salted, for a script may hold a secret. */
  salt: z.string(),
  digest: z.string(),
});
export type OperationRecord = z.infer<typeof OperationRecord>;

/** `shutdown`: nobody wanted it to end, but its supervisor does. */
const Ending = z.object({ cause: z.enum(['timeout', 'cancelled', 'shutdown']), at_ms: z.number() });
export type Ending = z.infer<typeof Ending>;

export const outcomeOfEnding = (cause: Ending['cause']): Outcome => (cause === 'shutdown' ? 'lost' : cause);

export const OperationEnd = z.object({
  outcome: Outcome,
  exit_code: z.number().nullable(),
  signal: z.string().nullable(),
  ended_at_ms: z.number(),
  detail: z.string().nullable(),
  clone: CloneResult.nullable(),
  save: SaveResult.nullable(),
  snapshot: SnapshotResult.nullable(),
  restore: RestoreResult.nullable(),
});
export type OperationEnd = z.infer<typeof OperationEnd>;

export function buildRecord(spec: OperationSpec, startedAtMs: number): OperationRecord {
  const salt = randomBytes(16).toString('hex');
  return {
    id: spec.id,
    kind: spec.kind,
    role: spec.kind === 'script' ? spec.role : null,
    leftovers: spec.kind === 'script' ? spec.leftovers : null,
    confinement: spec.kind === 'script' ? spec.confinement : null,
    timeout_ms: spec.timeout_ms,
    started_at_ms: startedAtMs,
    salt,
    digest: digestOf(spec, salt),
  };
}

export const isSameSpec = (record: OperationRecord, spec: OperationSpec): boolean =>
  record.digest === digestOf(spec, record.salt);

/**
 * What makes two starts the same: `wait_ms` belongs to the call, and a call that is repeated after a crash may carry
 * another grant in `remote.url` and an environment that a person has changed meanwhile.
 */
function digestOf(spec: OperationSpec, salt: string): string {
  const text = JSON.stringify(spec, (name, value: unknown) =>
    name === 'wait_ms' || name === 'env' || name === 'url' ? undefined : value,
  );
  return createHash('sha256').update(salt).update(text).digest('hex');
}

/** The folder of one operation. Its creation is the lock that makes a start happen once. */
export class OperationFolder {
  readonly path: string;

  constructor(stateDirectory: string, id: string) {
    this.path = join(stateDirectory, 'operations', id);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** False when the operation was started before. */
  create(): boolean {
    try {
      mkdirSync(this.path, { mode: 0o700 });
      return true;
    } catch (error) {
      if (isCode(error, 'EEXIST')) return false;
      throw error;
    }
  }

  /** On the disk before anything is started: what is not there never ran. */
  saveRecord(record: OperationRecord): void {
    saveOnce(this.file('record.json'), JSON.stringify(record));
  }

  loadRecord(): OperationRecord | null {
    return OperationRecord.safeParse(loadJson(this.file('record.json'))).data ?? null;
  }

  /** Durable before the first signal; the first cause wins. */
  saveEnding(ending: Ending): boolean {
    return saveOnce(this.file('ending.json'), JSON.stringify(ending));
  }

  loadEnding(): Ending | null {
    return Ending.safeParse(loadJson(this.file('ending.json'))).data ?? null;
  }

  saveEnd(end: OperationEnd): void {
    saveAtomic(this.file('end.json'), JSON.stringify(end));
  }

  loadEnd(): OperationEnd | null {
    return OperationEnd.safeParse(loadJson(this.file('end.json'))).data ?? null;
  }
}

/** The bundles of snapshots on their way out of and into a sandbox. */
import { randomUUID } from 'node:crypto';
import { createWriteStream, fstatSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { err, ok, type Result } from '../../core/result.ts';
import { OperationId, type SupervisorError } from '../protocol.ts';
import { isCode } from './atomic-file.ts';
import { snapshotPath } from './git-bundle.ts';
import type { Place } from './place.ts';

/** The caller closes the descriptor. */
export function openSnapshot(
  place: Place,
  id: string,
): Result<{ fd: number; size: number }, SupervisorError> {
  if (!OperationId.safeParse(id).success) return err(notFound(id));
  try {
    const fd = openSync(snapshotPath(place, id), 'r');
    return ok({ fd, size: fstatSync(fd).size });
  } catch (error) {
    if (isCode(error, 'ENOENT')) return err(notFound(id));
    throw error;
  }
}

/** There under its name only when it is whole. */
export async function receiveSnapshot(
  place: Place,
  id: string,
  body: IncomingMessage,
): Promise<Result<null, SupervisorError>> {
  if (!OperationId.safeParse(id).success) return err(notFound(id));
  const path = snapshotPath(place, id);
  // Of its own: an upload that nobody waits for any more may still be writing beside the next try.
  const unfinished = `${path}.${randomUUID()}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await pipeline(body, createWriteStream(unfinished, { mode: 0o600 }));
    renameSync(unfinished, path);
    return ok(null);
  } catch (error) {
    rmSync(unfinished, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    return err({ code: 'internal', detail: `The snapshot did not arrive: ${reason}` });
  }
}

export function dropSnapshot(place: Place, id: string): Result<null, SupervisorError> {
  if (!OperationId.safeParse(id).success) return err(notFound(id));
  rmSync(snapshotPath(place, id), { force: true });
  return ok(null);
}

const notFound = (id: string): SupervisorError => ({
  code: 'not_found',
  detail: `There is no snapshot ${id.slice(0, 100)}.`,
});

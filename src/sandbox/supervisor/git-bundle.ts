/** Writes a bundle up to a size, and finds the ones that were written or uploaded. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GitFailure } from '../../core/git-failure.ts';
import { err, ok, type Result } from '../../core/result.ts';
import { parseBundleHeader, type BundleHeader } from '../../core/snapshot-state.ts';
import { inClean, type CleanRepository } from './git-clean.ts';
import type { Place } from './place.ts';

/** Where `GET /snapshots/{id}` reads and `PUT /snapshots/{id}` writes. */
export const snapshotPath = (place: Place, id: string): string =>
  join(place.stateDirectory, 'snapshots', `${id}.bundle`);

/** A line of the header names a branch; a hundred thousand of them fit. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

export interface Written {
  bytes: number;
  sha256: string;
}

/** Nothing is left at `path` when it fails or grows over `maxBytes`. */
export async function writeBundle(
  clean: CleanRepository,
  revisions: readonly string[],
  target: { path: string; maxBytes: number },
): Promise<Result<Written, GitFailure>> {
  await mkdir(dirname(target.path), { recursive: true });
  const unfinished = `${target.path}.new`;
  const file = openSync(unfinished, 'w', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  let problem: string | null = null;
  const take = (chunk: Buffer): 'go on' | 'stop' => {
    bytes += chunk.length;
    if (bytes > target.maxBytes) problem = `It is larger than ${target.maxBytes} bytes.`;
    else problem = tryWrite(file, chunk);
    hash.update(chunk);
    return problem === null ? 'go on' : 'stop';
  };
  const created = await inClean(clean, {
    what: 'Bundling the snapshot',
    args: ['bundle', 'create', '--quiet', '-', '--stdin'],
    input: `${revisions.join('\n')}\n`,
    onStdout: take,
  });
  closeSync(file);
  if (created.ok) {
    await rename(unfinished, target.path);
    return ok({ bytes, sha256: hash.digest('hex') });
  }
  await rm(unfinished, { force: true });
  return err(problem === null ? created.error : { reason: 'other', detail: problem });
}

function tryWrite(file: number, chunk: Buffer): string | null {
  try {
    for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
    return null;
  } catch (error) {
    return `It could not be written: ${(error as Error).message}.`;
  }
}

/** null: no such file, or it is no bundle. */
export async function readBundleHeader(path: string): Promise<BundleHeader | null> {
  const file = await open(path).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    for (let bytes = 64 * 1024; ; bytes *= 16) {
      const buffer = Buffer.alloc(Math.min(bytes, MAX_HEADER_BYTES, size));
      await file.read(buffer, 0, buffer.length, 0);
      const end = buffer.indexOf('\n\n');
      if (end >= 0) return parseBundleHeader(buffer.toString('utf8', 0, end + 2));
      if (buffer.length === size || bytes >= MAX_HEADER_BYTES) return null;
    }
  } finally {
    await file.close();
  }
}

/** Puts a snapshot's index and files into a repository under construction. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitFailure } from '../../core/git-failure.ts';
import { ok, type Result } from '../../core/result.ts';
import type { SnapshotState } from '../../core/snapshot-state.ts';
import { inStage, type Stage } from './git-stage.ts';

/** As written by the snapshot: contents that are kept byte for byte. */
const RAW_ATTRIBUTES = '* -text -eol -crlf -ident -filter -working-tree-encoding\n';

const what = 'Restoring the files';

/**
 * First the staged files, converted as any checkout converts them; then every file that differs from what is staged,
 * as it was, byte for byte.
 */
export async function restoreFiles(
  stage: Stage,
  state: SnapshotState,
  files: string,
): Promise<Result<unknown, GitFailure>> {
  const index = state.index ?? files;
  const staged = await inTurn(stage, [
    { args: ['read-tree', index] },
    { args: ['checkout-index', '--all', '--force', '--quiet', '--index'] },
  ]);
  if (!staged.ok) return staged;
  const changed = await restoreChanged(stage, index, files);
  if (!changed.ok) return changed;
  const conflicts = state.conflicts.map((entry) => `${entry}\0`).join('');
  return inTurn(stage, [
    // 1: files differ from the index, as they did.
    { args: ['update-index', '-q', '--refresh'], accept: [1] },
    ...(conflicts === '' ? [] : [{ args: ['update-index', '-z', '--index-info'], input: conflicts }]),
  ]);
}

interface Step {
  args: string[];
  input?: string | Uint8Array;
  accept?: number[];
}

async function inTurn(stage: Stage, steps: readonly Step[]): Promise<Result<unknown, GitFailure>> {
  for (const step of steps) {
    const done = await inStage(stage, { what, ...step });
    if (!done.ok) return done;
  }
  return ok(null);
}

async function restoreChanged(
  stage: Stage,
  index: string,
  files: string,
): Promise<Result<unknown, GitFailure>> {
  const compared = await inStage(stage, {
    what,
    args: ['diff-tree', '-r', '-z', '--no-renames', '--name-status', index, files],
  });
  if (!compared.ok) return compared;
  const { deleted, written } = splitChanges(compared.value.stdout);
  // Before the others: a folder may have become a file. Paths of an index never leave it, git refuses to read such ones.
  for (const path of deleted)
    await rm(Buffer.concat([Buffer.from(`${stage.directory}/`), path]), { recursive: true, force: true });
  if (written.length === 0) return ok(null);
  const attributes = join(stage.gitDirectory, 'info', 'attributes');
  const env = { GIT_INDEX_FILE: join(stage.gitDirectory, 'index-of-files') };
  await writeFile(attributes, RAW_ATTRIBUTES);
  try {
    const read = await inStage(stage, { what, args: ['read-tree', files], env });
    if (!read.ok) return read;
    const input = Buffer.concat(written.flatMap((path) => [path, Buffer.from([0])]));
    return await inStage(stage, {
      what,
      args: ['checkout-index', '--force', '--quiet', '-z', '--stdin'],
      input,
      env,
    });
  } finally {
    await rm(attributes, { force: true });
    await rm(env.GIT_INDEX_FILE, { force: true });
  }
}

/** `status NUL path NUL`; paths are bytes. */
function splitChanges(list: Buffer): { deleted: Buffer[]; written: Buffer[] } {
  const parts: Buffer[] = [];
  for (let start = 0; start < list.length;) {
    const end = list.indexOf(0, start);
    parts.push(list.subarray(start, end));
    start = end + 1;
  }
  const changes = { deleted: [] as Buffer[], written: [] as Buffer[] };
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const path = parts[at + 1];
    if (path !== undefined) changes[parts[at]?.toString() === 'D' ? 'deleted' : 'written'].push(path);
  }
  return changes;
}

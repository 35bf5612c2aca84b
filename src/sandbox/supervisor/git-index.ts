/** Copies of a workspace's index: git may refresh and change them, the original stays as it is. */
import { copyFile, lstat, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { inWorkTree, type CleanRepository } from './git-clean.ts';

/** A million files have an index of about 100 MB. */
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

/**
 * Answers the path of the copy, which does not exist where the workspace has no index yet; null where something else
 * than an index lies in its place.
 */
export async function copyIndex(clean: CleanRepository): Promise<string | null> {
  const copy = join(clean.directory, 'index');
  for (const name of await readdir(clean.source)) {
    // The second half of a split index.
    if (!/^(?:index|sharedindex\.[0-9a-f]+)$/.test(name)) continue;
    const isCopied = await copyIndexFile(join(clean.source, name), join(clean.directory, name));
    if (!isCopied && name === 'index') return null;
  }
  return copy;
}

/** For an index that git cannot read: as if nothing were staged, so that everything that differs from HEAD counts. */
export async function rebuildIndex(clean: CleanRepository): Promise<string> {
  const rebuilt = join(clean.directory, 'index-of-head');
  const { sha } = clean.refs.head;
  const args = ['read-tree', ...(sha === null ? ['--empty'] : [sha])];
  await inWorkTree(clean, rebuilt, { what: 'Reading the files of HEAD', args });
  return rebuilt;
}

/**
 * The copy keeps the time of the original, rounded down: git compares contents where a file is as young as the index,
 * and a younger copy would hide changes made in the same second. False where there is no such file, or another kind.
 */
export async function copyIndexFile(from: string, to: string): Promise<boolean> {
  const stats = await lstat(from).catch(() => null);
  if (stats === null || !stats.isFile() || stats.size > MAX_INDEX_BYTES) return false;
  await copyFile(from, to);
  const seconds = Math.floor(stats.mtimeMs / 1000);
  await utimes(to, seconds, seconds);
  return true;
}

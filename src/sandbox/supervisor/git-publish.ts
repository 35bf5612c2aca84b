/** Moves a finished clone to the workspace's path. A crash at any moment leaves either nothing there or all of it. */
import { cp, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GitFailure } from '../../core/git-failure.ts';
import { err, ok, type Result } from '../../core/result.ts';
import { inodeOf, loadMarker, saveMarker, type Marker } from './git-marker.ts';
import type { Place } from './place.ts';
import { removeTree } from './tree-removal.ts';

export type Origin = Pick<Marker, 'base' | 'remote_sha' | 'head'>;

/** What a crash in the middle of filling or deleting left; nothing else is ever deleted. */
export async function clearIncomplete(place: Place): Promise<void> {
  const marker = await loadMarker(place);
  if (marker?.state !== 'incomplete' || marker.directory_inode !== (await inodeOf(place.directory))) return;
  for (const name of await readdir(place.directory)) await removeTree(join(place.directory, name));
}

export async function publishStage(
  place: Place,
  stage: string,
  origin: Origin,
): Promise<Result<null, GitFailure>> {
  const inodes = {
    directory_inode: (await inodeOf(stage)) ?? 0,
    git_inode: (await inodeOf(join(stage, '.git'))) ?? 0,
  };
  // Before the rename, which keeps inode numbers: a crash after it finds the marker there.
  await saveMarker(place, { state: 'whole', ...inodes, ...origin });
  await mkdir(dirname(place.directory), { recursive: true });
  try {
    await removeEmpty(place.directory);
    await rename(stage, place.directory);
    return ok(null);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return err(occupied(place));
    // A mount point can be neither removed nor replaced, another file system not renamed to.
    if (code === 'EBUSY' || code === 'EXDEV' || code === 'EPERM' || code === 'EACCES')
      return fill(place, stage, origin);
    throw error;
  }
}

const removeEmpty = (directory: string): Promise<void> =>
  rmdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });

async function fill(place: Place, stage: string, origin: Origin): Promise<Result<null, GitFailure>> {
  await mkdir(place.directory, { recursive: true });
  if ((await readdir(place.directory)).length > 0) return err(occupied(place));
  const directory_inode = (await inodeOf(place.directory)) ?? 0;
  await saveMarker(place, { state: 'incomplete', directory_inode, git_inode: 0, ...origin });
  try {
    await copyInto(place.directory, stage);
  } catch (error) {
    await clearIncomplete(place);
    throw error;
  }
  const git_inode = (await inodeOf(join(place.directory, '.git'))) ?? 0;
  await saveMarker(place, { state: 'whole', directory_inode, git_inode, ...origin });
  await rm(stage, { recursive: true, force: true });
  return ok(null);
}

async function copyInto(directory: string, stage: string): Promise<void> {
  const how = { recursive: true, verbatimSymlinks: true, preserveTimestamps: true };
  for (const name of await readdir(stage)) await cp(join(stage, name), join(directory, name), how);
}

const occupied = (place: Place): GitFailure => ({
  reason: 'other',
  detail: `${place.directory} already holds files that no clone of ours made. Move them away and try again.`,
});

/** Our proof that the folder at a workspace's path is the repository that we made there. Kept outside the work tree. */
import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { gitFolder } from './git-process.ts';
import type { Place } from './place.ts';

const text = z.string().max(4096).nullable();

/**
 * Inode numbers survive a rename and tell our folder from one that somebody put in its place; device numbers do not
 * survive a reboot on every file system and are left out.
 */
const Marker = z.object({
  /** `incomplete`: the folder is being filled or deleted by us; a crash leaves a part, which we may delete. */
  state: z.enum(['incomplete', 'whole']),
  directory_inode: z.number(),
  git_inode: z.number(),
  base: text,
  remote_sha: text,
  head: text,
});
export type Marker = z.infer<typeof Marker>;

const markerPath = (place: Place): string => join(gitFolder(place), 'repository.json');

export async function loadMarker(place: Place): Promise<Marker | null> {
  try {
    const parsed = Marker.safeParse(JSON.parse(await readFile(markerPath(place), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

export async function saveMarker(place: Place, marker: Marker): Promise<void> {
  await mkdir(gitFolder(place), { recursive: true });
  const path = markerPath(place);
  await writeFile(`${path}.new`, JSON.stringify(marker));
  await rename(`${path}.new`, path);
}

/** Before its files are deleted: what a crash leaves of them is then no damage. */
export async function markIncomplete(place: Place): Promise<void> {
  const marker = await loadMarker(place);
  if (marker !== null) await saveMarker(place, { ...marker, state: 'incomplete' });
}

export const dropMarker = (place: Place): Promise<void> => rm(markerPath(place), { force: true });

/** null where there is no such directory, or it is a link or a file. */
export async function inodeOf(path: string): Promise<number | null> {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() ? stats.ino : null;
  } catch {
    return null;
  }
}

/** Deletes a workspace's files and keeps the place: its claim, and in a sandbox the folder itself. */
import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dropMarker } from './git-marker.ts';
import { layOutDirectory } from './host-layout.ts';
import type { Place } from './place.ts';
import { removeFiles } from './removal.ts';
import { removeTree } from './tree-removal.ts';

/** null: they are gone. Idempotent. */
export async function discardFiles(place: Place): Promise<string | null> {
  const stats = lstatSync(place.directory, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) {
    return `${place.directory} is a link or a file now; nothing was deleted.`;
  }
  try {
    if (place.mode === 'sandbox') await emptyFolder(place.directory);
    else await removeHostFiles(place.directory);
    await dropMarker(place);
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${place.directory} could not be deleted: ${reason}`;
  }
}

async function emptyFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) await removeTree(join(folder, name));
}

async function removeHostFiles(directory: string): Promise<void> {
  const paths = layOutDirectory(directory);
  if (paths !== null) await removeFiles(paths);
}

/** Tells our repository from no files and from anything else. Runs no git and follows no link. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseLooseRef } from '../../core/git-output.ts';
import { inodeOf, loadMarker, type Marker } from './git-marker.ts';
import { readPlain } from './git-refs.ts';
import type { Place } from './place.ts';

export interface Inspection {
  files: 'absent' | 'whole' | 'damaged';
  /** What is wrong, in words; only when damaged. */
  damage: string | null;
}

export async function inspectRepository(place: Place): Promise<Inspection> {
  const names = await readdir(place.directory).catch((error: NodeJS.ErrnoException) => error);
  if (names instanceof Error) {
    return names.code === 'ENOENT' ? absent : damaged(`it is not a folder (${names.code ?? names.message})`);
  }
  const inode = await inodeOf(place.directory);
  if (inode === null) return damaged('it is a link');
  // Nothing there that could be lost: as good as gone, whoever emptied it.
  if (names.length === 0) return absent;
  const marker = await loadMarker(place);
  if (marker?.directory_inode !== inode) {
    return damaged(
      marker === null ? 'there are files that no clone of ours made' : 'another folder lies in its place',
    );
  }
  if (marker.state === 'incomplete') return absent;
  const damage = await damageOf(join(place.directory, '.git'), marker);
  return damage === null ? { files: 'whole', damage } : damaged(damage);
}

const absent: Inspection = { files: 'absent', damage: null };
const damaged = (damage: string): Inspection => ({ files: 'damaged', damage });

async function damageOf(gitDirectory: string, marker: Marker): Promise<string | null> {
  const inode = await inodeOf(gitDirectory);
  if (inode === null) return '.git is gone, or is a link or a file';
  if (inode !== marker.git_inode) return '.git is not the one that we made';
  for (const folder of ['objects', 'refs']) {
    if ((await inodeOf(join(gitDirectory, folder))) === null) return `.git/${folder} is not a folder`;
  }
  const head = parseLooseRef((await readPlain(gitDirectory, 'HEAD', 4096)) ?? '');
  return head === null ? '.git/HEAD cannot be read' : null;
}

/** Commits that the remote has answered with: a snapshot may leave out what they reach. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isSha } from '../../core/git.ts';
import { gitFolder } from './git-process.ts';
import type { Place } from './place.ts';

/** The newest are enough: each save's commits contain those of the one before. */
const MAX_REMEMBERED = 50;

const Saved = z.array(z.string().refine(isSha)).max(MAX_REMEMBERED);

const savedPath = (place: Place): string => join(gitFolder(place), 'saved.json');

export async function loadSaved(place: Place): Promise<string[]> {
  try {
    return Saved.parse(JSON.parse(await readFile(savedPath(place), 'utf8')));
  } catch {
    return [];
  }
}

export async function rememberSaved(place: Place, shas: readonly (string | null)[]): Promise<void> {
  const before = await loadSaved(place);
  const fresh = shas.filter((sha) => sha !== null && !before.includes(sha));
  if (fresh.length === 0) return;
  const path = savedPath(place);
  await writeFile(`${path}.new`, JSON.stringify([...fresh, ...before].slice(0, MAX_REMEMBERED)));
  await rename(`${path}.new`, path);
}

/**
 * What HEAD and the branches were when a piece of work began, as far as no save has answered for it. An attempt whose save
 * failed may have left its commits on a detached HEAD, and the next one's agent leaves that: then only we know of them.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isSha } from '../../core/git.ts';
import { MAX_LEFT } from '../../core/snapshot-state.ts';
import type { CleanRepository } from './git-clean.ts';
import { existingCommits, lackingOf } from './git-lacking.ts';
import { loadMarker } from './git-marker.ts';
import { gitFolder } from './git-process.ts';
import { readRefs } from './git-refs.ts';
import { loadSaved } from './git-saved.ts';
import type { Place } from './place.ts';

const Left = z.array(z.string().refine(isSha)).max(MAX_LEFT);

const leftPath = (place: Place): string => join(gitFolder(place), 'left.json');

/** Newest first. */
async function loadLeft(place: Place): Promise<string[]> {
  try {
    return Left.parse(JSON.parse(await readFile(leftPath(place), 'utf8')));
  } catch {
    return [];
  }
}

export async function rememberLeft(place: Place, shas: readonly string[]): Promise<void> {
  const before = await loadLeft(place);
  const fresh = shas.filter((sha) => !before.includes(sha));
  if (fresh.length === 0) return;
  const path = leftPath(place);
  await writeFile(`${path}.new`, JSON.stringify([...fresh, ...before].slice(0, MAX_LEFT)));
  await rename(`${path}.new`, path);
}

/** Before work begins in a whole repository. Throws where the disk does not take it: then nothing may begin. */
export async function rememberTips(place: Place): Promise<void> {
  const { head, branches, worktrees } = await readRefs(join(place.directory, '.git'));
  const marker = await loadMarker(place);
  const known = [marker?.base, marker?.remote_sha, ...(await loadSaved(place))];
  const tips = [head.sha, ...branches.values(), ...worktrees.map(({ sha }) => sha)];
  const unsaved = tips.filter((sha) => sha !== null).filter((sha) => !known.includes(sha));
  await rememberLeft(place, [...new Set(unsaved)]);
}

/** All of it is on the remote. */
export const forgetLeft = (place: Place): Promise<void> => rm(leftPath(place), { force: true });

/** Those that are still here, and that none of the `known` commits reaches. */
export async function findLeft(clean: CleanRepository, known: readonly string[]): Promise<string[]> {
  const left = (await loadLeft(clean.session.place)).filter((sha) => !known.includes(sha));
  if (left.length === 0) return [];
  const lacking = await lackingOf(clean, await existingCommits(clean, left), known);
  return left.filter((sha) => lacking.has(sha));
}

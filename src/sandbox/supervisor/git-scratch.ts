/** Folders that one operation uses and removes; what a killed supervisor left is removed by the next one. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gitFolder } from './git-process.ts';
import type { Place } from './place.ts';

/** Not created yet, but its parent is. The name is unique: facts are read while a save runs. */
export async function newScratch(place: Place, kind: 'stage' | 'clean'): Promise<string> {
  const folder = gitFolder(place);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const owner = /^(?:stage|clean)-(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) await removeScratch(join(folder, name));
  }
  return join(folder, `${kind}-${process.pid}-${randomUUID()}`);
}

export const removeScratch = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true, maxRetries: 3 });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

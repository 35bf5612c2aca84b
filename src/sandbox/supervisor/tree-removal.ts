/** Deletes a tree whatever its modes are. Never follows a link; what is gone already is no failure. */
import { execFile } from 'node:child_process';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isCode } from './atomic-file.ts';

const OWNER_MAY_ALL = 0o700;

export async function removeTree(path: string): Promise<void> {
  // Before, not after a failure: `rm` works on many entries at once and is still at it when it reports the first failure.
  if (process.getuid?.() !== 0) await makeWritable(path);
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  } catch (error) {
    if (!isCode(error, 'ENAMETOOLONG')) throw error;
    // A path has a longest length, folders in folders have not: this program goes down step by step.
    await promisify(execFile)('rm', ['-rf', '--', path]);
  }
}

/** An entry can be deleted when its folder can be read and written. Others' folders stay as they are: `rm` then says so. */
async function makeWritable(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null || !stats.isDirectory()) return;
  if ((stats.mode & OWNER_MAY_ALL) !== OWNER_MAY_ALL) await chmod(path, OWNER_MAY_ALL).catch(() => {});
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await makeWritable(join(path, entry.name));
  }
}

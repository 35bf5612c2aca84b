/** Deletes a tree whatever its modes are. Never follows a link. */
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from './atomic-file.ts';

export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  } catch (error) {
    if (!isCode(error, 'EACCES') && !isCode(error, 'EPERM')) throw error;
    await makeWritable(path);
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  }
}

/** An entry can be deleted when its folder can be read and written. Folders of others stay as they are: `rm` then says so. */
async function makeWritable(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return;
  await chmod(path, 0o700).catch(() => {});
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await makeWritable(join(path, entry.name));
  }
}

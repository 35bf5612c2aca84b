/** Removes a host's workspace: out of the way first, then deleted, its claim last, so that it can be tried again. */
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../../core/result.ts';
import type { SupervisorError } from '../protocol.ts';
import { isCode } from './atomic-file.ts';
import { isTrashOf, trashFolder, trashName, type HostPaths } from './host-layout.ts';
import { removeTree } from './tree-removal.ts';

/** What cannot be deleted may have a name as long as a path can be. */
const MAX_DETAIL_LENGTH = 1000;

export async function removeWorkspace(paths: HostPaths): Promise<Result<null, SupervisorError>> {
  const stats = lstatSync(paths.directory, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) return err(notADirectory(paths));
  try {
    await removeFiles(paths);
    await removeState(paths);
    return ok(null);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const detail = `${paths.directory} could not be deleted: ${reason}`.slice(0, MAX_DETAIL_LENGTH);
    return err({ code: 'removal_failed', detail });
  }
}

/** The directory, and what an earlier try left of it in the trash. Throws where something cannot be deleted. */
async function removeFiles(paths: HostPaths): Promise<void> {
  if (existsSync(paths.directory)) moveToTrash(paths);
  for (const name of listTrash(paths.root)) {
    if (isTrashOf(paths.key, name)) await removeTree(join(trashFolder(paths.root), name));
  }
}

/** What removals before a crash left; what cannot be deleted stays for the next time. */
export async function emptyTrash(root: string): Promise<void> {
  for (const name of listTrash(root)) await removeTree(join(trashFolder(root), name)).catch(() => {});
}

/** The rename works on the link itself where somebody swaps the folder for one now. */
function moveToTrash({ root, key, directory }: HostPaths): void {
  mkdirSync(trashFolder(root), { recursive: true, mode: 0o700 });
  const target = join(trashFolder(root), trashName(key, randomUUID()));
  try {
    renameSync(directory, target);
  } catch (error) {
    if (!isCode(error, 'EACCES')) throw error;
    // A folder moves to another parent only while it can be written.
    chmodSync(directory, 0o700);
    renameSync(directory, target);
  }
}

/** All but the claim first: a crash in between leaves a claim without files, and the removal is repeated. */
async function removeState({ stateDirectory }: HostPaths): Promise<void> {
  for (const name of readdirSync(stateDirectory)) {
    if (name !== 'claim.json') await removeTree(join(stateDirectory, name));
  }
  rmSync(join(stateDirectory, 'claim.json'), { force: true });
  await removeTree(stateDirectory);
}

function listTrash(root: string): string[] {
  try {
    return readdirSync(trashFolder(root));
  } catch {
    return [];
  }
}

const notADirectory = ({ directory }: HostPaths): SupervisorError => ({
  code: 'workspace_damaged',
  detail: `${directory} is a link or a file now; nothing was deleted. Look at it and remove it by hand.`,
});

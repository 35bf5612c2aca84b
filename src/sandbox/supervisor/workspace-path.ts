/**
 * Opens paths inside a workspace, whose owner plants links. A path is resolved first and must stay inside; what was then
 * opened is asked for its own path, so that a link swapped in between is noticed. Only Linux can be asked.
 */
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { err, ok, type Result } from '../../core/result.ts';
import type { SupervisorError } from '../protocol.ts';
import { isCode } from './atomic-file.ts';
import { isUnder } from './workspace-root.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Of a file or a folder; the caller closes the descriptor. A pipe planted as a file does not make the open wait. */
export function openInside(directory: string, path: string): Result<number, SupervisorError> {
  return guard(directory, path, () => {
    const real = realpathSync(join(directory, path));
    return openChecked(directory, path, real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  });
}

export interface Slot {
  /** The folder, held open: close it. */
  readonly fd: number;
  /** The folder's path by way of the descriptor, which no later link can divert. */
  readonly folder: string;
  readonly name: string;
}

/** Where a file may be written: its folder must be there and inside. */
export function openSlot(directory: string, path: string): Result<Slot, SupervisorError> {
  return guard(directory, path, () => {
    const name = basename(path);
    if (name === '' || name === '.' || name === '..') return err(refused(path));
    const real = realpathSync(join(directory, dirname(path)));
    const opened = openChecked(directory, path, real, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
    if (!opened.ok) return opened;
    return ok({ fd: opened.value, name, folder: viaDescriptor(opened.value) ?? real });
  });
}

/** A path to an open folder that no link can divert; null where the system has none. */
export function viaDescriptor(fd: number): string | null {
  const path = `/proc/self/fd/${fd}`;
  return existsSync(path) ? path : null;
}

function openChecked(
  directory: string,
  path: string,
  real: string,
  flags: number,
): Result<number, SupervisorError> {
  if (!isUnder(real, directory)) return err(refused(path));
  const fd = openSync(real, flags);
  if (isUnder(pathOf(fd) ?? real, directory)) return ok(fd);
  closeSync(fd);
  return err(refused(path));
}

/** null where the system does not tell. */
function pathOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}

function guard<T>(
  directory: string,
  path: string,
  open: () => Result<T, SupervisorError>,
): Result<T, SupervisorError> {
  if (path.includes('\0') || path.startsWith('/')) return err(refused(path));
  try {
    return open();
  } catch (error) {
    if ((isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) && !leadsOut(directory, path)) {
      return err({ code: 'file_not_found', detail: `There is no ${path} in the workspace.` });
    }
    return err(isCode(error, 'ENOENT') ? refused(path) : unusable(path, error));
  }
}

/** Whether a path on which something is missing has left the workspace before: what is there or not is nobody's business. */
function leadsOut(directory: string, path: string): boolean {
  let place = directory;
  for (const part of normalize(path).split('/')) {
    place = join(place, part);
    if (!isUnder(place, directory)) return true;
    const stats = statsOf(place);
    if (stats === null) return false;
    if (!stats.isSymbolicLink()) continue;
    try {
      place = realpathSync(place);
    } catch {
      // Where it would lead is not told either.
      return true;
    }
  }
  return !isUnder(place, directory);
}

/** null: nothing is there, or nothing can be. */
function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/** A name that is too long, a folder without permission, a circle of links. */
export function unusable(path: string, error: unknown): SupervisorError {
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'path_refused', detail: `${path} cannot be opened: ${reason}` };
}

export const refused = (path: string): SupervisorError => ({
  code: 'path_refused',
  detail: `${path} leads out of the workspace, or is no file or folder.`,
});

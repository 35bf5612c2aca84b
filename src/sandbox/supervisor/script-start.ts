/** From a specification to a running process: what is checked first, and what the process gets. */
import { lstatSync, realpathSync } from 'node:fs';
import type { Confinement, SupervisorError } from '../protocol.ts';
import type { Machine } from './base-environment.ts';
import type { Confinements } from './confinements.ts';
import type { Operation } from './operation.ts';
import type { Place } from './place.ts';

/** What every operation is started with. */
export interface Setting {
  readonly operation: Operation;
  readonly place: Place;
  readonly machine: Machine;
  /** How its processes are recognised. */
  readonly marker: string;
}

/** Of a script or a terminal. null: it may start. */
export async function checkStart(
  { confinement }: { confinement: Confinement },
  { directory }: Place,
  confinements: Confinements,
): Promise<SupervisorError | null> {
  if (!(await confinements.isThere(confinement.kind))) {
    const detail = `${confinement.kind} is not available here: it is not installed, or does not work.`;
    return { code: 'confinement_unavailable', detail };
  }
  return checkDirectory(directory);
}

/** What is gone can be brought back; what is in its place is somebody's. */
function checkDirectory(directory: string): SupervisorError | null {
  if (lstatSync(directory, { throwIfNoEntry: false }) === undefined)
    return { code: 'directory_gone', detail: `${directory} is gone.` };
  return isRealDirectory(directory)
    ? null
    : { code: 'workspace_damaged', detail: `${directory} is not a directory of its own.` };
}

/** A link on the way out of the root changes the real path. */
function isRealDirectory(directory: string): boolean {
  try {
    return lstatSync(directory).isDirectory() && realpathSync(directory) === directory;
  } catch {
    return false;
  }
}

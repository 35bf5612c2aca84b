/** Takes a place on a host for one creation of one workspace, or says why not. */
import { lstatSync } from 'node:fs';
import { err, type Result } from '../../core/result.ts';
import type { OpenRequest, SupervisorError } from '../protocol.ts';
import { checkClaim, loadClaim, saveClaim, type Claim } from './claim.ts';
import { isKey, type HostPaths } from './host-layout.ts';

export function claimPlace(paths: HostPaths, request: OpenRequest): Result<Claim, SupervisorError> {
  if (!isKey(request.key) || paths.key !== request.key) {
    return err({
      code: 'path_refused',
      detail: `${paths.directory} is not the place of key ${request.key}.`,
    });
  }
  const claim = loadClaim(paths.stateDirectory);
  const conflict = claim === null ? null : findConflict(paths, claim, request);
  if (conflict !== null) return err(conflict);
  if (claim === null && request.claim) {
    const foreign = findForeign(paths);
    if (foreign !== null) return err(foreign);
    const { project, key, creation_id } = request;
    saveClaim(paths.stateDirectory, { project, key, creation_id, claimed_at_ms: Date.now() });
  }
  const checked = checkClaim(paths.stateDirectory, request.creation_id);
  // Two first calls at once, of two projects: the slower one reads the faster one's claim.
  const late = checked.ok ? findConflict(paths, checked.value, request) : null;
  return late === null ? checked : err(late);
}

function findConflict(paths: HostPaths, claim: Claim, request: OpenRequest): SupervisorError | null {
  if (claim.project !== request.project) {
    const detail = `${paths.directory} belongs to project ${claim.project}; give the projects different workspace roots.`;
    return { code: 'foreign_directory', detail };
  }
  // Under our name a file system that ignores case shows the folder of another key.
  return claim.key === request.key
    ? null
    : { code: 'key_conflict', detail: `${paths.root} ignores case, and ${claim.key} is there already.` };
}

function findForeign({ directory }: HostPaths): SupervisorError | null {
  const exists = lstatSync(directory, { throwIfNoEntry: false }) !== undefined;
  return exists
    ? { code: 'foreign_directory', detail: `${directory} was there before and is not ours; move it away.` }
    : null;
}

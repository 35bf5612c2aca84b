/** Keeps workspaces out of each other: one inside another's folder would be deleted with it, one inside a state folder could forge its files. */
import { basename, dirname } from 'node:path';
import { err, ok, type Result } from '../../core/result.ts';
import type { SupervisorError } from '../protocol.ts';
import { loadClaim } from './claim.ts';
import { isStateFolder, layOutDirectory } from './host-layout.ts';
import { isUnder, realpathOfExisting } from './workspace-root.ts';

/** `root`: a real path, of which the end may be missing. What is above the allowed folders is not this host's. */
export function refuseNested(root: string, allowed: readonly string[]): Result<null, SupervisorError> {
  const tops = allowed.map((folder) => realpathOfExisting(folder));
  const isOurs = (folder: string): boolean => tops.some((top) => folder !== top && isUnder(folder, top));
  for (let folder = root; isOurs(folder); folder = dirname(folder)) {
    if (isStateFolder(basename(folder))) return err(refused(root, `${folder} is the service's own folder`));
    const paths = layOutDirectory(folder);
    const claim = paths === null ? null : loadClaim(paths.stateDirectory);
    if (claim !== null)
      return err(refused(root, `${folder} is the workspace ${claim.key} of project ${claim.project}`));
  }
  return ok(null);
}

const refused = (root: string, why: string): SupervisorError => ({
  code: 'workspace_root_refused',
  detail: `workspace.root ${root} cannot be used, for ${why}; choose a folder of its own.`,
});

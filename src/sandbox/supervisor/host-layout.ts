/** How workspaces lie under a root on a host. Pure. */
import { basename, dirname, join } from 'node:path';

/** A key begins with none of these names' dots, so no workspace can be in their place. */
const OURS = '.edge-harness';
const TRASH = '.trash';

export interface HostPaths {
  readonly root: string;
  readonly key: string;
  readonly directory: string;
  /** Claim, records, git's scratch: `<root>/.edge-harness/<key>`. */
  readonly stateDirectory: string;
}

/** The keys of section 2: no leading dot, no path in it. */
export const isKey = (key: string): boolean => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(key);

export const layOut = (root: string, key: string): HostPaths => ({
  root,
  key,
  directory: join(root, key),
  stateDirectory: join(root, OURS, key),
});

/** null where no workspace can be. */
export function layOutDirectory(directory: string): HostPaths | null {
  const key = basename(directory);
  const root = dirname(directory);
  return isKey(key) && join(root, key) === directory ? layOut(root, key) : null;
}

export const isStateFolder = (name: string): boolean => name === OURS;

export const stateFolder = (root: string): string => join(root, OURS);

export const trashFolder = (root: string): string => join(root, OURS, TRASH);

/** A name in the trash says whose it was, so that a removal can be tried again. */
export const trashName = (key: string, random: string): string => `${key}~${random}`;

export const isTrashOf = (key: string, name: string): boolean =>
  name.startsWith(`${key}~`) && !name.slice(key.length + 1).includes('~');

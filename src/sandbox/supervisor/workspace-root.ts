/** Where a host's workspaces may be. The arithmetic of paths is pure; the last word has the real path. */
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { err, ok, type Result } from '../../core/result.ts';
import type { SupervisorError } from '../protocol.ts';

export interface RootNames {
  readonly home: string;
  readonly temporary: string;
  readonly user: string;
}

/** `workspace.root` as an absolute path: `~`, `$HOME`, `$TMPDIR`, `$USER` expand, a relative one starts at WORKFLOW.md's folder. */
export function expandRoot(
  root: string | null,
  project: string,
  workflowFolder: string,
  names: RootNames,
): string {
  if (root === null || root.trim() === '') return join(names.temporary, 'symphony_workspaces', project);
  const values: Record<string, string> = { HOME: names.home, TMPDIR: names.temporary, USER: names.user };
  const expanded = root
    .replace(/^~(?=\/|$)/, () => names.home)
    .replaceAll(
      /\$(?:(HOME|TMPDIR|USER)\b|\{(HOME|TMPDIR|USER)\})/g,
      (_, plain?: string, braced?: string) => {
        return values[plain ?? braced ?? ''] ?? '';
      },
    );
  return resolve(workflowFolder, expanded);
}

export function isUnder(path: string, root: string): boolean {
  const rest = relative(root, path);
  return rest !== '..' && !rest.startsWith('../') && !isAbsolute(rest);
}

/** Makes the folder where it may be, and answers its real path; `find` only answers where it would be. */
export function openRoot(
  root: string,
  allowed: readonly string[],
  how: 'make' | 'find',
): Result<string, SupervisorError> {
  const realAllowed = allowed.map((folder) => realpathOfExisting(resolve(folder)));
  // Checked before it is made, so that nothing is made outside; and after, for links may have been in the way.
  if (!realAllowed.some((folder) => isUnder(realpathOfExisting(root), folder)))
    return err(refused(root, allowed));
  if (how === 'find') return ok(realpathOfExisting(root));
  try {
    mkdirSync(root, { recursive: true });
    const real = realpathSync(root);
    return realAllowed.some((folder) => isUnder(real, folder)) ? ok(real) : err(refused(root, allowed));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err({ code: 'workspace_root_refused', detail: `${root} cannot be made: ${reason}` });
  }
}

/** The real path of what exists of `path`, with the rest appended. */
export function realpathOfExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realpathOfExisting(parent), relative(parent, path));
  }
}

const refused = (root: string, allowed: readonly string[]): SupervisorError => ({
  code: 'workspace_root_refused',
  detail: `workspace.root ${root} is not under an allowed folder (${allowed.join(', ')}): set workspace.root to one under these, or name its folder in HOST_ROOTS, too.`,
});

/** The roots in which this host's workspaces are: found again after a restart, when no call has named them yet. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { loadJson, saveAtomic } from './atomic-file.ts';
import { isKey, layOut, stateFolder, type HostPaths } from './host-layout.ts';

export class KnownRoots {
  readonly #file: string;
  readonly #allowed: readonly string[];
  readonly #roots: Set<string>;

  constructor(stateDirectory: string, allowed: readonly string[]) {
    this.#file = join(stateDirectory, 'roots.json');
    this.#allowed = allowed;
    this.#roots = new Set(z.array(z.string()).safeParse(loadJson(this.#file)).data ?? []);
  }

  remember(root: string): void {
    if (this.#roots.has(root)) return;
    this.#roots.add(root);
    saveAtomic(this.#file, JSON.stringify([...this.#roots]));
  }

  /** Those remembered, and those that a lost state folder would have remembered. */
  list(): string[] {
    const candidates = this.#allowed.flatMap((root) => [
      root,
      ...listFolders(root).map((name) => join(root, name)),
    ]);
    const found = candidates.filter((root) => existsSync(stateFolder(root)));
    return [...new Set([...this.#roots, ...found])].filter((root) => existsSync(root));
  }
}

/** Every workspace folder and every claim under a root, whichever of the two is left. */
export function listWorkspaces(root: string): HostPaths[] {
  const keys = new Set([...listFolders(root), ...listFolders(stateFolder(root))]);
  return [...keys].filter(isKey).map((key) => layOut(root, key));
}

function listFolders(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch {
    return [];
  }
}

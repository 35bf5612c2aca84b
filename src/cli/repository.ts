/** Where things lie in a repository, and the one guard that keeps every write inside it. */
import { dirname, join } from 'node:path';
import { diagnose } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import type { FilePort } from './io.ts';

export const MANIFEST_PATH = '.harness/manifest.json';
export const INDEX_PATH = '.harness/managed-index.json';
export const LOCK_PATH = '.harness/lock';
export const SOURCES_PATH = '.harness/src/hooks';

export const sourcePath = (hookId: string): string => `${SOURCES_PATH}/${hookId}.json`;

export const overridePath = (hookId: string, provider: string): string =>
  `${SOURCES_PATH}/${hookId}.overrides.${provider}.yaml`;

/** The nearest folder, upwards, that has a manifest. */
export const findRoot = (files: FilePort, from: string): string | undefined => {
  for (let folder = from; ; folder = dirname(folder)) {
    if (files.kind(join(folder, MANIFEST_PATH)) !== undefined) return folder;
    if (dirname(folder) === folder) return undefined;
  }
};

/** A repository's files by path relative to its root, with `/` on every system. */
export class Repository {
  readonly root: string;
  readonly files: FilePort;

  constructor(root: string, files: FilePort) {
    this.root = root;
    this.files = files;
  }

  absolute(path: string): string {
    return join(this.root, ...path.split('/'));
  }

  read(path: string): Uint8Array | undefined {
    return this.files.read(this.absolute(path));
  }

  has(path: string): boolean {
    return this.files.kind(this.absolute(path)) !== undefined;
  }

  /** Why nothing may be written or deleted at `path`; `undefined` when it is safe. Links are refused, wherever they lead. */
  refusal(path: string): CliDiagnostic | undefined {
    const steps = path.split('/');
    for (let length = 1; length <= steps.length; length += 1) {
      const part = steps.slice(0, length).join('/');
      const kind = this.files.kind(this.absolute(part));
      if (kind === undefined) return undefined;
      if (kind === 'link') return refuseLink(path, part);
      const expected = length === steps.length ? 'file' : 'folder';
      if (kind !== expected) {
        return diagnose(
          'FILE_ERROR',
          `${part} is no ${expected}, so ${path} cannot be written. Move it away.`,
          { path },
        );
      }
    }
    return undefined;
  }
}

const refuseLink = (path: string, part: string): CliDiagnostic => {
  const text = `${part} is a symbolic link, and harness does not write through links. Replace it by a real ${part === path ? 'file' : 'folder'}.`;
  return diagnose('OUTPUT_PATH_LINK', text, { path });
};

/** What `.harness/` says about a repository: manifest, index, sources. */
import { ok } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { diagnose } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import type { CliIo } from './io.ts';
import { parseIndex } from './managed-index.ts';
import type { ManagedIndex } from './managed-index.ts';
import { parseManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { findRoot, INDEX_PATH, MANIFEST_PATH, Repository } from './repository.ts';
import { decodeText } from './text-file.ts';

export interface Opened {
  repository: Repository;
  manifest: Manifest;
}

/** The repository around the working directory. */
export const openRepository = (io: CliIo): Result<Opened, CliDiagnostic> => {
  const root = findRoot(io.files, io.cwd);
  if (root === undefined) {
    const text = `There is no ${MANIFEST_PATH} in ${io.cwd} or above. Run: harness init`;
    return { ok: false, error: diagnose('MANIFEST_MISSING', text) };
  }
  const repository = new Repository(root, io.files);
  const manifest = parseManifest(textAt(repository, MANIFEST_PATH) ?? '');
  return manifest.ok ? ok({ repository, manifest: manifest.value }) : manifest;
};

export const readIndex = (repository: Repository): Result<ManagedIndex, CliDiagnostic> => {
  const text = textAt(repository, INDEX_PATH);
  return text === undefined ? ok({ files: [] }) : parseIndex(text);
};

const textAt = (repository: Repository, path: string): string | undefined => {
  const bytes = repository.read(path);
  return bytes === undefined ? undefined : (decodeText(bytes) ?? '');
};

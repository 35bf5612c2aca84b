/**
 * Carries a plan out, all or nothing. The index goes first with what is about to happen and last with what has happened:
 * whenever the process dies in between, the next apply knows both states and finishes. A failure is undone.
 */
import { FileError } from './io.ts';
import { printIndex } from './managed-index.ts';
import type { ManagedIndex } from './managed-index.ts';
import type { Plan } from './plan.ts';
import type { Operation } from './plan-file.ts';
import { INDEX_PATH } from './repository.ts';
import type { Repository } from './repository.ts';

const TEMPORARY = '.harness-tmp'; // one fixed name per file, so that the next apply finds what an interrupted one left

/** Throws `FileError` when the machine refuses; the files are as before then. */
export const carryOut = (repository: Repository, { operations, index, nextIndex }: Plan): void => {
  cleanUp(repository, index);
  const changes = operations.filter(({ action }) => action !== 'noop');
  if (changes.length === 0 && JSON.stringify(index) === JSON.stringify(nextIndex)) return;
  if (changes.length > 0) writeIndex(repository, { files: index.files, pending: nextIndex.files });
  const done: Operation[] = [];
  try {
    for (const change of changes) stage(repository, change);
    for (const change of changes) {
      done.push(change);
      commit(repository, change);
    }
    writeIndex(repository, nextIndex);
  } catch (error) {
    undo(repository, changes, done, index);
    throw error;
  }
};

/** Temporary files that an interrupted apply left. */
const cleanUp = (repository: Repository, { pending }: ManagedIndex): void => {
  for (const path of [INDEX_PATH, ...(pending ?? []).map((file) => file.path)]) {
    if (repository.has(path + TEMPORARY) && repository.refusal(path) === undefined) discard(repository, path);
  }
};

const discard = (repository: Repository, path: string): void =>
  repository.files.remove(repository.absolute(path + TEMPORARY));

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const stage = (repository: Repository, { path, after }: Operation): void => {
  if (after !== undefined) writeTemporary(repository, path, after);
};

/** With the permissions of the file that it is going to replace. */
const writeTemporary = (repository: Repository, path: string, text: string): void => {
  const { files } = repository;
  const target = repository.absolute(path);
  const mode = files.kind(target) === undefined ? undefined : files.mode(target);
  if (path.includes('/')) files.makeFolder(repository.absolute(parentOf(path)));
  discard(repository, path);
  files.writeNew(target + TEMPORARY, text, mode);
};

const commit = (repository: Repository, { path, after }: Operation): void => {
  const target = repository.absolute(path);
  if (after === undefined) repository.files.remove(target);
  else repository.files.rename(target + TEMPORARY, target);
};

const writeIndex = (repository: Repository, index: ManagedIndex): void => {
  writeTemporary(repository, INDEX_PATH, printIndex(index));
  repository.files.rename(repository.absolute(INDEX_PATH + TEMPORARY), repository.absolute(INDEX_PATH));
};

const undo = (
  repository: Repository,
  changes: readonly Operation[],
  done: readonly Operation[],
  index: ManagedIndex,
): void => {
  for (const change of done) attempt(() => restore(repository, change));
  for (const { path } of changes) attempt(() => discard(repository, path));
  attempt(() => writeIndex(repository, index));
};

const restore = (repository: Repository, { path, before }: Operation): void => {
  const target = repository.absolute(path);
  if (before === undefined) return repository.files.remove(target);
  writeTemporary(repository, path, before);
  repository.files.rename(target + TEMPORARY, target);
};

/** While undoing, one more refusal must not keep the rest from being undone. */
const attempt = (run: () => void): void => {
  try {
    run();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
};

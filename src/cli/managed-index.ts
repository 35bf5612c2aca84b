/**
 * `.harness/managed-index.json`: what harness wrote, by hash. Ownership lies here and in no marker inside the entries.
 * It is written first with what is about to happen (`pending`) and last with what has happened.
 */
import { isProvider } from '../core/projection/capabilities.ts';
import type { Provider } from '../core/projection/events.ts';
import { isObject } from '../core/projection/parse-handler.ts';
import { parseJsonText, positionAt } from '../core/projection/source-text.ts';
import { parseTargetPath } from '../core/projection/target-path.ts';
import type { Result } from '../core/result.ts';
import { err, ok } from '../core/result.ts';
import { sha256 } from './builtins.ts';
import { diagnose } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import { INDEX_PATH } from './repository.ts';

/** One entry of a shared file: `event` is the native name, or `notify`; the hash is of its value, whatever the layout. */
export interface OwnedEntry {
  event: string;
  hash: string;
}

export interface ManagedFile {
  path: string;
  provider: Provider;
  /** `whole`: every byte is ours. `shared`: the entries are. */
  ownership: 'whole' | 'shared';
  /** Of the file as it was left. */
  hash: string;
  /** The file did not exist before. */
  created: boolean;
  entries: readonly OwnedEntry[];
  /** Keys that were not there before: `version`, `hooks`, and native events. */
  madeKeys: readonly string[];
}

export interface ManagedIndex {
  files: readonly ManagedFile[];
  /** What an apply set out to leave behind; present only while it runs, or after it was interrupted. */
  pending?: readonly ManagedFile[];
}

export const hashOf = (text: string): string => sha256(text);

export const printIndex = (index: ManagedIndex): string =>
  `${JSON.stringify({ version: 1, ...index }, undefined, 2)}\n`;

export const parseIndex = (text: string): Result<ManagedIndex, CliDiagnostic> => {
  const json = parseJsonText(text);
  if (!json.ok) {
    const position = positionAt(text, json.error.offset);
    return invalid(`line ${position.line}, column ${position.column}: ${json.error.text}.`, position);
  }
  const index = json.value;
  if (!isObject(index) || index['version'] !== 1) return invalid('version is not 1.');
  const files = readFiles(index['files']);
  if (files === undefined) return invalid('files is no list of managed files.');
  if (index['pending'] === undefined) return ok({ files });
  const pending = readFiles(index['pending']);
  return pending === undefined ? invalid('pending is no list of managed files.') : ok({ files, pending });
};

const invalid = (
  text: string,
  position: { line?: number; column?: number } = {},
): Result<never, CliDiagnostic> =>
  err(
    diagnose(
      'MANAGED_INDEX_INVALID',
      `${INDEX_PATH} is not valid: ${text} Restore it from version control; without it harness no longer knows what it wrote.`,
      { path: INDEX_PATH, ...position },
    ),
  );

const readFiles = (value: unknown): ManagedFile[] | undefined =>
  Array.isArray(value) && value.every(isManagedFile) ? value : undefined;

/** The file may have been edited by anybody, so a path that leaves the repository makes it invalid. */
const isManagedFile = (value: unknown): value is ManagedFile =>
  isObject(value) &&
  isSafePath(value['path']) &&
  isProvider(value['provider']) &&
  (value['ownership'] === 'whole' || value['ownership'] === 'shared') &&
  typeof value['hash'] === 'string' &&
  typeof value['created'] === 'boolean' &&
  Array.isArray(value['entries']) &&
  value['entries'].every(isOwnedEntry) &&
  Array.isArray(value['madeKeys']) &&
  value['madeKeys'].every((key) => typeof key === 'string');

const isSafePath = (value: unknown): boolean => {
  if (typeof value !== 'string') return false;
  const path = parseTargetPath(value);
  return path.ok && path.value === value;
};

const isOwnedEntry = (value: unknown): boolean =>
  isObject(value) && typeof value['event'] === 'string' && typeof value['hash'] === 'string';

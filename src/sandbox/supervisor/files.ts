/** Reads and writes single files of a workspace, for people and pages; never outside of it. */
import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../../core/result.ts';
import type { FileList, SupervisorError } from '../protocol.ts';
import { isCode } from './atomic-file.ts';
import { openInside, openSlot, refused, unusable, viaDescriptor, type Slot } from './workspace-path.ts';

/** One file of one call; larger ones are fetched with git. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_ENTRIES = 10_000;

/** What is wrong with the path, not with the disk. */
const UNUSABLE = ['ENAMETOOLONG', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EISDIR'];

type Found = { kind: 'folder'; list: FileList } | { kind: 'file'; bytes: Buffer; etag: string };

export function readPath(directory: string, path: string): Result<Found, SupervisorError> {
  const opened = openInside(directory, path === '' ? '.' : path);
  if (!opened.ok) return opened;
  try {
    const stats = fstatSync(opened.value);
    if (stats.isDirectory())
      return ok({ kind: 'folder', list: listFolder(viaDescriptor(opened.value) ?? join(directory, path)) });
    if (!stats.isFile()) return err(refused(path));
    if (stats.size > MAX_FILE_BYTES) return err(tooLarge(path));
    const bytes = readFileSync(opened.value);
    return ok({ kind: 'file', bytes, etag: etagOf(bytes) });
  } finally {
    closeSync(opened.value);
  }
}

/** Replaces the file as a whole, keeping its mode; answers its new ETag. A link is refused, not written through. */
export function writePath(
  directory: string,
  path: string,
  bytes: Buffer,
  ifMatch: string | null,
): Result<string, SupervisorError> {
  const slot = openSlot(directory, path);
  if (!slot.ok) return slot;
  try {
    return replace(slot.value, path, bytes, ifMatch);
  } catch (error) {
    // A full disk, say, is nobody's mistake.
    if (!UNUSABLE.some((code) => isCode(error, code))) throw error;
    return err(unusable(path, error));
  } finally {
    closeSync(slot.value.fd);
  }
}

function replace(
  slot: Slot,
  path: string,
  bytes: Buffer,
  ifMatch: string | null,
): Result<string, SupervisorError> {
  const target = join(slot.folder, slot.name);
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) return err(refused(path));
  if (ifMatch !== null && !isMatch(ifMatch, target, stats)) {
    return err({ code: 'file_changed', detail: `${path} is not the version ${ifMatch} any more.` });
  }
  const temporary = join(slot.folder, `.${randomUUID()}.tmp`);
  try {
    writeFileSync(temporary, bytes, { flag: 'wx', mode: stats === undefined ? 0o644 : stats.mode & 0o777 });
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
  return ok(etagOf(bytes));
}

/** A file too large to be read never had an ETag. */
function isMatch(ifMatch: string, target: string, stats: Stats | undefined): boolean {
  if (stats === undefined) return false;
  if (ifMatch === '*') return true;
  return stats.size <= MAX_FILE_BYTES && ifMatch === etagOf(readFileSync(target));
}

function listFolder(folder: string): FileList {
  const entries = readdirSync(folder, { withFileTypes: true }).slice(0, MAX_ENTRIES);
  return {
    entries: entries.flatMap((entry) => {
      const stats = lstatSync(join(folder, entry.name), { throwIfNoEntry: false });
      if (stats === undefined || entry.name.length > 1024) return [];
      return { name: entry.name, kind: kindOf(entry), size: stats.size, modified_at_ms: stats.mtimeMs };
    }),
  };
}

function kindOf(entry: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): FileList['entries'][number]['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;

const tooLarge = (path: string): SupervisorError => ({
  code: 'too_large',
  detail: `${path} is over ${MAX_FILE_BYTES} bytes.`,
});

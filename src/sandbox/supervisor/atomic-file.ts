/** Small files that are whole or absent, whatever is killed when. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';

/** Replaces the file. Outlives every process, not a power failure within seconds. */
export function saveAtomic(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}

/** On the disk, and whole, when it returns. False when the file is already there: whoever came first wins, also against another process. */
export function saveOnce(path: string, text: string): boolean {
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeDurably(temporary, text);
    // A file that is created under its own name first would be there, and empty, after a crash between the two.
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    removeFile(temporary);
  }
}

function writeDurably(path: string, text: string): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Idempotent; cheaper than `rm`. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

export function loadText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return null;
    throw error;
  }
}

/** null for an absent file and for one that a crash left unreadable. */
export function loadJson(path: string): unknown {
  const text = loadText(path);
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

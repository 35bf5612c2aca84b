/** Small files that are whole or absent, whatever is killed when. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';

/** Replaces the file. */
export function saveAtomic(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  writeSynced(temporary, text, 'w');
  renameSync(temporary, path);
}

/** False when the file is already there: whoever came first wins, also against another process. */
export function saveOnce(path: string, text: string): boolean {
  try {
    writeSynced(path, text, 'wx');
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
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

function writeSynced(path: string, text: string, flags: 'w' | 'wx'): void {
  const fd = openSync(path, flags, 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

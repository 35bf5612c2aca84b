/** Finds an operation's wrapper again: by what it wrote about itself, checked against the machine's processes. Pure but for /proc. */
import { parseStat, readProcess } from './process-table.ts';

export interface WrapperProcess {
  readonly pid: number;
  /** Leader of the process group that the script runs in. */
  readonly scriptGroup: number;
  /** Without /proc it is null, and a number that was given to another process cannot be told apart. */
  readonly startedAt: number | null;
}

/** `<script> <wrapper> <the wrapper's stat line>`; null while it is not complete. */
export function parseWrapper(text: string | null): WrapperProcess | null {
  const match = /^(\d+) (\d+) (.*)\n$/s.exec(text ?? '');
  if (match === null) return null;
  const stat = match[3] === '' ? null : parseStat(match[3] ?? '');
  return { scriptGroup: Number(match[1]), pid: Number(match[2]), startedAt: stat?.startedAt ?? null };
}

export function isAlive(wrapper: WrapperProcess): boolean {
  if (wrapper.startedAt !== null) return readProcess(wrapper.pid)?.startedAt === wrapper.startedAt;
  try {
    return process.kill(wrapper.pid, 0);
  } catch {
    return false;
  }
}

/** How a script ended, from what its wrapper left behind. Pure. */
import { constants } from 'node:os';

export interface ExitStatus {
  readonly code: number | null;
  readonly signal: string | null;
}

/**
 * `exit` holds the status as a shell sees it, 128 + n for signal n; the wrapper's log says "[1]+ Exit 137" where the
 * script really exited with it, and names the signal in any language otherwise. null: the file is not complete.
 */
export function parseExit(exit: string | null, wrapperLog: string): ExitStatus | null {
  const code = /^(\d+)\n$/.exec(exit ?? '')?.[1];
  if (code === undefined) return null;
  const status = Number(code);
  const exited = new RegExp(`^\\[1\\].*\\b${code}\\b`, 'm').test(wrapperLog);
  const signal = status > 128 && !exited ? signalName(status - 128) : null;
  return signal === null ? { code: status, signal: null } : { code: null, signal };
}

const signalName = (number: number): string | null =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;

/** One JSON line per event. No script, no environment and no URL ever gets into it. */
import { appendFileSync, renameSync, statSync } from 'node:fs';

const MAX_BYTES = 4 * 1024 * 1024;

export type Log = (event: string, details: Readonly<Record<string, unknown>>) => void;

/** The newest two files are kept. A full disk loses lines, not the supervisor. */
export function openLog(path: string): Log {
  return (event, details) => {
    try {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.1`);
      appendFileSync(path, `${JSON.stringify({ at: new Date().toISOString(), event, ...details })}\n`, {
        mode: 0o600,
      });
    } catch {
      // Nowhere to write that it cannot be written.
    }
  };
}

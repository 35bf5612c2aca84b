/** The machine's processes as /proc tells. Where there is no /proc (macOS) the table is empty: groups can still be signalled. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

/** In the environment of everything that an operation starts: `<workspace>/<operation>`. */
export const MARKER_NAME = 'EDGE_HARNESS_OPERATION';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly hasTerminal: boolean;
  /** Clock ticks since boot; with the pid it names a process for good. */
  readonly startedAt: number;
}

export function readProcesses(): Process[] {
  return listPids().flatMap((pid) => readProcess(pid) ?? []);
}

/** null when it is gone; a zombie counts as gone, for it runs no more. */
export function readProcess(pid: number): Process | null {
  const stat = readShort(`/proc/${pid}/stat`);
  return stat === null ? null : parseStat(stat);
}

/** The name in the second field may hold anything, so what follows is counted from its closing bracket. */
export function parseStat(stat: string): Process | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session, terminal] = fields;
  if (state === undefined || 'ZXx'.includes(state)) return null;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    session: Number(session),
    hasTerminal: terminal !== '0',
    startedAt: Number(fields[19]),
  };
}

/** The operations that a process belongs to: several where a supervisor runs inside an operation of another one. */
export function readMarkers(pid: number): string[] {
  const environ = read(`/proc/${pid}/environ`);
  if (environ === null || !environ.includes(MARKER_NAME)) return [];
  const entry = environ.split('\0').find((line) => line.startsWith(`${MARKER_NAME}=`));
  return entry?.slice(MARKER_NAME.length + 1).split(' ') ?? [];
}

function listPids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** A stat line is below this; one read instead of `readFile`'s four calls, for every process of the machine. */
const buffer = Buffer.alloc(4096);

function readShort(path: string): string | null {
  try {
    const fd = openSync(path, 'r');
    try {
      return buffer.toString('latin1', 0, readSync(fd, buffer));
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

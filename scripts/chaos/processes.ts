/** The processes of this machine as far as chaos is about them. */
import { readdirSync, readFileSync } from 'node:fs';

/** workerd by its pid: our child, which Miniflare starts again. */
export function killWorkerd(): void {
  for (const pid of listPids())
    if (parentOf(pid) === process.pid && read(pid, 'comm').startsWith('workerd')) kill(pid);
}

/** Those that a supervisor started for a hook, an agent or git in a workspace below the folder: they carry its mark. */
export const findScripts = (folder: string): number[] =>
  listPids().filter((pid) => {
    const environment = read(pid, 'environ');
    return environment.includes('EDGE_HARNESS_OPERATION=') && environment.includes(folder);
  });

export const commandOf = (pid: number): string => read(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 200);

const listPids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** After the command's name, which may hold anything: state, parent, … */
function parentOf(pid: number): number {
  const stat = read(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Nothing where there is no such process (0: it was never started), as between a service's death and its restart. */
export function kill(pid: number): void {
  if (pid === 0) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

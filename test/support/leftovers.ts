/** Processes that a test's own services left behind: whatever runs in their folder, names it, or inherited it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Those that were told to end may take a moment to be gone. */
export async function findLeftovers(folder: string): Promise<string[]> {
  for (let tries = 0; ; tries += 1) {
    const left = findProcesses(folder);
    if (left.length === 0 || tries === 40)
      return left.map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** As the end of a container does: whatever its session or group is. */
export function killProcesses(folder: string): void {
  for (let tries = 0; tries < 10; tries += 1) {
    const left = findProcesses(folder);
    if (left.length === 0) return;
    for (const { pid } of left) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function findProcesses(folder: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const command = read(name, 'cmdline').replaceAll('\0', ' ').trim();
      const isOurs = [command, read(name, 'environ'), workingDirectory(name)].some((text) =>
        text.includes(folder),
      );
      return isOurs && command !== '' ? [{ pid: Number(name), command }] : [];
    });
}

/** Miniflare's child, which carries no folder of ours. */
export const findWorkerd = (): string[] =>
  readdirSync('/proc').filter(
    (name) => read(name, 'stat').includes(` ${process.pid} `) && read(name, 'cmdline').includes('workerd'),
  );

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function workingDirectory(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** Kills processes until none of them is left. */
import { setTimeout as sleep } from 'node:timers/promises';
import { planKills, processName, type MarkedProcess, type Selection } from './leftovers.ts';
import { readMarkers, readProcesses } from './process-table.ts';

/** Something in the kernel's hands (a dead disk) cannot be waited for for ever. */
const GIVE_UP_MS = 8_000;
const PAUSE_MS = 10;

export type KillPlan = Omit<Selection, 'known' | 'supervisorPid'> & {
  /** Nothing older belongs to us, so its environment need not be read. */
  readonly notBefore: number;
};

export interface KillReport {
  readonly killed: number;
  /** Still there when we gave up. */
  readonly left: number;
}

/** Ends after two passes in a row that find nothing: a process that forks while we look is caught by the second. */
export async function killAll(plan: KillPlan, seen: ReadonlySet<string> = new Set()): Promise<KillReport> {
  const known = new Set(seen);
  const killed = new Set<string>();
  const deadline = performance.now() + GIVE_UP_MS;
  let emptyPasses = 0;
  let left = 0;
  while (emptyPasses < 2 && performance.now() < deadline) {
    const targets = findProcesses(plan, known);
    left = targets.length;
    emptyPasses = left === 0 ? emptyPasses + 1 : 0;
    for (const target of targets) {
      known.add(processName(target));
      killed.add(processName(target));
      signal(target.pid, 'SIGKILL');
    }
    if (left > 0) await sleep(PAUSE_MS);
  }
  return { killed: killed.size, left };
}

export function findProcesses(plan: KillPlan, known: ReadonlySet<string> = new Set()): MarkedProcess[] {
  const processes = readProcesses().map((process) => ({
    ...process,
    markers: process.startedAt >= plan.notBefore ? readMarkers(process.pid) : [],
  }));
  return planKills(processes, { ...plan, known, supervisorPid: process.pid });
}

/** A negative number names a process group. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone, or another user's: the next pass tells.
  }
}

/** Which processes go when an operation or a workspace is cleaned up. Pure: a table in, pids out. */
import type { Process } from './process-table.ts';

/** A process with the operations that its environment names. */
export interface MarkedProcess extends Process {
  readonly markers: readonly string[];
}

/** The session that an operation's wrapper leads. */
export interface Session {
  readonly id: number;
  readonly leaderStartedAt: number;
}

export interface Family {
  /** `<workspace>/<operation>`, or `<workspace>/` for all of them. */
  readonly markers: readonly string[];
  readonly sessions: readonly Session[];
}

export interface Selection {
  readonly kill: Family;
  /** Operations that go on running. */
  readonly spare: Family;
  readonly supervisorPid: number;
  /** They go by themselves when they are let go. */
  readonly wrapperPids: readonly number[];
  /**
   * In a sandbox of its own everything else goes as well, except what started before the supervisor (PID 1 and the SDK's
   * server), what the supervisor started for itself, and terminals. null: only `kill` and its descendants.
   */
  readonly sandboxStartedAt: number | null;
  /** Seen in an earlier pass as part of the family, then perhaps orphaned: `pid:startedAt`. */
  readonly known: ReadonlySet<string>;
}

export const processName = ({ pid, startedAt }: Process): string => `${pid}:${startedAt}`;

export function planKills(processes: readonly MarkedProcess[], selection: Selection): MarkedProcess[] {
  const byPid = new Map(processes.map((process) => [process.pid, process]));
  const isKept = memoByAncestor(byPid, (process) => isMember(process, selection.spare, byPid));
  const isOurs = memoByAncestor(byPid, (process) => isMember(process, selection.kill, byPid));
  const isHelper = memoByAncestor(byPid, (process) => process.pid === selection.supervisorPid);
  return processes.filter((process) => {
    if (process.pid === 1 || process.pid === selection.supervisorPid) return false;
    if (selection.wrapperPids.includes(process.pid)) return false;
    if (isKept(process)) return false;
    if (isOurs(process) || selection.known.has(processName(process))) return true;
    if (selection.sandboxStartedAt === null || isHelper(process)) return false;
    return !process.hasTerminal && process.startedAt > selection.sandboxStartedAt;
  });
}

function isMember(process: MarkedProcess, family: Family, byPid: ReadonlyMap<number, Process>): boolean {
  const marked = process.markers.some((marker) =>
    family.markers.some((wanted) => (wanted.endsWith('/') ? marker.startsWith(wanted) : marker === wanted)),
  );
  return marked || family.sessions.some((session) => isInSession(process, session, byPid));
}

/** While a session has members its number is not given to a new process, so a leader with another start is a stranger. */
function isInSession(process: Process, session: Session, byPid: ReadonlyMap<number, Process>): boolean {
  if (process.session !== session.id) return false;
  const leader = byPid.get(session.id);
  return leader === undefined
    ? process.startedAt >= session.leaderStartedAt
    : leader.startedAt === session.leaderStartedAt;
}

/** Whether a process or one of its ancestors passes. */
function memoByAncestor(
  byPid: ReadonlyMap<number, MarkedProcess>,
  test: (process: MarkedProcess) => boolean,
): (process: MarkedProcess) => boolean {
  const answers = new Map<number, boolean>();
  const ask = (process: MarkedProcess): boolean => {
    const known = answers.get(process.pid);
    if (known !== undefined) return known;
    // A table read while processes come and go could hold a cycle.
    answers.set(process.pid, false);
    const parent = byPid.get(process.parent);
    const answer = test(process) || (parent !== undefined && parent.pid !== process.pid && ask(parent));
    answers.set(process.pid, answer);
    return answer;
  };
  return ask;
}

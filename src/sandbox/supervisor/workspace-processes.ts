/** Whose processes are whose in one workspace: by the marker in their environment, by session, and by descent. */
import { createHash } from 'node:crypto';
import { loadText } from './atomic-file.ts';
import { processName, type Family, type Session } from './leftovers.ts';
import { OperationFolder } from './operation-record.ts';
import { findProcesses, killAll, type KillPlan, type KillReport } from './process-killer.ts';
import { readProcess } from './process-table.ts';
import { parseWrapper } from './wrapper-process.ts';

const NOBODY: Family = { markers: [], sessions: [] };

export interface Territory {
  readonly stateDirectory: string;
  /** When the supervisor of a sandbox first started: younger processes are leftovers. null: marked ones alone are. */
  readonly sandboxStartedAt: number | null;
}

export class WorkspaceProcesses {
  /** The same after every restart; differs between workspaces. */
  readonly #id: string;
  readonly #sandboxStartedAt: number | null;
  readonly #stateDirectory: string;
  /** Operations that may have processes, with their sessions once known. */
  readonly #tracked = new Map<string, Session[]>();
  readonly #seen = new Map<string, Set<string>>();
  /** Older processes are nobody's of ours, unless another supervisor worked here before. */
  #notBefore = readProcess(process.pid)?.startedAt ?? 0;

  constructor({ stateDirectory, sandboxStartedAt }: Territory) {
    this.#id = createHash('sha256').update(stateDirectory).digest('hex').slice(0, 16);
    this.#stateDirectory = stateDirectory;
    this.#sandboxStartedAt = sandboxStartedAt;
  }

  markerOf(operation: string): string {
    return `${this.#id}/${operation}`;
  }

  /** From its start on, an operation's session counts as ours. */
  track(operation: string): void {
    this.#tracked.set(operation, []);
  }

  /**
   * An operation of a former supervisor. The number of its session may have been given away meanwhile, so the session of
   * one that has ended counts only while a process in it carries our marker.
   */
  recall(operation: string, hasEnded: boolean): void {
    this.#notBefore = 0;
    if (!hasEnded || this.#isMarked(this.#readSession(operation))) this.track(operation);
  }

  /** The processes of one operation besides its wrapper. Those seen once are found again when they are orphaned. */
  list(operation: string): number[] {
    const seen = this.#seenOf(operation);
    const found = findProcesses(this.#planOperation(operation), seen);
    for (const process of found) seen.add(processName(process));
    const wrappers = this.#sessionsOf([operation]).map(({ id }) => id);
    return found.flatMap(({ pid }) => (wrappers.includes(pid) ? [] : [pid]));
  }

  async killOperation(operation: string): Promise<KillReport> {
    const report = await killAll(this.#planOperation(operation), this.#seenOf(operation));
    this.#seen.delete(operation);
    return report;
  }

  /** Everything that none of the `running` operations owns. */
  async killLeftovers(running: readonly string[]): Promise<KillReport> {
    const ended = [...this.#tracked.keys()].filter((operation) => !running.includes(operation));
    const report = await killAll({
      kill: { markers: [`${this.#id}/`], sessions: this.#sessionsOf(ended) },
      spare: this.#familyOf(running),
      wrapperPids: this.#ownWrappers(ended),
      sandboxStartedAt: this.#sandboxStartedAt,
      notBefore: this.#notBefore,
    });
    if (report.left === 0) for (const operation of ended) this.#tracked.delete(operation);
    return report;
  }

  #seenOf(operation: string): Set<string> {
    const seen = this.#seen.get(operation) ?? new Set();
    this.#seen.set(operation, seen);
    return seen;
  }

  #planOperation(operation: string): KillPlan {
    return {
      kill: this.#familyOf([operation]),
      spare: NOBODY,
      wrapperPids: [],
      sandboxStartedAt: null,
      notBefore: this.#notBefore,
    };
  }

  #familyOf(operations: readonly string[]): Family {
    return {
      markers: operations.map((operation) => this.markerOf(operation)),
      sessions: this.#sessionsOf(operations),
    };
  }

  /** Those that this supervisor started: it lets them go itself, while a former one's wait for nobody. */
  #ownWrappers(operations: readonly string[]): number[] {
    const wrappers = this.#sessionsOf(operations).map(({ id }) => id);
    return wrappers.filter((pid) => readProcess(pid)?.parent === process.pid);
  }

  #sessionsOf(operations: readonly string[]): Session[] {
    return operations.flatMap((operation) => {
      const known = this.#tracked.get(operation);
      if (known === undefined || known.length > 0) return known ?? [];
      const sessions = this.#readSession(operation);
      this.#tracked.set(operation, sessions);
      return sessions;
    });
  }

  /** Empty until the wrapper has written about itself, and for operations without one. */
  #readSession(operation: string): Session[] {
    const file = new OperationFolder(this.#stateDirectory, operation).file('process');
    const wrapper = parseWrapper(loadText(file));
    if (wrapper === null || wrapper.startedAt === null) return [];
    return [{ id: wrapper.pid, leaderStartedAt: wrapper.startedAt }];
  }

  #isMarked(sessions: readonly Session[]): boolean {
    if (sessions.length === 0) return false;
    const kill = { markers: [`${this.#id}/`], sessions: [] };
    const marked = findProcesses({
      kill,
      spare: NOBODY,
      wrapperPids: [],
      sandboxStartedAt: null,
      notBefore: 0,
    });
    return marked.some((process) => sessions.some(({ id }) => id === process.session));
  }
}

/** A way to reach a supervisor: what the contract suite needs to know of one, and nothing of how it works. */
import type { Fetcher } from '../../src/sandbox/client.ts';

export interface Way {
  readonly name: string;
  /** A supervisor that nobody has used before. */
  open(): Promise<Reached>;
}

export interface Reached {
  readonly fetcher: Fetcher;
  /** For `open` requests. */
  readonly root: string | null;
  /** HOME of scripts, where the tests may plant a login profile; null where they cannot. */
  readonly home: string | null;
  /** Kills the supervisor with -9, without a word to its operations, and starts it again; null where that cannot be done. */
  readonly restart: ((between?: () => Promise<void>) => Promise<void>) | null;
  /** Resident memory of the supervisor; null where it cannot be seen. */
  readonly memoryBytes: (() => number) | null;
  /** Whether unmarked processes count as leftovers, for the machine is the workspace's own. */
  readonly ownsMachine: boolean;
  end(): Promise<void>;
}

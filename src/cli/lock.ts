/** One command at a time changes a repository: two that write at once would each undo half of the other's work. */
import { diagnose } from './cli-diagnostic.ts';
import { FileError } from './io.ts';
import type { CliIo } from './io.ts';
import { refuse } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { findRoot, LOCK_PATH, Repository } from './repository.ts';

/** Far longer than any command takes. */
const WAIT_MS = 10_000;
const STEP_MS = 20;
/** A lock without a number belongs to a process that is about to write it, or that was killed just then. */
const NAMELESS_MS = 1_000;

/** Where nothing can be locked, as in a folder that is read-only, the command itself finds out what it can't do. */
export const withLock = async (io: CliIo, run: () => Outcome | Promise<Outcome>): Promise<Outcome> => {
  const root = findRoot(io.files, io.cwd);
  if (root === undefined) return run();
  const repository = new Repository(root, io.files);
  const path = repository.absolute(LOCK_PATH);
  if (repository.refusal(LOCK_PATH) !== undefined) return run();
  const lock = takeLock(path, io);
  if (lock === 'theirs') return refuse(busy());
  try {
    return await run();
  } finally {
    if (lock === 'ours') io.files.remove(path);
  }
};

const busy = () =>
  diagnose(
    'REPOSITORY_BUSY',
    `Another harness command is at work here. Wait for it; if there is none, delete ${LOCK_PATH}.`,
    { path: LOCK_PATH },
  );

const takeLock = (path: string, io: CliIo): 'ours' | 'theirs' | 'none' => {
  for (let waitedMs = 0; waitedMs <= WAIT_MS; waitedMs += STEP_MS) {
    if (tried(() => io.files.writeNew(path, `${io.processes.own}\n`, undefined))) return 'ours';
    const holder = textAt(path, io);
    if (holder === undefined && waitedMs >= NAMELESS_MS) return 'none';
    if (holder !== undefined && isLeftBehind(holder, waitedMs, io)) discard(path, holder, io);
    else io.processes.sleep(STEP_MS);
  }
  return 'theirs';
};

const textAt = (path: string, { files }: CliIo): string | undefined => {
  const bytes = files.read(path);
  return bytes && new TextDecoder().decode(bytes);
};

const isLeftBehind = (holder: string, waitedMs: number, { processes }: CliIo): boolean =>
  /^\d+\n$/.test(holder) ? !processes.isRunning(Number(holder)) : waitedMs >= NAMELESS_MS;

/** Moved aside first: of two who found it, the slower one would else throw away the lock that the faster one took since. */
const discard = (path: string, holder: string, io: CliIo): void => {
  const aside = `${path}.${io.processes.own}`;
  if (!tried(() => io.files.rename(path, aside))) return;
  if (textAt(aside, io) === holder) io.files.remove(aside);
  else tried(() => io.files.rename(aside, path));
};

const tried = (run: () => void): boolean => {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
};

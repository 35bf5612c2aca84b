/** What must be true after any run, checked from the outside: the ledger, the remote's repository, the snapshot store, the API, the disks. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptPage, WorkspaceDetail } from '../../src/core/api.ts';
import { pause, REPOSITORY, type Chaos } from './faults.ts';
import type { LedgerEntry } from './ledger.ts';
import { commitsOf } from './places.ts';
import { commandOf, findScripts } from './processes.ts';
import type { ChaosTask } from './tasks.ts';

/** Sentences; empty when all is well. */
export async function findViolations(chaos: Chaos): Promise<string[]> {
  const entries = chaos.ledger.read();
  const states = await Promise.all(chaos.tasks.map((task) => findUnfinished(chaos, task)));
  return [
    ...findRepeats(entries, 'after_create', ({ key, detail }) => `${key} ${detail}`),
    ...findRepeats(entries, 'before_run', attemptName),
    ...findRepeats(entries, 'agent', attemptName),
    ...findRepeats(entries, 'after_run', attemptName),
    ...entries
      .filter(({ what }) => what === 'overlap')
      .map((entry) => `two attempts at once: ${attemptName(entry)}`),
    ...(await findLostCommits(chaos)),
    ...states.flat(),
    ...(await findScriptsLeft(chaos)),
  ];
}

const attemptName = ({ key, dispatch, attempt }: LedgerEntry) => `${key} ${dispatch} attempt ${attempt}`;

/** An incarnation has one after_create, an attempt one of each other script. */
function findRepeats(
  entries: LedgerEntry[],
  what: LedgerEntry['what'],
  name: (entry: LedgerEntry) => string,
): string[] {
  const seen = new Map<string, number>();
  for (const entry of entries)
    if (entry.what === what) seen.set(name(entry), (seen.get(name(entry)) ?? 0) + 1);
  return [...seen]
    .filter(([, times]) => times > 1)
    .map(([named, times]) => `${what} ran ${times} times: ${named}`);
}

/** What an agent made, or after_run found, is on the remote, in a snapshot or in the workspace, unless its disk took it along. */
async function findLostCommits(chaos: Chaos): Promise<string[]> {
  const { git, shelf, ledger, losses, tasks } = chaos;
  const elsewhere = new Set([...commitsOf(git.path(REPOSITORY)), ...shelf.commits()]);
  const folders = await Promise.all(
    tasks.map(async (task) => [task.key, await folderOf(chaos, task)] as const),
  );
  const local = new Map(folders.map(([key, folder]) => [key, commitsOf(folder ?? '/nonexistent')]));
  const unended = await findLostWithUnended(chaos);
  const isLost = ({ key, detail }: LedgerEntry) =>
    !elsewhere.has(detail) && local.get(key)?.has(detail) !== true;
  const lost = ledger
    .readCommits()
    .filter((entry) => isLost(entry) && !losses.byRight.has(entry.detail) && !unended.has(entry.detail))
    .map((entry) => `lost commit ${entry.detail} of ${attemptName(entry)}`);
  return [...new Set(lost)];
}

/** A snapshot counts from its attempt's end on: before, nobody had been told of it. */
async function findLostWithUnended({ api, losses }: Chaos): Promise<Set<string>> {
  const unended = new Set<string>();
  for (const { sha, task, attempt, atMs } of losses.inSnapshot) {
    const { status, body } = await api.call<AttemptPage>('GET', `${task.path}/attempts`, undefined, [404]);
    const found = status === 404 ? undefined : body.attempts.find(({ number }) => number === attempt);
    const endedAtMs = found?.ended_at ? Date.parse(found.ended_at) : Number.POSITIVE_INFINITY;
    if (found && endedAtMs > atMs) unended.add(sha);
  }
  return unended;
}

const folderOf = async ({ root, engine }: Chaos, { project, key, sandboxId }: ChaosTask) =>
  project === 'host' ? join(root, key) : engine.workspaceOf(sandboxId);

const AT_REST = ['ready', 'failed', 'removed'];

async function findUnfinished(chaos: Chaos, task: ChaosTask): Promise<string[]> {
  const { key, path } = task;
  const { status, body } = await chaos.api.call<WorkspaceDetail>('GET', path, undefined, [404]);
  if (status === 404) return findFilesLeft(chaos, task);
  const found: string[] = [];
  if (!AT_REST.includes(body.status) || body.in_use || body.phase !== null)
    found.push(
      `${key} is stuck: ${body.status} ${body.phase ?? ''} ${body.kept?.reason ?? body.error?.detail ?? ''}`,
    );
  // Where a disk was taken in the middle of a save and no restore came through, nothing is left to save: a lost commit shows by itself.
  if (body.saved.status === 'failed' && body.status === 'ready')
    found.push(`${key} is not saved: ${body.saved.reason}`);
  if (body.task.state === 'Done' && body.status !== 'removed')
    found.push(`${key} is Done but ${body.status}`);
  return body.status === 'removed' ? [...found, ...(await findFilesLeft(chaos, task))] : found;
}

async function findFilesLeft(chaos: Chaos, task: ChaosTask): Promise<string[]> {
  const { root } = chaos;
  const folder = await folderOf(chaos, task);
  const state = join(root, '.edge-harness', task.key);
  return [folder, state]
    .filter((path) => path !== null && existsSync(path))
    .map((path) => `${task.key} is removed but left ${path}`);
}

/** What has ended may take so long to be gone on a busy machine. */
const GONE_MS = 15_000;

/** At rest no hook, agent or git runs anywhere. */
async function findScriptsLeft({ root, engine }: Chaos): Promise<string[]> {
  const endAtMs = Date.now() + GONE_MS;
  for (;;) {
    const left = [...findScripts(root), ...findScripts(engine.root)];
    if (left.length === 0 || Date.now() > endAtMs)
      return left.map((pid) => `a process of a workspace is left: ${pid} ${commandOf(pid)}`);
    await pause(200);
  }
}

/** What must be true after any run, checked from the outside: the ledger, the remote's repository, the API, the process table. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptPage, AttemptView, WorkspaceDetail } from '../../src/core/api.ts';
import type { ApiClient } from '../stack/api-client.ts';
import type { Chaos } from './faults.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';

/** Sentences; empty when all is well. */
export async function findViolations(
  chaos: Chaos,
  ledger: Ledger,
  api: ApiClient,
  keys: string[],
): Promise<string[]> {
  const entries = ledger.read();
  return [
    ...findRepeats(
      entries,
      'after_create',
      ({ key, detail }) => `${key} ${detail}`,
      'after_create ran twice in one incarnation',
    ),
    ...findRepeats(entries, 'before_run', attemptName, 'before_run ran twice in one attempt'),
    ...findRepeats(entries, 'after_run', attemptName, 'after_run ran twice in one attempt'),
    ...entries
      .filter(({ what }) => what === 'overlap')
      .map((entry) => `two attempts at once: ${attemptName(entry)}`),
    ...(await findLostCommits(chaos, entries, api, keys)),
    ...(await findUnfinished(api, keys)),
  ];
}

const attemptName = ({ key, dispatch, attempt }: LedgerEntry) => `${key} ${dispatch} attempt ${attempt}`;

function findRepeats(
  entries: LedgerEntry[],
  what: LedgerEntry['what'],
  name: (entry: LedgerEntry) => string,
  fact: string,
): string[] {
  const seen = new Map<string, number>();
  for (const entry of entries)
    if (entry.what === what) seen.set(name(entry), (seen.get(name(entry)) ?? 0) + 1);
  return [...seen]
    .filter(([, times]) => times > 1)
    .map(([named, times]) => `${fact} (${times} times): ${named}`);
}

/** after_run saw HEAD when its attempt ended: that commit has to be on the remote or in the workspace. */
async function findLostCommits(
  chaos: Chaos,
  entries: LedgerEntry[],
  api: ApiClient,
  keys: string[],
): Promise<string[]> {
  const remote = objectsOf(chaos.git.path('project'));
  const local = new Map(keys.map((key) => [key, objectsOf(join(chaos.root, key))]));
  const lostByRight = await attemptsLost(api, keys);
  return entries
    .filter(({ what, detail }) => what === 'after_run' && detail !== undefined && detail !== '')
    .filter(({ key, detail }) => !remote.has(detail) && local.get(key)?.has(detail) !== true)
    .filter((entry) => !lostByRight.has(`${entry.key} ${entry.attempt}`) && !wasWipedUnsaved(chaos, entry))
    .map((entry) => `lost commit ${entry.detail} of ${attemptName(entry)}`);
}

/** The files were taken away while the attempt was not over: no save of it can have been asked for. */
const wasWipedUnsaved = ({ wiped }: Chaos, { key }: LedgerEntry) => wiped.some((one) => one.key === key);

async function attemptsLost(api: ApiClient, keys: string[]): Promise<Set<string>> {
  const lost = new Set<string>();
  for (const key of keys)
    for (const attempt of await attemptsOf(api, key))
      if (attempt.outcome === 'lost') lost.add(`${key} ${attempt.number}`);
  return lost;
}

async function attemptsOf(api: ApiClient, key: string): Promise<AttemptView[]> {
  const { status, body } = await api.call<AttemptPage>(
    'GET',
    `/v1/projects/chaos/workspaces/${key}/attempts`,
    undefined,
    [404],
  );
  return status === 404 ? [] : body.attempts;
}

/** Every object, reachable or not: a rescue ref may hold it, or the next save will. */
function objectsOf(repository: string): Set<string> {
  try {
    const output = execFileSync(
      'git',
      ['cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)'],
      {
        cwd: repository,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    return new Set(
      output
        .split('\n')
        .filter((line) => line.endsWith(' commit'))
        .map((line) => line.slice(0, 40)),
    );
  } catch {
    return new Set();
  }
}

const AT_REST = ['ready', 'failed', 'removed'];

async function findUnfinished(api: ApiClient, keys: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys) {
    const { status, body } = await api.call<WorkspaceDetail>(
      'GET',
      `/v1/projects/chaos/workspaces/${key}`,
      undefined,
      [404],
    );
    if (status === 404) continue;
    if (!AT_REST.includes(body.status))
      found.push(
        `${key} is stuck: ${body.status} ${body.phase ?? ''} ${body.kept?.reason ?? body.error?.detail ?? ''}`,
      );
    if (body.task.state === 'Done' && body.status !== 'removed')
      found.push(`${key} is Done but ${body.status}`);
  }
  return found;
}

/** Processes that a supervisor of this run started carry its mark, or work in its folder. */
export function findProcesses(root: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(
      (pid) =>
        readText(`/proc/${pid}/environ`).includes(root) || readText(`/proc/${pid}/cmdline`).includes(root),
    )
    .map((pid) => `${pid} ${readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 200)}`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Reads what git answers. Pure; texts come from untrusted programs, so every parser takes anything. */
import { isRefName, isSha } from './git.ts';

export interface RemoteRefs {
  /** Full ref name → sha; `HEAD` too where the remote has one. */
  refs: Map<string, string>;
  /** What the remote's HEAD names; null: nothing, or it is detached. */
  headRef: string | null;
}

export function parseRemoteRefs(text: string): RemoteRefs {
  const refs = new Map<string, string>();
  let headRef: string | null = null;
  for (const line of text.split('\n')) {
    const [left, name] = line.split('\t', 2);
    if (left === undefined || name === undefined) continue;
    if (left.startsWith('ref: ') && name === 'HEAD') headRef = left.slice('ref: '.length);
    else if (isSha(left) && (name === 'HEAD' || isRefName(name))) refs.set(name, left);
  }
  return { refs, headRef };
}

export interface PackedRef {
  name: string;
  sha: string;
}

/** The `packed-refs` file: peeled lines (`^sha`) and the header are skipped. */
export function parsePackedRefs(text: string): PackedRef[] {
  const refs: PackedRef[] = [];
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    const sha = line.slice(0, space);
    const name = withoutBlanks(line.slice(space + 1));
    if (space > 0 && isSha(sha) && isRefName(name)) refs.push({ name, sha });
  }
  return refs;
}

/** A loose ref or HEAD: a sha, or the name of another ref; null where it is neither. */
export function parseLooseRef(text: string): { sha: string } | { ref: string } | null {
  const line = withoutBlanks(text);
  if (isSha(line)) return { sha: line };
  const name = /^ref:\s*(\S.*)$/.exec(line)?.[1];
  return name !== undefined && isRefName(name) ? { ref: name } : null;
}

/** At the end, git's own only: `main` with another blank of Unicode is another branch. In linear time, by looking behind. */
const withoutBlanks = (text: string): string => text.replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '');

/** A reflog, oldest first: what the ref became, and why. */
export function parseReflog(text: string): { sha: string; message: string }[] {
  const entries: { sha: string; message: string }[] = [];
  for (const line of text.split('\n')) {
    const tab = line.indexOf('\t');
    const sha = line.split(' ', 2)[1] ?? '';
    if (isSha(sha)) entries.push({ sha, message: tab < 0 ? '' : line.slice(tab + 1) });
  }
  return entries;
}

export interface Uncommitted {
  modified: number;
  untracked: number;
  files: string[];
}

/** Counts `status --porcelain=v2 -z` piece by piece, so that a million untracked files cost no memory. */
export class StatusCounter {
  readonly #fileLimit: number;
  #rest = '';
  #counted: Uncommitted = { modified: 0, untracked: 0, files: [] };

  constructor(fileLimit: number) {
    this.#fileLimit = fileLimit;
  }

  add(text: string): void {
    const records = (this.#rest + text).split('\0');
    this.#rest = records.pop() ?? '';
    for (const record of records) this.#count(record);
  }

  get counted(): Uncommitted {
    return this.#counted;
  }

  #count(record: string): void {
    const path = pathOfStatus(record);
    if (path === null) return;
    if (record.startsWith('?')) this.#counted.untracked += 1;
    else this.#counted.modified += 1;
    if (this.#counted.files.length < this.#fileLimit)
      this.#counted.files.push(path.slice(0, 4096).toWellFormed());
  }
}

/** Fields before the path: `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path`. */
const FIELDS_BEFORE_PATH: Record<string, number> = { '1': 8, u: 10, '?': 1 };

function pathOfStatus(record: string): string | null {
  const fields = FIELDS_BEFORE_PATH[record[0] ?? ''];
  if (fields === undefined || record[1] !== ' ') return null;
  let at = 0;
  for (let field = 0; field < fields; field += 1) {
    at = record.indexOf(' ', at) + 1;
    if (at === 0) return null;
  }
  return record.slice(at);
}

export interface PushAnswer {
  branch: string;
  /** `stale`: the remote is no longer what the lease expects. */
  outcome: 'pushed' | 'stale' | 'rejected';
  summary: string;
}

/** Also what a server says when another push was faster between its check and its lock. */
const STALE = /stale info|incorrect old value|failed to update ref|cannot lock ref|reference already exists/;

export function parsePush(text: string): PushAnswer[] {
  const answers: PushAnswer[] = [];
  for (const line of text.split('\n')) {
    const [flag, refs, summary] = line.split('\t', 3);
    const branch = refs?.split(':refs/heads/', 2)[1];
    if (flag === undefined || branch === undefined || summary === undefined) continue;
    const outcome = flag !== '!' ? 'pushed' : STALE.test(summary) ? 'stale' : 'rejected';
    answers.push({ branch, outcome, summary });
  }
  return answers;
}

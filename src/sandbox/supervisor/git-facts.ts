/** What is in a workspace now: HEAD, commits that are not saved, files that are not committed. */
import { copyFile, lstat, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { StatusCounter, type Uncommitted } from '../../core/git-output.ts';
import { newCommitsArgs, statusArgs } from '../../core/git.ts';
import type { GitFacts } from '../protocol.ts';
import { closeClean, inClean, inWorkTree, openClean, type CleanRepository } from './git-clean.ts';
import { openSession } from './git-process.ts';
import { inspectRepository } from './git-inspect.ts';
import type { Place } from './place.ts';

const FACTS_TIMEOUT_MS = 60_000;
const MAX_FILES = 100;
const MAX_COMMITS = 10;
const MAX_SUBJECT_LENGTH = 300;
/** A million files have an index of about 100 MB. */
const MAX_INDEX_BYTES = 1024 * 1024 * 1024;

export const NO_FACTS: GitFacts = {
  head: null,
  head_branch: null,
  stashes: 0,
  unsaved_count: 0,
  unsaved_commits: [],
  uncommitted: { modified: 0, untracked: 0, files: [] },
};

/** Runs nothing that the repository configures, changes nothing in it. Without a repository of ours: no facts. */
export async function readFacts(
  known: { base: string | null; lastSaved: string | null },
  place: Place,
): Promise<GitFacts> {
  if ((await inspectRepository(place)).files !== 'whole') return NO_FACTS;
  const { signal } = new AbortController();
  const clean = await openClean(openSession(place, null, { timeoutMs: FACTS_TIMEOUT_MS, signal }));
  try {
    const [uncommitted, commits] = await Promise.all([
      countUncommitted(clean),
      listNewCommits(clean, clean.refs.head.sha, [known.base, known.lastSaved]),
    ]);
    return factsOf(clean, uncommitted, commits);
  } finally {
    await closeClean(clean);
  }
}

export interface NewCommits {
  count: number;
  first: { sha: string; subject: string }[];
}

export const factsOf = (clean: CleanRepository, uncommitted: Uncommitted, commits: NewCommits): GitFacts => ({
  head: clean.refs.head.sha,
  head_branch: clean.refs.head.branch,
  stashes: clean.refs.stashes.length,
  unsaved_count: commits.count,
  unsaved_commits: commits.first,
  uncommitted,
});

/** Where git cannot tell, the tip alone counts: to call commits saved on a guess would lose them. */
export async function listNewCommits(
  clean: CleanRepository,
  tip: string | null,
  known: readonly (string | null)[],
): Promise<NewCommits> {
  const shas = known.filter((sha) => sha !== null);
  if (tip === null || shas.includes(tip)) return { count: 0, first: [] };
  const commits: NewCommits = { count: 0, first: [] };
  const decoder = new TextDecoder();
  let rest = '';
  const listed = await inClean(clean, {
    what: 'Counting the new commits',
    args: newCommitsArgs(tip, shas),
    onStdout: (chunk) => {
      const records = (rest + decoder.decode(chunk, { stream: true })).split('\0');
      rest = records.pop() ?? '';
      for (const record of records) addCommit(commits, record);
      return 'go on';
    },
  });
  if (!listed.ok) return { count: 1, first: [{ sha: tip, subject: '' }] };
  if (rest !== '') addCommit(commits, rest);
  return commits;
}

function addCommit(commits: NewCommits, record: string): void {
  const space = record.indexOf(' ');
  const subject = record.slice(space + 1, space + 1 + MAX_SUBJECT_LENGTH);
  if (commits.first.length < MAX_COMMITS) commits.first.push({ sha: record.slice(0, space), subject });
  commits.count += 1;
}

/** A broken index is replaced by HEAD's files: then everything that differs from HEAD counts. */
export async function countUncommitted(clean: CleanRepository): Promise<Uncommitted> {
  const index = await copyIndex(clean);
  const counted = await runStatus(clean, index);
  if (counted !== null) return counted;
  const rebuilt = join(clean.directory, 'index-of-head');
  const tree = clean.refs.head.sha === null ? ['--empty'] : [clean.refs.head.sha];
  await inWorkTree(clean, rebuilt, { what: 'Reading the files of HEAD', args: ['read-tree', ...tree] });
  const unknown = { modified: 0, untracked: 0, files: ['(git cannot read the state of the files)'] };
  return (await runStatus(clean, rebuilt)) ?? unknown;
}

async function runStatus(clean: CleanRepository, index: string): Promise<Uncommitted | null> {
  const counter = new StatusCounter(MAX_FILES);
  const decoder = new TextDecoder();
  const status = await inWorkTree(clean, index, {
    what: 'Comparing the files',
    args: statusArgs(),
    onStdout: (chunk) => {
      counter.add(decoder.decode(chunk, { stream: true }));
      return 'go on';
    },
  });
  return status.ok ? counter.counted : null;
}

/** Answers the path of the copy, which does not exist where the workspace has no index (yet). */
export async function copyIndex(clean: CleanRepository): Promise<string> {
  const copy = join(clean.directory, 'index');
  await copyPlain(join(clean.source, 'index'), copy);
  for (const name of await readdir(clean.source)) {
    // The second half of a split index.
    if (/^sharedindex\.[0-9a-f]+$/.test(name))
      await copyPlain(join(clean.source, name), join(clean.directory, name));
  }
  return copy;
}

/**
 * The copy keeps the time of the original, rounded down: git compares contents where a file is as young as the index,
 * and a younger copy would hide changes made in the same second.
 */
async function copyPlain(from: string, to: string): Promise<void> {
  const stats = await lstat(from).catch(() => null);
  if (stats === null || !stats.isFile() || stats.size > MAX_INDEX_BYTES) return;
  await copyFile(from, to);
  const seconds = Math.floor(stats.mtimeMs / 1000);
  await utimes(to, seconds, seconds);
}

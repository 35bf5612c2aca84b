/** What is in a workspace now: HEAD, commits that are not saved, files that are not committed. */
import { StatusCounter, type Uncommitted } from '../../core/git-output.ts';
import { newCommitsArgs, statusArgs } from '../../core/git.ts';
import type { GitFacts } from '../protocol.ts';
import { closeClean, inClean, inWorkTree, openClean, type CleanRepository } from './git-clean.ts';
import { copyIndex, rebuildIndex } from './git-index.ts';
import { openSession } from './git-process.ts';
import { inspectRepository } from './git-inspect.ts';
import type { Place } from './place.ts';

const FACTS_TIMEOUT_MS = 60_000;
const MAX_FILES = 100;
const MAX_COMMITS = 10;
const MAX_SUBJECT_LENGTH = 300;

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
  const subject = record.slice(space + 1, space + 1 + MAX_SUBJECT_LENGTH).toWellFormed();
  if (commits.first.length < MAX_COMMITS) commits.first.push({ sha: record.slice(0, space), subject });
  commits.count += 1;
}

export async function countUncommitted(clean: CleanRepository): Promise<Uncommitted> {
  const index = await copyIndex(clean);
  const counted = index === null ? null : await runStatus(clean, index);
  return counted ?? (await runStatus(clean, await rebuildIndex(clean))) ?? UNKNOWN;
}

/** Never zero: a removal says what will be lost. */
const UNKNOWN: Uncommitted = {
  modified: 1,
  untracked: 0,
  files: ['(git cannot read the state of the files)'],
};

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

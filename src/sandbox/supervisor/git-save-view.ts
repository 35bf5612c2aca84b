/** Finds out how a workspace's branches and the remote's stand to each other: the facts that a save is planned from. */
import { fetchArgs, isAncestorArgs } from '../../core/git.ts';
import type { Relation, SaveView } from '../../core/save-plan.ts';
import type { SaveSpec } from '../protocol.ts';
import { inClean, type CleanRepository } from './git-clean.ts';
import { listNewCommits } from './git-facts.ts';
import { lackingOf } from './git-lacking.ts';
import { findLeft } from './git-left.ts';
import { lessTime } from './git-process.ts';

/** Without somebody's commits ours can still be rescued: the fetch may take this share of the time. */
const FETCH_SHARE = 3;

/** Short name → sha. */
export type RemoteBranches = ReadonlyMap<string, string>;

export async function viewSave(
  clean: CleanRepository,
  spec: SaveSpec,
  remote: RemoteBranches,
): Promise<SaveView> {
  const { head, branches } = clean.refs;
  const task = branches.get(spec.branch) ?? null;
  const remoteSha = remote.get(spec.branch) ?? null;
  const relation = await relate(clean, spec, { task, remoteSha });
  const others = otherTips(clean, spec.branch);
  const ours = [task, ...others.map(({ sha }) => sha)].filter((sha) => sha !== null);
  const left = await findLeft(clean, [...remote.values(), ...ours]);
  const lacking = await findLacking(
    clean,
    { task, isHomeless: relation === 'foreign' || relation === 'rewritten', others },
    remote,
  );
  return {
    branch: spec.branch,
    rescue: spec.rescue,
    base: spec.base,
    lastSaved: spec.last_saved,
    head,
    task,
    taskIsNew: remoteSha === null && (await isNew(clean, task, spec)),
    relation,
    others: [...others, ...left.map((sha) => ({ name: 'left', sha }))],
    remote,
    lacking: new Set([...lacking, ...left]),
  };
}

/**
 * What the usual save would find: the remote where we left it, and new commits on the task branch alone. null: this one is of another kind, or
 * the remote has to be asked.
 */
export async function viewExpected(clean: CleanRepository, spec: SaveSpec): Promise<SaveView | null> {
  const task = clean.refs.branches.get(spec.branch) ?? null;
  const { last_saved: lastSaved } = spec;
  if (task === null || task === lastSaved || otherTips(clean, spec.branch).length > 0) return null;
  if (lastSaved !== null && (await isAncestor(clean, lastSaved, task)) !== true) return null;
  return viewSave(clean, spec, new Map(lastSaved === null ? [] : [[spec.branch, lastSaved]]));
}

const isNew = async (clean: CleanRepository, task: string | null, spec: SaveSpec): Promise<boolean> =>
  (await listNewCommits(clean, task, [spec.base, spec.last_saved])).count > 0;

const otherTips = ({ refs }: CleanRepository, branch: string): SaveView['others'] => [
  ...(refs.head.branch === null && refs.head.sha !== null ? [{ name: null, sha: refs.head.sha }] : []),
  ...[...refs.branches].filter(([name]) => name !== branch).map(([name, sha]) => ({ name, sha })),
  ...refs.worktrees.map(({ name, sha }) => ({ name: `worktree-${name}`, sha })),
];

async function relate(
  clean: CleanRepository,
  spec: SaveSpec,
  { task, remoteSha }: { task: string | null; remoteSha: string | null },
): Promise<Relation> {
  if (task === null || remoteSha === null) return 'none';
  if (task === remoteSha) return 'same';
  const contained = await isAncestor(clean, remoteSha, task);
  if (contained === true) return 'ahead';
  if (contained === false)
    return (await isAncestor(clean, task, remoteSha)) === true ? 'behind' : 'rewritten';
  if (!(await fetchForeign(clean, spec))) return 'foreign';
  return (await isAncestor(clean, task, remoteSha)) === true ? 'behind' : 'foreign';
}

/** null: one of the two is not here. */
async function isAncestor(clean: CleanRepository, older: string, newer: string): Promise<boolean | null> {
  const answer = await inClean(clean, {
    what: 'Comparing the branches',
    args: isAncestorArgs(older, newer),
    accept: [1],
  });
  return answer.ok ? answer.value.exitCode === 0 : null;
}

/** Somebody's commits, into our own store: whether they contain ours decides between saved and diverged. */
async function fetchForeign(clean: CleanRepository, spec: SaveSpec): Promise<boolean> {
  if (spec.remote === null) return false;
  const refspec = `+refs/heads/${spec.branch}:refs/remote/task`;
  const args = fetchArgs(spec.remote.url, [refspec], null);
  const hurried = { ...clean, session: lessTime(clean.session, spec.timeout_ms / FETCH_SHARE) };
  return (await inClean(hurried, { what: 'Fetching the remote branch', args })).ok;
}

/**
 * Which tips no branch of the remote reaches. Commits that the remote has but this repository lacks cannot be compared
 * and count as not reaching: at worst a commit is saved twice. Where git fails everything is lacking.
 */
async function findLacking(
  clean: CleanRepository,
  ours: { task: string | null; isHomeless: boolean; others: SaveView['others'] },
  remote: RemoteBranches,
): Promise<Set<string>> {
  const known = [...remote.values()];
  // What is about to be pushed as the task branch need not be rescued under a second name.
  const others = await lackingOf(
    clean,
    ours.others.map((tip) => tip.sha),
    ours.task === null ? known : [...known, ours.task],
  );
  if (!ours.isHomeless || ours.task === null) return others;
  return new Set([...others, ...(await lackingOf(clean, [ours.task], known))]);
}

/** Decides, from what a remote lists, where a task's branch starts and what is fetched. */
import type { GitFailure } from './git-failure.ts';
import type { RemoteRefs } from './git-output.ts';
import { err, ok, type Result } from './result.ts';

export interface ClonePlan {
  /** The commit to start from as listed; null: nothing to start from, the branch is unborn. */
  start: string | null;
  /** null: the repository has no branch of people yet, or lost the one that the task branch came from. */
  base: { ref: string } | { sha: string } | null;
  /** The remote has the task branch: its work is continued. */
  continues: boolean;
  /** What the remote's HEAD names, for `origin/HEAD`. */
  headRef: string | null;
  /** Of a shallow clone, which has the branches that it needs only. */
  refspecs: string[];
}

const HEADS = 'refs/heads/';

/** Everything with a name, whatever is planned. */
export const FULL_REFSPECS = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'] as const;

/** Branches that tasks made: they do not make an empty repository less empty. */
const OF_TASKS = /^refs\/heads\/symphony(?:-rescue)?\//;

export function planClone(
  remote: RemoteRefs,
  wanted: { branch: string; baseBranch: string | null },
): Result<ClonePlan, GitFailure> {
  const task = remote.refs.get(HEADS + wanted.branch) ?? null;
  const base = baseOf(remote, wanted.baseBranch);
  if (!base.ok && task === null) return base;
  const found = base.ok ? base.value : null;
  return ok({
    start: task ?? shaOf(remote, found),
    base: found,
    continues: task !== null,
    headRef: remote.headRef !== null && remote.refs.has(remote.headRef) ? remote.headRef : null,
    refspecs: refspecsOf(found, task === null ? null : HEADS + wanted.branch),
  });
}

function baseOf(remote: RemoteRefs, named: string | null): Result<ClonePlan['base'], GitFailure> {
  const people = [...remote.refs.keys()].filter((ref) => ref.startsWith(HEADS) && !OF_TASKS.test(ref));
  if (named !== null) {
    if (remote.refs.has(HEADS + named)) return ok({ ref: HEADS + named });
    return people.length === 0 ? ok(null) : err(missing(`it has no branch "${named}"`));
  }
  if (remote.headRef !== null && remote.refs.has(remote.headRef)) return ok({ ref: remote.headRef });
  const detached = remote.refs.get('HEAD');
  if (detached !== undefined) return ok({ sha: detached });
  const [first, second] = people;
  if (first === undefined) return ok(null);
  return second === undefined ? ok({ ref: first }) : err(missing('its HEAD names no branch that exists'));
}

const missing = (fact: string): GitFailure => ({
  reason: 'not_found',
  detail: `${fact}. Set the project's base branch to one that exists.`,
});

function shaOf(remote: RemoteRefs, base: ClonePlan['base']): string | null {
  if (base === null) return null;
  return 'sha' in base ? base.sha : (remote.refs.get(base.ref) ?? null);
}

function refspecsOf(base: ClonePlan['base'], task: string | null): ClonePlan['refspecs'] {
  const detached = base !== null && 'sha' in base ? ['HEAD'] : [];
  const named = [base !== null && 'ref' in base ? base.ref : null, task].filter((ref) => ref !== null);
  const tracked = [...new Set(named)].map((ref) => `+${ref}:${trackingRef(ref)}`);
  return [...tracked, ...detached];
}

export const trackingRef = (ref: string): string => `refs/remotes/origin/${ref.slice(HEADS.length)}`;

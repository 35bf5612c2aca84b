/** Decides what of a workspace goes where on the remote, and what the result is called. Section 7's table, pure. */
import type { GitFailure } from './git-failure.ts';
import type { Push } from './git.ts';
import { nameRescueRef } from './rescue-name.ts';

/** Where our task branch and the remote's stand to each other. */
export type Relation =
  | 'same'
  /** Ours contains the remote's. */
  | 'ahead'
  /** The remote's contains ours. */
  | 'behind'
  /** Neither, and we have had the remote's commit: ours was rewritten. */
  | 'rewritten'
  /** Neither, or nobody can tell, and the remote's commit was never here. */
  | 'foreign'
  /** One of the two does not exist. */
  | 'none';

export interface SaveView {
  branch: string;
  /** `symphony-rescue/<key>/<attempt>` */
  rescue: string;
  base: string | null;
  lastSaved: string | null;
  head: { sha: string | null; branch: string | null };
  /** Where the local task branch points, checked out or not. */
  task: string | null;
  /** HEAD has commits that are neither in the base nor in what was saved last. */
  taskIsNew: boolean;
  relation: Relation;
  /** Every other local branch and head; `name` is null for a detached HEAD. */
  others: readonly { name: string | null; sha: string }[];
  /** Short name → sha, as the remote lists them. */
  remote: ReadonlyMap<string, string>;
  /** Of the shas above those that no branch of the remote is known to reach. */
  lacking: ReadonlySet<string>;
}

/** What the task branch itself is about to be. */
type Standing = 'nothing' | 'saved' | 'deleted' | 'contained' | 'push' | 'diverged';

export interface SavePlan {
  standing: Standing;
  pushes: Push[];
  /** Where our commits are or will be, besides the task branch. */
  rescues: { ref: string; sha: string }[];
  /** Branches over the limit: they stay unsaved. */
  left: number;
}

/** As many as a result can name. */
export const MAX_RESCUES = 200;

export function planSave(view: SaveView): SavePlan {
  const standing = standingOf(view);
  const pushes: Push[] = [];
  if (standing === 'push' && view.task !== null) {
    pushes.push({ branch: view.branch, sha: view.task, expected: view.remote.get(view.branch) ?? null });
  }
  const wanted = distinct([...homeless(view, standing), ...view.others]);
  const rescues: SavePlan['rescues'] = [];
  const root = view.rescue.slice(0, view.rescue.lastIndexOf('/') + 1);
  let left = 0;
  for (const { name, sha } of wanted) {
    const there = [...view.remote].find(([ref, at]) => at === sha && ref.startsWith(root));
    if (there === undefined && !view.lacking.has(sha)) continue;
    if (rescues.length >= MAX_RESCUES) {
      left += 1;
      continue;
    }
    const taken = [...view.remote.keys(), ...rescues.map((rescue) => rescue.ref)];
    const ref = there?.[0] ?? nameRescueRef(view.rescue, name, taken);
    rescues.push({ ref, sha });
    if (there === undefined) pushes.push({ branch: ref, sha, expected: null });
  }
  return { standing, pushes, rescues, left };
}

function standingOf(view: SaveView): Standing {
  const remote = view.remote.get(view.branch);
  if (view.task === null) return remote === undefined ? 'nothing' : 'contained';
  if (remote === undefined) {
    if (view.taskIsNew) return 'push';
    return view.lastSaved === null || view.task === view.base ? 'nothing' : 'deleted';
  }
  switch (view.relation) {
    case 'same':
      return 'saved';
    case 'ahead':
      return 'push';
    case 'behind':
    case 'rewritten':
      // A reset or a rebase of what we saved ourselves; anything else there is somebody's.
      if (remote === view.lastSaved) return 'push';
      return view.relation === 'behind' ? 'contained' : 'diverged';
    case 'foreign':
    case 'none':
      return 'diverged';
  }
}

const homeless = (view: SaveView, standing: Standing): SaveView['others'] =>
  standing === 'diverged' && view.task !== null
    ? [{ name: view.head.branch === view.branch ? null : view.branch, sha: view.task }]
    : [];

/** The first name of a commit wins. */
const distinct = (tips: SaveView['others']): SaveView['others'] =>
  tips.filter((tip, at) => tips.findIndex((other) => other.sha === tip.sha) === at);

export interface SaveOutcome {
  status: 'saved' | 'nothing_to_save' | 'diverged' | 'head_elsewhere' | 'unsaved' | 'failed';
  sha: string | null;
  remoteSha: string | null;
  rescues: { ref: string; sha: string }[];
  failure: GitFailure | null;
}

/** What came of a plan: `remote` is what the remote answered afterwards, the only proof that counts. */
export function concludeSave(
  view: SaveView,
  plan: SavePlan,
  after: { remote: ReadonlyMap<string, string>; stashes: number; failure: GitFailure | null },
): SaveOutcome {
  const remoteSha = after.remote.get(view.branch) ?? null;
  const missing = plan.pushes.find((push) => after.remote.get(push.branch) !== push.sha);
  const failure = after.failure ?? (missing === undefined ? null : notThere(missing));
  const rescues = plan.rescues.filter((rescue) => after.remote.get(rescue.ref) === rescue.sha);
  const outcome = { sha: savedSha(view, plan, remoteSha), remoteSha, rescues };
  if (failure !== null) return { ...outcome, status: 'failed', failure };
  const kept = keptHere(after.stashes, plan.left);
  if (kept !== null) return { ...outcome, status: 'unsaved', failure: kept };
  return { ...outcome, status: statusOf(view, plan), failure: null };
}

function statusOf(view: SaveView, plan: SavePlan): SaveOutcome['status'] {
  if (plan.standing === 'diverged') return 'diverged';
  if (view.head.branch !== view.branch) return 'head_elsewhere';
  return plan.standing === 'nothing' ? 'nothing_to_save' : 'saved';
}

/** The next save's lease: a commit of ours that the remote's task branch has, or had when it was deleted. */
function savedSha(view: SaveView, plan: SavePlan, remoteSha: string | null): string | null {
  switch (plan.standing) {
    case 'saved':
    case 'contained':
      return view.task;
    case 'deleted':
      return view.lastSaved;
    case 'push':
      return remoteSha === view.task ? view.task : view.lastSaved;
    case 'nothing':
    case 'diverged':
      return null;
  }
}

const notThere = (push: Push): GitFailure => ({
  reason: 'other',
  detail: `The remote accepted ${push.branch} but does not answer with ${push.sha}.`,
});

function keptHere(stashes: number, left: number): GitFailure | null {
  if (left > 0)
    return { reason: 'other', detail: `${left} more local branches with unsaved commits than a save takes.` };
  if (stashes === 0) return null;
  const entries = stashes === 1 ? '1 stash entry is' : `${stashes} stash entries are`;
  return { reason: 'other', detail: `${entries} only in the workspace. Apply and commit, or drop them.` };
}

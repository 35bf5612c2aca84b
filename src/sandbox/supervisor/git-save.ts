/** Saves a workspace: its branches reach the remote without anything running that the workspace configures. */
import { classifyPush, otherFailure, type GitFailure, type RemoteNames } from '../../core/git-failure.ts';
import { parsePush, parseRemoteRefs, type Uncommitted } from '../../core/git-output.ts';
import { isBranchName, listBranchesArgs, pushArgs, transportOf, type Push } from '../../core/git.ts';
import { err, ok, type Result } from '../../core/result.ts';
import {
  concludeSave,
  planSave,
  type SaveOutcome,
  type SavePlan,
  type SaveView,
} from '../../core/save-plan.ts';
import type { GitFacts, SaveResult, SaveSpec } from '../protocol.ts';
import { closeClean, inClean, openClean, type CleanRepository } from './git-clean.ts';
import { answerDiskErrors } from './git-disk.ts';
import { countUncommitted, factsOf, listNewCommits, NO_FACTS } from './git-facts.ts';
import { inspectRepository } from './git-inspect.ts';
import { forgetLeft } from './git-left.ts';
import { openSession } from './git-process.ts';
import { viewExpected, viewSave, type RemoteBranches } from './git-save-view.ts';
import { rememberSaved } from './git-saved.ts';
import type { Place } from './place.ts';

/**
 * Idempotent: what is on the remote already is not pushed again. Nothing in the workspace changes. With nothing new it
 * is one question to the remote.
 */
export const runSave = (spec: SaveSpec, place: Place, signal: AbortSignal): Promise<SaveResult> =>
  answerDiskErrors(
    () => save(spec, place, signal),
    (failure) => failed(failure, NO_FACTS),
  );

async function save(spec: SaveSpec, place: Place, signal: AbortSignal): Promise<SaveResult> {
  const refusal = await refusalOf(spec, place);
  if (refusal !== null) return failed(refusal, NO_FACTS);
  const clean = await openClean(openSession(place, spec.remote, { timeoutMs: spec.timeout_ms, signal }));
  try {
    return spec.remote === null ? await withoutRemote(clean, spec) : await saveTo(clean, spec, spec.remote);
  } finally {
    await closeClean(clean);
  }
}

async function refusalOf(spec: SaveSpec, place: Place): Promise<GitFailure | null> {
  const { files, damage } = await inspectRepository(place);
  if (files === 'absent') return otherFailure(`${place.directory} does not exist.`);
  if (files === 'damaged')
    return otherFailure(`${place.directory} is not our repository any more: ${damage ?? ''}.`);
  for (const branch of [spec.branch, spec.rescue]) {
    if (!isBranchName(branch)) return otherFailure(`"${branch}" is not a legal branch name.`);
  }
  if (spec.remote === null || transportOf(spec.remote.url) !== null) return null;
  return { reason: 'refused', detail: 'Branches are pushed over https, http or to a local path only.' };
}

const nothingSaved = (facts: GitFacts): Pick<SaveResult, 'sha' | 'remote_sha' | 'rescue_refs' | 'facts'> => ({
  sha: null,
  remote_sha: null,
  rescue_refs: [],
  facts,
});

const failed = (failure: GitFailure, facts: GitFacts): SaveResult => ({
  ...nothingSaved(facts),
  status: 'failed',
  failure,
});

async function withoutRemote(clean: CleanRepository, spec: SaveSpec): Promise<SaveResult> {
  const facts = await gatherFacts(clean, await countUncommitted(clean), [spec.base, spec.last_saved]);
  return { ...nothingSaved(facts), status: 'no_repository', failure: null };
}

const gatherFacts = async (
  clean: CleanRepository,
  uncommitted: Uncommitted,
  known: readonly (string | null)[],
): Promise<GitFacts> => factsOf(clean, uncommitted, await listNewCommits(clean, clean.refs.head.sha, known));

/** Of a workspace whose commits are all on the remote, under whatever name. */
const NO_COMMITS = { count: 0, first: [] };

async function saveTo(clean: CleanRepository, spec: SaveSpec, remote: RemoteNames): Promise<SaveResult> {
  const [uncommitted, tried] = await Promise.all([countUncommitted(clean), tryInTurn(clean, spec, remote)]);
  if (!tried.ok)
    return failed(tried.error, await gatherFacts(clean, uncommitted, [spec.base, spec.last_saved]));
  const { status, sha, remoteSha, rescues, failure } = tried.value;
  const onRemote = [sha, ...rescues.map((rescue) => rescue.sha)];
  if (status !== 'failed') await rememberSaved(clean.session.place, onRemote);
  // Unsaved is also what was one branch too many.
  if (status !== 'failed' && status !== 'unsaved') await forgetLeft(clean.session.place);
  const isPartial = status === 'failed' || status === 'unsaved';
  const facts = isPartial
    ? await gatherFacts(clean, uncommitted, [spec.base, spec.last_saved, ...onRemote])
    : factsOf(clean, uncommitted, NO_COMMITS);
  return { status, sha, remote_sha: remoteSha, rescue_refs: rescues, facts, failure };
}

interface Tried {
  outcome: SaveOutcome;
  raced: boolean;
}

/** Somebody may push between our question and our push; once that is worth a second look, twice it is a failure. */
async function tryInTurn(
  clean: CleanRepository,
  spec: SaveSpec,
  remote: RemoteNames,
): Promise<Result<SaveOutcome, GitFailure>> {
  const hopeful = await tryUnasked(clean, spec, remote);
  if (hopeful !== null && !hopeful.raced) return ok(hopeful.outcome);
  const first = await trySave(clean, spec, remote);
  if (!first.ok || !first.value.raced) return first.ok ? ok(first.value.outcome) : first;
  const second = await trySave(clean, spec, remote);
  return second.ok ? ok(second.value.outcome) : second;
}

/** The lease finds out whether the remote is as expected, so that the usual save need not ask it. null: this one has to. */
async function tryUnasked(
  clean: CleanRepository,
  spec: SaveSpec,
  remote: RemoteNames,
): Promise<Tried | null> {
  const view = await viewExpected(clean, spec);
  const plan = view === null ? null : planSave(view);
  return view !== null && plan?.standing === 'push' ? carryOut(clean, remote, view, plan) : null;
}

async function trySave(
  clean: CleanRepository,
  spec: SaveSpec,
  remote: RemoteNames,
): Promise<Result<Tried, GitFailure>> {
  const listed = await listBranches(clean, remote, []);
  if (!listed.ok) return listed;
  const view = await viewSave(clean, spec, listed.value);
  return ok(await carryOut(clean, remote, view, planSave(view)));
}

/** `view.remote` is what the remote has, or is expected to have: each push has it as its lease. */
async function carryOut(
  clean: CleanRepository,
  remote: RemoteNames,
  view: SaveView,
  plan: SavePlan,
): Promise<Tried> {
  const { pushes } = plan;
  const pushed = pushes.length === 0 ? NOT_PUSHED : await push(clean, remote, pushes);
  const asked = affected(view, plan);
  const after = pushes.length === 0 ? ok(view.remote) : await listBranches(clean, remote, asked);
  const failure = pushed.failure ?? (after.ok ? null : after.error) ?? unreadable(clean);
  const rest = [...view.remote].filter(([name]) => !asked.includes(name));
  const seen = new Map([...rest, ...(after.ok ? after.value : [])]);
  const stashes = clean.refs.stashes.length;
  return { outcome: concludeSave(view, plan, { remote: seen, stashes, failure }), raced: pushed.raced };
}

const affected = (view: SaveView, plan: SavePlan): string[] => [
  ...new Set([view.branch, ...plan.pushes.map((one) => one.branch)]),
];

/** Commits that nobody could find a name for are not saved. */
const unreadable = (clean: CleanRepository): GitFailure | null =>
  clean.refs.unreadable.length === 0
    ? null
    : otherFailure(
        `The repository in the workspace has refs that cannot be read: ${clean.refs.unreadable.slice(0, 10).join(', ')}.`,
      );

async function listBranches(
  clean: CleanRepository,
  remote: RemoteNames,
  branches: readonly string[],
): Promise<Result<RemoteBranches, GitFailure>> {
  const listed = await inClean(clean, {
    what: 'Asking the remote for its branches',
    args: listBranchesArgs(remote.url, branches),
  });
  if (!listed.ok) return err(listed.error);
  const heads = [...parseRemoteRefs(listed.value.stdout.toString()).refs].map(
    ([ref, sha]) => [ref.replace(/^refs\/heads\//, ''), sha] as const,
  );
  return ok(new Map(heads));
}

interface Pushed {
  failure: GitFailure | null;
  raced: boolean;
  /** The remote took at least one of the refs. */
  took: boolean;
}

const NOT_PUSHED: Pushed = { failure: null, raced: false, took: false };

/** One broken or unwelcome branch can fail a push as a whole; it may not keep the others from being saved. */
async function push(clean: CleanRepository, remote: RemoteNames, pushes: readonly Push[]): Promise<Pushed> {
  const together = await pushOnce(clean, remote, pushes);
  const hopeless = together.failure?.reason !== 'other' && together.failure?.reason !== 'refused';
  if (hopeless || together.took || together.raced || pushes.length === 1) return together;
  const each: Pushed[] = [];
  for (const one of pushes) each.push(await pushOnce(clean, remote, [one]));
  return {
    failure: each.find((one) => one.failure !== null)?.failure ?? null,
    raced: each.some((one) => one.raced),
    took: each.some((one) => one.took),
  };
}

async function pushOnce(
  clean: CleanRepository,
  remote: RemoteNames,
  pushes: readonly Push[],
): Promise<Pushed> {
  const [first] = pushes;
  const what = `Pushing ${first?.branch ?? ''}${pushes.length > 1 ? ` and ${pushes.length - 1} more` : ''}`;
  // 1: git spoke with the remote, which refused one of the refs.
  const answered = await inClean(clean, { what, args: pushArgs(remote.url, pushes), accept: [1] });
  if (!answered.ok) return { ...NOT_PUSHED, failure: answered.error };
  const { stdout, stderr, exitCode } = answered.value;
  const answers = parsePush(stdout.toString());
  return {
    failure: classifyPush(what, answers, { stderr, exitCode, remote }),
    raced: answers.some((answer) => answer.outcome === 'stale'),
    took: answers.some((answer) => answer.outcome === 'pushed'),
  };
}

/** Clones a task's repository beside its path, on the task branch, and moves it there when it is whole. */
import { join } from 'node:path';
import { FULL_REFSPECS, planClone, trackingRef, type ClonePlan } from '../../core/clone-plan.ts';
import { otherFailure, type GitFailure } from '../../core/git-failure.ts';
import { parsePackedRefs, parseRemoteRefs, type RemoteRefs } from '../../core/git-output.ts';
import { fetchArgs, isBranchName, listRemoteArgs, objectFormatOf, transportOf } from '../../core/git.ts';
import { err, ok, type Result } from '../../core/result.ts';
import type { CloneResult, CloneSpec, Remote } from '../protocol.ts';
import { answerDiskErrors } from './git-disk.ts';
import { inspectRepository } from './git-inspect.ts';
import { dropMarker, loadMarker } from './git-marker.ts';
import { gitFolder, openSession, runGit, type GitSession } from './git-process.ts';
import { clearIncomplete, publishStage, type Origin } from './git-publish.ts';
import { removeScratch } from './git-scratch.ts';
import { closeStage, initStage, initSubmodules, inStage, openStage, type Stage } from './git-stage.ts';
import type { Place } from './place.ts';

/**
 * Idempotent: a repository that is already whole answers what its clone answered. After a failure nothing of ours is
 * left at the path.
 */
export const runClone = (spec: CloneSpec, place: Place, signal: AbortSignal): Promise<CloneResult> =>
  answerDiskErrors(
    () => cloneInto(spec, place, signal),
    (failure) => answerOf(err(failure)),
  );

async function cloneInto(spec: CloneSpec, place: Place, signal: AbortSignal): Promise<CloneResult> {
  const found = await inspectRepository(place);
  const marker = await loadMarker(place);
  if (found.files === 'whole' && marker !== null) return answerOf(ok(marker));
  const refusal =
    found.damage === null ? refusalOf(spec) : otherFailure(`${place.directory}: ${found.damage}.`);
  if (refusal !== null) return answerOf(err(refusal));

  await clearIncomplete(place);
  await dropMarker(place);
  const stage = await openStage(openSession(place, spec.remote, { timeoutMs: spec.timeout_ms, signal }));
  try {
    const origin = await fillStage(stage, spec);
    const published = origin.ok ? await publishStage(place, stage.directory, origin.value) : origin;
    return answerOf(published.ok ? origin : published);
  } finally {
    await closeStage(stage);
  }
}

function answerOf(origin: Result<Origin, GitFailure>): CloneResult {
  if (!origin.ok) return { ok: false, failure: origin.error };
  const { base, remote_sha, head } = origin.value;
  return { ok: true, base, remote_sha, head };
}

function refusalOf(spec: CloneSpec): GitFailure | null {
  for (const branch of [spec.branch, spec.base_branch]) {
    if (branch !== null && !isBranchName(branch))
      return otherFailure(`"${branch}" is not a legal branch name.`);
  }
  if (spec.remote === null || transportOf(spec.remote.url) !== null) return null;
  return { reason: 'refused', detail: 'Repositories are cloned over https, http or from a local path only.' };
}

async function fillStage(stage: Stage, spec: CloneSpec): Promise<Result<Origin, GitFailure>> {
  const { remote } = spec;
  if (remote === null) return makeEmpty(stage, spec);
  // What is fetched hardly depends on the plan: asking for both at once saves a round trip to the remote.
  const early = spec.depth === null ? startFetch(stage, spec, remote) : null;
  const planned = await planFrom(stage, spec, remote);
  if (!planned.ok || planned.value.start === null) early?.stop();
  const hasBranches = (await early?.hasBranches) ?? false;
  if (!planned.ok) return planned;
  const { start } = planned.value;
  if (!hasBranches || start === null) await removeScratch(stage.directory);
  if (start === null) return makeEmpty(stage, spec);
  const plan = { ...planned.value, start };
  const fetched = hasBranches
    ? await fetchRest(stage, remote, plan)
    : await fetchPlanned(stage, spec, remote, plan);
  return fetched.ok ? makeFrom(stage, spec, plan) : fetched;
}

/** All branches, before anybody knows the repository's object format: of the usual one. Where it fails, all begins anew. */
function startFetch(
  stage: Stage,
  spec: CloneSpec,
  remote: Remote,
): { hasBranches: Promise<boolean>; stop: () => void } {
  const stopped = new AbortController();
  const signal = AbortSignal.any([stage.session.signal, stopped.signal]);
  const own: Stage = { ...stage, session: { ...stage.session, signal } };
  const fetchAll = async (): Promise<boolean> =>
    (await initStage(own, { ...spec, format: 'sha1' })).ok &&
    (await fetchInto(own, remote, { refspecs: FULL_REFSPECS, depth: null })).ok;
  return { hasBranches: fetchAll(), stop: () => stopped.abort() };
}

async function planFrom(
  stage: Stage,
  spec: CloneSpec,
  remote: Remote,
): Promise<Result<ClonePlan, GitFailure>> {
  const listed = await listRemote(stage.session, remote);
  if (!listed.ok) return listed;
  const plan = planClone(listed.value, { branch: spec.branch, baseBranch: spec.base_branch });
  return plan.ok ? plan : err({ ...plan.error, detail: `${remote.origin}: ${plan.error.detail}` });
}

/** A detached HEAD may be on no branch. */
const fetchRest = async (
  stage: Stage,
  remote: Remote,
  { base }: ClonePlan,
): Promise<Result<unknown, GitFailure>> =>
  base !== null && 'sha' in base ? fetchInto(stage, remote, { refspecs: ['HEAD'], depth: null }) : ok(null);

async function fetchPlanned(
  stage: Stage,
  spec: CloneSpec,
  remote: Remote,
  plan: ClonePlan & { start: string },
): Promise<Result<unknown, GitFailure>> {
  const made = await initStage(stage, { ...spec, format: objectFormatOf(plan.start) });
  if (!made.ok) return made;
  const refspecs = spec.depth === null ? plan.refspecs.full : plan.refspecs.shallow;
  return fetchInto(stage, remote, { refspecs, depth: spec.depth });
}

const fetchInto = (
  stage: Stage,
  remote: Remote,
  { refspecs, depth }: { refspecs: readonly string[]; depth: number | null },
): Promise<Result<unknown, GitFailure>> =>
  inStage(stage, { what: 'Fetching the repository', args: fetchArgs(remote.url, refspecs, depth) });

async function listRemote(session: GitSession, remote: Remote): Promise<Result<RemoteRefs, GitFailure>> {
  const listed = await runGit(session, {
    what: 'Listing the branches',
    args: listRemoteArgs(remote.url),
    cwd: gitFolder(session.place),
    // No repository: the state folder may lie inside somebody's.
    env: { GIT_DIR: join(gitFolder(session.place), 'none') },
  });
  return listed.ok ? ok(parseRemoteRefs(listed.value.stdout.toString())) : listed;
}

const NO_ORIGIN: Origin = { base: null, remote_sha: null, head: null };

async function makeEmpty(stage: Stage, spec: CloneSpec): Promise<Result<Origin, GitFailure>> {
  const made = await initStage(stage, { ...spec, format: 'sha1' });
  return made.ok ? ok(NO_ORIGIN) : made;
}

async function makeFrom(
  stage: Stage,
  spec: CloneSpec,
  plan: ClonePlan & { start: string },
): Promise<Result<Origin, GitFailure>> {
  const origin = await findOrigin(stage, spec.branch, plan);
  if (!origin.ok) return origin;
  const checkedOut = await checkOut(stage, origin.value.head, defaultRef(spec, plan));
  return checkedOut.ok ? origin : checkedOut;
}

/** Read again after the fetch: branches may have moved since they were listed. */
async function findOrigin(
  stage: Stage,
  branch: string,
  plan: ClonePlan,
): Promise<Result<Origin & { head: string }, GitFailure>> {
  const task = trackingRef(`refs/heads/${branch}`);
  const base = plan.base !== null && 'ref' in plan.base ? trackingRef(plan.base.ref) : null;
  const read = await inStage(stage, {
    what: 'Reading the branches',
    args: ['for-each-ref', '--format=%(objectname) %(refname)', task, ...(base === null ? [] : [base])],
  });
  if (!read.ok) return read;
  const tips = new Map(parsePackedRefs(read.value.stdout.toString()).map(({ name, sha }) => [name, sha]));
  const remoteSha = tips.get(task) ?? null;
  const baseSha = plan.base !== null && 'sha' in plan.base ? plan.base.sha : (tips.get(base ?? '') ?? null);
  const head = remoteSha ?? baseSha;
  if (head === null)
    return err(otherFailure('The branches of the repository changed while it was cloned. Try again.'));
  const start =
    remoteSha === null || baseSha === null ? ok(baseSha) : await mergeBase(stage, remoteSha, baseSha);
  return start.ok ? ok({ base: start.value, remote_sha: remoteSha, head }) : start;
}

/** Histories without a common commit (a shallow clone's too) start at the base branch. */
async function mergeBase(stage: Stage, task: string, base: string): Promise<Result<string, GitFailure>> {
  const args = ['merge-base', task, base];
  const found = await inStage(stage, { what: 'Finding the start of the branch', args, accept: [1] });
  return found.ok ? ok(found.value.stdout.toString().trim() || base) : found;
}

/** A shallow clone has the branches that it asked for only. */
function defaultRef(spec: CloneSpec, { base, headRef }: ClonePlan): string | null {
  if (spec.depth === null) return headRef;
  return base !== null && 'ref' in base && base.ref === headRef ? headRef : null;
}

async function checkOut(
  stage: Stage,
  head: string,
  headRef: string | null,
): Promise<Result<unknown, GitFailure>> {
  if (headRef !== null) {
    const args = ['symbolic-ref', 'refs/remotes/origin/HEAD', trackingRef(headRef)];
    const named = await inStage(stage, { what: 'Naming the default branch', args });
    if (!named.ok) return named;
  }
  // HEAD names the task branch, still unborn: this creates it.
  const args = ['reset', '--quiet', '--hard', head];
  const reset = await inStage(stage, { what: 'Checking out the branch', args });
  return reset.ok ? initSubmodules(stage) : reset;
}

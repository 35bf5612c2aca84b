/** Clones a task's repository beside its path, on the task branch, and moves it there when it is whole. */
import { join } from 'node:path';
import { planClone, trackingRef, type ClonePlan } from '../../core/clone-plan.ts';
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
  if (spec.remote === null) return makeEmpty(stage, spec);
  const listed = await listRemote(stage.session, spec.remote);
  if (!listed.ok) return listed;
  const plan = planClone(listed.value, { branch: spec.branch, baseBranch: spec.base_branch });
  if (!plan.ok) return err({ ...plan.error, detail: `${spec.remote.origin}: ${plan.error.detail}` });
  const { start } = plan.value;
  if (start === null) return makeEmpty(stage, spec);
  return makeFrom(stage, spec, spec.remote, { ...plan.value, start });
}

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

async function makeEmpty(stage: Stage, spec: CloneSpec): Promise<Result<Origin, GitFailure>> {
  const made = await initStage(stage, { ...spec, format: 'sha1' });
  return made.ok ? ok({ base: null, remote_sha: null, head: null }) : made;
}

async function makeFrom(
  stage: Stage,
  spec: CloneSpec,
  remote: Remote,
  plan: ClonePlan & { start: string },
): Promise<Result<Origin, GitFailure>> {
  const made = await initStage(stage, { ...spec, format: objectFormatOf(plan.start) });
  if (!made.ok) return made;
  const refspecs = spec.depth === null ? plan.refspecs.full : plan.refspecs.shallow;
  const fetched = await inStage(stage, {
    what: 'Fetching the repository',
    args: fetchArgs(remote.url, refspecs, spec.depth),
  });
  if (!fetched.ok) return fetched;
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

/** Clones a task's repository beside its path, on the task branch, and moves it there when it is whole. */
import { join } from 'node:path';
import { planClone, trackingRef, type ClonePlan } from '../../core/clone-plan.ts';
import { otherFailure, type GitFailure } from '../../core/git-failure.ts';
import { parseRemoteRefs, type RemoteRefs } from '../../core/git-output.ts';
import { fetchArgs, isBranchName, listRemoteArgs, objectFormatOf, transportOf } from '../../core/git.ts';
import { err, ok, type Result } from '../../core/result.ts';
import type { CloneResult, CloneSpec, Remote } from '../protocol.ts';
import { answerDiskErrors } from './git-disk.ts';
import { inspectRepository } from './git-inspect.ts';
import { dropMarker, loadMarker } from './git-marker.ts';
import { gitFolder, openSession, runGit, type GitSession } from './git-process.ts';
import { clearIncomplete, publishStage, type Origin } from './git-publish.ts';
import { readOrigin } from './git-refs.ts';
import {
  cloneStage,
  closeStage,
  initStage,
  initSubmodules,
  inStage,
  openStage,
  takeBranch,
  type Stage,
} from './git-stage.ts';
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
  const listed = await (spec.depth === null ? cloneAll(stage, remote) : listRemote(stage.session, remote));
  if (!listed.ok) return listed;
  const planned = planClone(listed.value, { branch: spec.branch, baseBranch: spec.base_branch });
  if (!planned.ok) return err({ ...planned.error, detail: `${remote.origin}: ${planned.error.detail}` });
  const { start } = planned.value;
  const plan = start === null ? null : { ...planned.value, start };
  if (spec.depth === null) {
    await takeBranch(stage, spec);
    return plan === null ? ok(NO_ORIGIN) : makeFrom(stage, spec.branch, plan, listed.value);
  }
  if (plan === null) return makeEmpty(stage, spec);
  const fetched = await fetchShallow(stage, spec, remote, plan);
  if (!fetched.ok) return fetched;
  // Branches may have moved since they were listed.
  const read = await readCloned(stage);
  return read.ok ? makeFrom(stage, spec.branch, plan, read.value) : read;
}

/** One conversation with the remote; what is planned is then a matter of what came. */
async function cloneAll(stage: Stage, remote: Remote): Promise<Result<RemoteRefs, GitFailure>> {
  const cloned = await cloneStage(stage, remote);
  return cloned.ok ? readCloned(stage) : cloned;
}

async function readCloned(stage: Stage): Promise<Result<RemoteRefs, GitFailure>> {
  const refs = await readOrigin(stage.gitDirectory);
  return refs === null ? err(otherFailure(TOO_MANY_REFS)) : ok(refs);
}

async function fetchShallow(
  stage: Stage,
  spec: CloneSpec,
  remote: Remote,
  plan: Planned,
): Promise<Result<unknown, GitFailure>> {
  const made = await initStage(stage, { ...spec, format: objectFormatOf(plan.start) });
  if (!made.ok) return made;
  const fetched = await inStage(stage, {
    what: 'Fetching the repository',
    args: fetchArgs(remote.url, plan.refspecs, spec.depth),
  });
  const headRef = defaultRef(plan);
  if (!fetched.ok || headRef === null) return fetched;
  const args = ['symbolic-ref', 'refs/remotes/origin/HEAD', trackingRef(headRef)];
  return inStage(stage, { what: 'Naming the default branch', args });
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

/** With something to start from. */
type Planned = ClonePlan & { start: string };

const TOO_MANY_REFS =
  "The repository has more branches and tags than fit into 64 MiB. Set the project's `depth`: then only the branches that it needs are fetched.";

const NO_ORIGIN: Origin = { base: null, remote_sha: null, head: null };

async function makeEmpty(stage: Stage, spec: CloneSpec): Promise<Result<Origin, GitFailure>> {
  const made = await initStage(stage, { ...spec, format: 'sha1' });
  return made.ok ? ok(NO_ORIGIN) : made;
}

async function makeFrom(
  stage: Stage,
  branch: string,
  plan: Planned,
  fetched: RemoteRefs,
): Promise<Result<Origin, GitFailure>> {
  const origin = await findOrigin(stage, branch, plan, fetched);
  if (!origin.ok) return origin;
  // By no other name: a tag of the remote may be called HEAD.
  const args = ['checkout', '--quiet', '--force', '-B', branch, origin.value.head];
  const checkedOut = await inStage(stage, { what: 'Checking out the branch', args });
  const filled = checkedOut.ok ? await initSubmodules(stage) : checkedOut;
  return filled.ok ? origin : filled;
}

async function findOrigin(
  stage: Stage,
  branch: string,
  plan: Planned,
  { refs }: RemoteRefs,
): Promise<Result<Origin & { head: string }, GitFailure>> {
  const remoteSha = refs.get(`refs/heads/${branch}`) ?? null;
  const baseSha = plan.base !== null && 'ref' in plan.base ? refs.get(plan.base.ref) : plan.base?.sha;
  const head = remoteSha ?? baseSha;
  if (head === undefined)
    return err(otherFailure('The branches of the repository changed while it was cloned. Try again.'));
  const start =
    remoteSha === null || baseSha === undefined
      ? ok(baseSha ?? null)
      : await mergeBase(stage, remoteSha, baseSha);
  return start.ok ? ok({ base: start.value, remote_sha: remoteSha, head }) : start;
}

/** Histories without a common commit (a shallow clone's too) start at the base branch. */
async function mergeBase(stage: Stage, task: string, base: string): Promise<Result<string, GitFailure>> {
  const args = ['merge-base', task, base];
  const found = await inStage(stage, { what: 'Finding the start of the branch', args, accept: [1] });
  return found.ok ? ok(found.value.stdout.toString().trim() || base) : found;
}

/** It has the branches that it asked for only. */
const defaultRef = ({ base, headRef }: ClonePlan): string | null =>
  base !== null && 'ref' in base && base.ref === headRef ? headRef : null;

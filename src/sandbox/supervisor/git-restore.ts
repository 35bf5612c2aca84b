/** Rebuilds a workspace from a snapshot's bundle: beside its path, and moved there when it is whole. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FULL_REFSPECS } from '../../core/clone-plan.ts';
import { otherFailure, type GitFailure } from '../../core/git-failure.ts';
import { fetchArgs, isBranchName, isSha, objectFormatOf } from '../../core/git.ts';
import { err, ok, type Result } from '../../core/result.ts';
import {
  FILES_REF,
  parseSnapshotState,
  type BundleHeader,
  type SnapshotState,
} from '../../core/snapshot-state.ts';
import type { RestoreResult, RestoreSpec } from '../protocol.ts';
import { readBundleHeader, snapshotPath } from './git-bundle.ts';
import { closeClean, openClean } from './git-clean.ts';
import { answerDiskErrors } from './git-disk.ts';
import { countUncommitted, factsOf, listNewCommits } from './git-facts.ts';
import { inspectRepository } from './git-inspect.ts';
import { dropMarker, loadMarker } from './git-marker.ts';
import { lessTime, openSession } from './git-process.ts';
import { rememberLeft, rememberTips } from './git-left.ts';
import { clearIncomplete, publishStage } from './git-publish.ts';
import { restoreFiles } from './git-restore-files.ts';
import { loadSaved, rememberSaved } from './git-saved.ts';
import { closeStage, initStage, initSubmodules, inStage, openStage, type Stage } from './git-stage.ts';
import type { Place } from './place.ts';

/** What is nice to have from a remote may take this share of the time; the snapshot itself does not need it. */
const EXTRAS_SHARE = 4;

/** Idempotent: a repository that is already whole is left as it is. After a failure nothing of ours is at the path. */
export const runRestore = (spec: RestoreSpec, place: Place, signal: AbortSignal): Promise<RestoreResult> =>
  answerDiskErrors(
    () => restore(spec, place, signal),
    (failure) => failed(failure),
  );

type Refusal = GitFailure & { unusable?: true };

const failed = ({ reason, detail, unusable }: Refusal): RestoreResult => ({
  ok: false,
  failure: { reason, detail },
  unusable: unusable === true,
});

const unusable = (detail: string): Refusal => ({ ...otherFailure(detail), unusable: true });

async function restore(spec: RestoreSpec, place: Place, signal: AbortSignal): Promise<RestoreResult> {
  const limit = { timeoutMs: spec.timeout_ms, signal };
  const found = await inspectRepository(place);
  if (found.files === 'whole') return answerFacts(place, limit);
  if (found.damage !== null) return failed(otherFailure(`${place.directory}: ${found.damage}.`));
  const bundle = snapshotPath(place, spec.snapshot);
  const header = await readBundleHeader(bundle);
  if (header === null) return failed(unusable(`The snapshot ${spec.snapshot} is missing or no bundle.`));

  await clearIncomplete(place);
  await dropMarker(place);
  const stage = await openStage(openSession(place, spec.remote, limit));
  try {
    const state = await fillStage(stage, spec, { path: bundle, header });
    if (!state.ok) return failed(state.error);
    await addExtras(stage, spec);
    const published = await publishStage(place, stage.directory, state.value);
    if (!published.ok) return failed(published.error);
    await rememberSaved(place, state.value.saved);
    await rememberLeft(place, state.value.left);
    await rememberTips(place);
    return await answerFacts(place, limit);
  } finally {
    await closeStage(stage);
  }
}

async function answerFacts(
  place: Place,
  limit: { timeoutMs: number; signal: AbortSignal },
): Promise<RestoreResult> {
  const clean = await openClean(openSession(place, null, limit));
  try {
    const marker = await loadMarker(place);
    const known = [marker?.base ?? null, marker?.remote_sha ?? null, ...(await loadSaved(place))];
    const uncommitted = await countUncommitted(clean);
    const commits = await listNewCommits(clean, clean.refs.head.sha, known);
    return { ok: true, facts: factsOf(clean, uncommitted, commits) };
  } finally {
    await closeClean(clean);
  }
}

async function fillStage(
  stage: Stage,
  spec: RestoreSpec,
  bundle: { path: string; header: BundleHeader },
): Promise<Result<SnapshotState, Refusal>> {
  const files = bundle.header.refs.get(FILES_REF) ?? '';
  if (!isSha(files)) return err(unusable(`The snapshot ${spec.snapshot} holds no files of a workspace.`));
  const made = await initStage(stage, { ...spec, format: objectFormatOf(files) });
  if (!made.ok) return made;
  const prepared = await fetchPrerequisites(stage, spec, bundle.header.prerequisites);
  if (!prepared.ok) return prepared;
  const what = 'Unpacking the snapshot';
  const unpacked = await inStage(stage, { what, args: ['bundle', 'unbundle', bundle.path] });
  if (!unpacked.ok) return err(unpackFailure(unpacked.error));
  const message = await inStage(stage, { what, args: ['show', '--no-patch', '--format=%B', files] });
  if (!message.ok) return message;
  const state = parseSnapshotState(message.value.stdout.toString());
  if (state === null) return err(unusable(`The snapshot ${spec.snapshot} does not say what it holds.`));
  const named = await restoreRefs(stage, state);
  if (!named.ok) return named;
  const restored = await restoreFiles(stage, state, files);
  return restored.ok ? ok(state) : restored;
}

/** A full disk or a killed git says nothing about the bundle; broken content does. One that was cut off sounds to git like a broken connection. */
function unpackFailure({ reason, detail }: GitFailure): Refusal {
  if (reason === 'timeout' || /died of signal|no space|diskspace|quota|write/i.test(detail))
    return { reason: reason === 'timeout' ? reason : 'other', detail };
  return /corrupt|early EOF|inflate|mismatch|unresolved|bad object|unexpected|garbage|not a pack/i.test(
    detail,
  )
    ? unusable(detail)
    : { reason: 'other', detail };
}

/** A snapshot of a large repository leaves out what the remote had; by then a branch may have moved on. */
async function fetchPrerequisites(
  stage: Stage,
  spec: RestoreSpec,
  shas: readonly string[],
): Promise<Result<unknown, GitFailure>> {
  if (shas.length === 0) return ok(null);
  if (spec.remote === null)
    return err(otherFailure('The snapshot builds on commits of a remote, and there is none.'));
  const { url } = spec.remote;
  const what = 'Fetching what the snapshot builds on';
  const fetched = await inStage(stage, { what, args: fetchArgs(url, FULL_REFSPECS, null) });
  if (!fetched.ok) return fetched;
  const missing: string[] = [];
  for (const sha of shas) {
    const there = await inStage(stage, {
      what,
      args: ['cat-file', '-e', `${sha}^{commit}`],
      accept: [1, 128],
    });
    if (there.ok && there.value.exitCode !== 0) missing.push(sha);
  }
  return missing.length === 0 ? ok(null) : inStage(stage, { what, args: fetchArgs(url, missing, null) });
}

async function restoreRefs(stage: Stage, state: SnapshotState): Promise<Result<unknown, GitFailure>> {
  if (state.shallow.length > 0)
    await writeFile(join(stage.gitDirectory, 'shallow'), `${state.shallow.join('\n')}\n`);
  await writeFile(join(stage.gitDirectory, 'info', 'exclude'), state.exclude);
  // A branch that took the name of a linked work tree keeps it.
  const branches = new Map<string, string>(state.branches.toReversed());
  const legal = [...branches].filter(([name]) => isBranchName(name));
  const what = 'Restoring the branches';
  const created = await inStage(stage, {
    what,
    args: ['update-ref', '--create-reflog', '-m', 'restore', '--stdin', '-z'],
    input: legal.map(([name, sha]) => `create refs/heads/${name}\0${sha}\0`).join(''),
  });
  if (!created.ok) return created;
  for (const { sha, message } of state.stashes) {
    const stored = await inStage(stage, { what, args: ['stash', 'store', '-q', '-m', plain(message), sha] });
    if (!stored.ok) return stored;
  }
  return pointHead(stage, state);
}

/** An argument cannot hold NUL, nor a reflog a line break. */
const plain = (message: string): string => message.replace(/\p{Cc}/gu, ' ');

async function pointHead(stage: Stage, state: SnapshotState): Promise<Result<unknown, GitFailure>> {
  const what = 'Restoring HEAD';
  if (state.head_branch !== null) {
    if (!isBranchName(state.head_branch))
      return err(otherFailure(`"${state.head_branch}" is not a legal branch name.`));
    return inStage(stage, { what, args: ['symbolic-ref', 'HEAD', `refs/heads/${state.head_branch}`] });
  }
  if (state.head === null) return ok(null);
  return inStage(stage, { what, args: ['update-ref', '--no-deref', '-m', 'restore', 'HEAD', state.head] });
}

/** Remote-tracking branches, tags and submodules, where the remote answers in time. */
async function addExtras(stage: Stage, spec: RestoreSpec): Promise<void> {
  if (spec.remote === null) return;
  const extras: Stage = { ...stage, session: lessTime(stage.session, spec.timeout_ms / EXTRAS_SHARE) };
  const args = fetchArgs(spec.remote.url, FULL_REFSPECS, null);
  const fetched = await inStage(extras, { what: 'Fetching the branches', args });
  if (fetched.ok) await initSubmodules(extras);
}

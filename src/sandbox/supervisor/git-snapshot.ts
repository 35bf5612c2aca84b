/** Puts a workspace's commits, index, files and stash into one bundle, without touching any of them. */
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitFailure } from '../../core/git-failure.ts';
import { isBranchName, isSha } from '../../core/git.ts';
import { err, ok, type Result } from '../../core/result.ts';
import { FILES_REF, SNAPSHOT_REFS, type SnapshotState } from '../../core/snapshot-state.ts';
import type { SnapshotResult, SnapshotSpec } from '../protocol.ts';
import { snapshotPath, writeBundle, type Written } from './git-bundle.ts';
import { closeClean, inClean, openClean, type CleanRepository } from './git-clean.ts';
import { answerDiskErrors } from './git-disk.ts';
import { countUncommitted, factsOf, listNewCommits } from './git-facts.ts';
import { inspectRepository } from './git-inspect.ts';
import { loadMarker } from './git-marker.ts';
import { openSession } from './git-process.ts';
import { existingCommits } from './git-lacking.ts';
import { findLeft } from './git-left.ts';
import { readPlain, type WorkspaceRefs } from './git-refs.ts';
import { loadSaved } from './git-saved.ts';
import { buildTrees, type Trees } from './git-snapshot-trees.ts';
import type { Place } from './place.ts';

/**
 * Up to here a snapshot holds the whole history and needs no remote. A larger repository's leaves out what the remote
 * has: else each attempt would upload all of it.
 */
const SELF_CONTAINED_BYTES = 32 * 1024 * 1024;

/** Idempotent: the same id is written anew. Runs nothing that the workspace configures. */
export const runSnapshot = (spec: SnapshotSpec, place: Place, signal: AbortSignal): Promise<SnapshotResult> =>
  answerDiskErrors(
    () => snapshot(spec, place, signal),
    (failure) => skipped(failure.detail),
  );

async function snapshot(spec: SnapshotSpec, place: Place, signal: AbortSignal): Promise<SnapshotResult> {
  const { files, damage } = await inspectRepository(place);
  if (files !== 'whole') return skipped(`There is no repository of ours: ${damage ?? 'no files'}.`);
  const clean = await openClean(openSession(place, null, { timeoutMs: spec.timeout_ms, signal }));
  try {
    if (clean.refs.unreadable.length > 0)
      return skipped(`Refs cannot be read: ${clean.refs.unreadable.join(', ')}.`);
    const state = await describe(clean);
    const known = [state.base, state.remote_sha, ...state.saved];
    const [uncommitted, commits] = await Promise.all([
      countUncommitted(clean),
      listNewCommits(clean, state.head, known),
    ]);
    const written = await writeSnapshot(clean, spec, state);
    if (!written.ok) return skipped(written.error.detail);
    return {
      status: 'written',
      ...written.value,
      head: state.head,
      facts: factsOf(clean, uncommitted, commits),
    };
  } finally {
    await closeClean(clean);
  }
}

const skipped = (reason: string): SnapshotResult => ({ status: 'skipped', reason: reason.slice(0, 1000) });

type Described = Omit<SnapshotState, 'index' | 'conflicts'>;

async function describe(clean: CleanRepository): Promise<Described> {
  const { session, refs, source, directory } = clean;
  const marker = await loadMarker(session.place);
  const saved = await loadSaved(session.place);
  const shallow = ((await readPlain(directory, 'shallow', Number.MAX_SAFE_INTEGER)) ?? '')
    .split('\n')
    .filter(isSha);
  return {
    version: 1,
    head: refs.head.sha,
    head_branch: refs.head.branch,
    branches: [
      ...[...refs.branches].filter(([name]) => isBranchName(name)),
      // A linked work tree is gone with its disk; its commits come back as a branch.
      ...refs.worktrees.map(({ name, sha }): [string, string] => [`worktree-${name}`, sha]),
    ],
    stashes: refs.stashes,
    shallow,
    exclude: (await readPlain(source, 'info/exclude', 1024 * 1024)) ?? '',
    base: marker?.base ?? null,
    remote_sha: marker?.remote_sha ?? null,
    saved,
    left: await findLeft(clean, [...saved, ...tipsOf(refs)]),
  };
}

const tipsOf = ({ head, branches, worktrees }: WorkspaceRefs): string[] =>
  [head.sha, ...branches.values(), ...worktrees.map(({ sha }) => sha)].filter((sha) => sha !== null);

async function writeSnapshot(
  clean: CleanRepository,
  spec: SnapshotSpec,
  described: Described,
): Promise<Result<Written, GitFailure>> {
  const trees = await buildTrees(clean, spec.max_bytes);
  if (!trees.ok) return trees;
  const tips = await commitTrees(clean, described, trees.value);
  if (!tips.ok) return tips;
  const { head, branches, stashes, left } = described;
  const others = [head, ...branches.map(([, sha]) => sha), ...stashes.map(({ sha }) => sha), ...left];
  const refs = await nameTips(
    clean,
    tips.value,
    others.filter((sha) => sha !== null),
  );
  const saved = await leftOut(clean, described, Math.min(SELF_CONTAINED_BYTES, spec.max_bytes));
  return writeBundle(clean, [...refs, ...saved.map((sha) => `^${sha}`)], {
    path: snapshotPath(clean.session.place, spec.id),
    maxBytes: spec.max_bytes,
  });
}

/** HEAD as their parent lets a bundle that leaves HEAD out leave out its files too. */
async function commitTrees(
  clean: CleanRepository,
  described: Described,
  trees: Trees,
): Promise<Result<string[], GitFailure>> {
  const parent = described.head === null ? [] : ['-p', described.head];
  const index = await commitTree(clean, [trees.index, ...parent], 'index');
  if (!index.ok) return index;
  const state: SnapshotState = { ...described, index: index.value, conflicts: trees.conflicts };
  const files = await commitTree(clean, [trees.files, ...parent], JSON.stringify(state));
  if (!files.ok) return files;
  if (trees.conflictTree === null) return ok([files.value, index.value]);
  const conflicts = await commitTree(clean, [trees.conflictTree], 'conflicts');
  return conflicts.ok ? ok([files.value, index.value, conflicts.value]) : conflicts;
}

const NOBODY = {
  GIT_AUTHOR_NAME: 'edge-harness',
  GIT_AUTHOR_EMAIL: 'edge-harness@localhost',
  GIT_AUTHOR_DATE: '@0 +0000',
  GIT_COMMITTER_NAME: 'edge-harness',
  GIT_COMMITTER_EMAIL: 'edge-harness@localhost',
  GIT_COMMITTER_DATE: '@0 +0000',
};

async function commitTree(
  clean: CleanRepository,
  args: readonly string[],
  message: string,
): Promise<Result<string, GitFailure>> {
  const committed = await inClean(clean, {
    what: 'Writing the snapshot',
    args: ['commit-tree', ...args],
    input: message,
    env: NOBODY,
  });
  return committed.ok ? ok(committed.value.stdout.toString().trim()) : err(committed.error);
}

/** Only refs can be bundled; these exist in our own repository alone. */
const nameTips = async (
  clean: CleanRepository,
  [files = '', ...tips]: readonly string[],
  others: readonly string[],
): Promise<string[]> => {
  const numbered = [...new Set([...tips, ...others])].map((sha, at) => ({
    name: `${SNAPSHOT_REFS}tips/${at}`,
    sha,
  }));
  const refs = [{ name: FILES_REF, sha: files }, ...numbered];
  await writeFile(
    join(clean.directory, 'packed-refs'),
    refs.map(({ name, sha }) => `${sha} ${name}\n`).join(''),
  );
  return refs.map(({ name }) => name);
};

async function leftOut(
  clean: CleanRepository,
  described: Described,
  selfContainedBytes: number,
): Promise<readonly string[]> {
  if ((await storeBytes(clean.source, selfContainedBytes)) <= selfContainedBytes) return [];
  const candidates = [...new Set([described.base, described.remote_sha, ...described.saved])].filter(
    (sha) => sha !== null,
  );
  return existingCommits(clean, candidates);
}

/** Stops counting over the limit. */
async function storeBytes(source: string, limit: number): Promise<number> {
  let total = 0;
  for (const entry of await readdir(join(source, 'objects'), { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    total += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
    if (total > limit) break;
  }
  return total;
}

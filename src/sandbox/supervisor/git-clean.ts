/**
 * A bare repository of our own that borrows the objects of an untrusted workspace. Git only ever reads this one's
 * configuration, so nothing that an agent configured can run. Of the workspace it takes data: objects, refs, index.
 */
import { lstat, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitFailure } from '../../core/git-failure.ts';
import { cleanConfig, isSha, objectFormatOf } from '../../core/git.ts';
import type { Result } from '../../core/result.ts';
import { runGit, type GitCommand, type GitOutput, type GitSession } from './git-process.ts';
import { readPlain, readRefs, type WorkspaceRefs } from './git-refs.ts';
import { newScratch, removeScratch } from './git-scratch.ts';

export interface CleanRepository {
  readonly session: GitSession;
  /** Our bare repository. */
  readonly directory: string;
  /** The workspace's `.git`: read as data, never as a repository. */
  readonly source: string;
  readonly refs: WorkspaceRefs;
}

const MAX_EXCLUDE_BYTES = 1024 * 1024;
const MAX_SHALLOW_BYTES = 16 * 1024 * 1024;

export async function openClean(session: GitSession): Promise<CleanRepository> {
  const source = join(session.place.directory, '.git');
  const refs = await readRefs(source);
  const directory = await newScratch(session.place, 'clean');
  try {
    await fill(directory, source, refs);
  } catch (error) {
    await removeScratch(directory);
    throw error;
  }
  return { session, directory, source, refs };
}

async function fill(directory: string, source: string, refs: WorkspaceRefs): Promise<void> {
  await mkdir(join(directory, 'objects', 'info'), { recursive: true });
  await Promise.all(['refs', 'info', 'borrowed'].map((folder) => mkdir(join(directory, folder))));
  const file = (name: string, text: string) => writeFile(join(directory, name), text);
  await Promise.all([
    file('config', cleanConfig(formatOf(refs))),
    file('HEAD', `${refs.head.sha ?? 'ref: refs/heads/unborn'}\n`),
    file('packed-refs', packedRefs(refs)),
    // Patterns that hide files from status: data, and what people expect to stay hidden.
    readPlain(source, 'info/exclude', MAX_EXCLUDE_BYTES).then((text) => file('info/exclude', text ?? '')),
    copyShallow(source, directory),
    borrowObjects(join(source, 'objects'), join(directory, 'borrowed')),
    file('objects/info/alternates', '../borrowed\n'),
  ]);
}

export const closeClean = (clean: CleanRepository): Promise<void> => removeScratch(clean.directory);

export const inClean = (
  clean: CleanRepository,
  command: Omit<GitCommand, 'cwd'>,
): Promise<Result<GitOutput, GitFailure>> =>
  runGit(clean.session, {
    ...command,
    cwd: clean.directory,
    env: { GIT_DIR: clean.directory, ...command.env },
  });

/** The same with the workspace's files as work tree; `index` is a copy. */
export const inWorkTree = (
  clean: CleanRepository,
  index: string,
  command: Omit<GitCommand, 'cwd'>,
): Promise<Result<GitOutput, GitFailure>> =>
  runGit(clean.session, {
    ...command,
    cwd: clean.session.place.directory,
    env: {
      GIT_DIR: clean.directory,
      GIT_WORK_TREE: clean.session.place.directory,
      GIT_INDEX_FILE: index,
      ...command.env,
    },
  });

const formatOf = ({ head, branches }: WorkspaceRefs) =>
  objectFormatOf(head.sha ?? branches.values().next().value ?? '');

/** A fetch tells the remote by these what it need not send. */
function packedRefs({ head, branches }: WorkspaceRefs): string {
  const tips = [...new Set([head.sha, ...branches.values()])].filter((sha) => sha !== null);
  return tips.map((sha, at) => `${sha} refs/ours/${String(at).padStart(6, '0')}\n`).join('');
}

/** Without it the history of a shallow clone would seem broken. */
async function copyShallow(source: string, directory: string): Promise<void> {
  const lines = ((await readPlain(source, 'shallow', MAX_SHALLOW_BYTES)) ?? '').split('\n').filter(isSha);
  if (lines.length > 0) await writeFile(join(directory, 'shallow'), `${lines.join('\n')}\n`);
}

/**
 * Links pack and fan-out folders one by one. The store's own `info/` stays behind, and with it its alternates and
 * commit graph; a file or folder that is a link is left out. So only objects inside the workspace can be read: in a
 * container an agent can plant a link to any repository of the machine, and the save would publish that one's commits.
 */
async function borrowObjects(objects: string, target: string): Promise<void> {
  if (!(await isFolder(objects))) return;
  for (const entry of await readdir(objects, { withFileTypes: true })) {
    if (!entry.isDirectory() || !/^(?:[0-9a-f]{2}|pack)$/.test(entry.name)) continue;
    const from = join(objects, entry.name);
    const files = await readdir(from, { withFileTypes: true });
    if (files.every((file) => file.isFile())) {
      await symlink(from, join(target, entry.name));
      continue;
    }
    await mkdir(join(target, entry.name));
    for (const file of files) {
      if (file.isFile()) await symlink(join(from, file.name), join(target, entry.name, file.name));
    }
  }
}

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

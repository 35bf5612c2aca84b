/** A repository under construction beside its workspace: ours alone until it is published, so plain git runs in it. */
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  cloneArgs,
  cloneEnvironment,
  initArgs,
  submoduleProtocols,
  withoutRemotes,
  workspaceConfig,
} from '../../core/git.ts';
import type { GitFailure } from '../../core/git-failure.ts';
import { ok, type Result } from '../../core/result.ts';
import type { CloneSpec, Remote } from '../protocol.ts';
import { runGit, type GitCommand, type GitOutput, type GitSession } from './git-process.ts';
import { newScratch, removeScratch } from './git-scratch.ts';

export interface Stage {
  readonly session: GitSession;
  readonly directory: string;
  readonly gitDirectory: string;
}

/** Beside the state of the same workspace, so usually on the same file system: publishing is one rename. */
export async function openStage(session: GitSession): Promise<Stage> {
  const directory = await newScratch(session.place, 'stage');
  return { session, directory, gitDirectory: join(directory, '.git') };
}

export const closeStage = (stage: Stage): Promise<void> => removeScratch(stage.directory);

type StageSpec = Pick<CloneSpec, 'branch' | 'user' | 'remote'>;

export async function initStage(
  stage: Stage,
  spec: StageSpec & { format: 'sha1' | 'sha256' },
): Promise<Result<GitOutput, GitFailure>> {
  const made = await runGit(stage.session, {
    what: 'Making the repository',
    args: initArgs(stage.directory, spec.branch, spec.format),
    cwd: dirname(stage.directory),
  });
  if (made.ok) await setUp(stage, spec);
  return made;
}

/** All of the remote's branches and tags, nothing checked out; HEAD is the remote's until `takeBranch`. */
export const cloneStage = (stage: Stage, remote: Remote): Promise<Result<GitOutput, GitFailure>> =>
  runGit(stage.session, {
    what: 'Cloning the repository',
    args: cloneArgs(remote.origin, stage.directory),
    cwd: dirname(stage.directory),
    env: cloneEnvironment(remote.url, remote.origin),
  });

/** The local branch that `git clone` made, its reflogs and its settings give way to the task's branch. */
export async function takeBranch(stage: Stage, spec: StageSpec): Promise<void> {
  const { gitDirectory } = stage;
  const remove = (folder: string) => rm(join(gitDirectory, folder), { recursive: true, force: true });
  await Promise.all([
    remove('logs'),
    remove('refs/heads').then(() => mkdir(join(gitDirectory, 'refs', 'heads'))),
    writeFile(join(gitDirectory, 'HEAD'), `ref: refs/heads/${spec.branch}\n`),
    setUp(stage, spec),
  ]);
}

async function setUp({ gitDirectory }: Stage, spec: StageSpec): Promise<void> {
  const config = join(gitDirectory, 'config');
  const made = withoutRemotes(await readFile(config, 'utf8'));
  await writeFile(config, made + workspaceConfig(spec.user, spec.remote?.origin ?? null));
  // What git's own template has and people's tools expect.
  await Promise.all(
    ['hooks', 'info'].map((folder) => mkdir(join(gitDirectory, folder), { recursive: true })),
  );
  await writeFile(join(gitDirectory, 'info', 'exclude'), '');
}

/** The reflog says `clone`, where git would write its arguments and with them the URL. */
export const inStage = (
  stage: Stage,
  command: Omit<GitCommand, 'cwd'>,
): Promise<Result<GitOutput, GitFailure>> =>
  runGit(stage.session, {
    ...command,
    cwd: stage.directory,
    env: {
      GIT_DIR: stage.gitDirectory,
      GIT_WORK_TREE: stage.directory,
      GIT_REFLOG_ACTION: 'clone',
      ...command.env,
    },
  });

/** Without GIT_DIR: git-submodule passes work on to the git of each submodule. */
export async function initSubmodules(stage: Stage): Promise<Result<GitOutput | null, GitFailure>> {
  const modules = await lstat(join(stage.directory, '.gitmodules')).catch(() => null);
  const { remote } = stage.session;
  if (remote === null || modules === null || !modules.isFile()) return ok(null);
  return runGit(stage.session, {
    what: 'Fetching the submodules',
    args: ['submodule', '--quiet', 'update', '--init', '--recursive'],
    cwd: stage.directory,
    env: { GIT_ALLOW_PROTOCOL: submoduleProtocols(remote.url, remote.local_submodules === true) },
  });
}

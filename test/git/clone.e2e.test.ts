/** Cloning over a real git server: every start of a task branch, every failure, every crash on the way. */
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CloneResult } from '../../src/sandbox/protocol.ts';
import { inspectRepository } from '../../src/sandbox/supervisor/git-inspect.ts';
import { markIncomplete } from '../../src/sandbox/supervisor/git-marker.ts';
import { runClone } from '../../src/sandbox/supervisor/git-clone.ts';
import { readOrigin } from '../../src/sandbox/supervisor/git-refs.ts';
import { git, startGitServer, type GitServer } from '../support/git-server.ts';
import { BRANCH, newWorkspace, ORIGIN, type Workspace } from '../support/git-workspace.ts';

let server: GitServer;
let workspace: Workspace;
let name: string;
let number = 0;

beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.close());

const use = async (url: string | null) => {
  await workspace?.close();
  workspace = await newWorkspace(url);
};
beforeEach(async () => {
  name = `demo-${(number += 1)}`;
  server.mode = 'up';
  await use(await server.repository(name, { files: { 'README.md': '# Demo\n' } }));
});
afterEach(() => workspace.close());

const clone = async (more = {}) => CloneResult.parse(await workspace.clone(more));
const inspect = () => inspectRepository(workspace.place);
const inTree = (...path: string[]) => join(workspace.place.directory, ...path);
/** Names of the files below a folder that hold the text. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(text)) found.push(relative(folder, path));
  }
  return found;
}
/** Nothing half-made stays in the state folder. */
const leftovers = async () =>
  (await readdir(join(workspace.place.stateDirectory, 'git')).catch(() => [])).filter(
    (file) => !file.endsWith('.json'),
  );

describe('where the task branch starts', () => {
  test("at the remote's HEAD, on a branch of its own, with a clean tree and our identity", async () => {
    const main = await server.sha(name, 'main');
    expect(await clone()).toEqual({ ok: true, base: main, remote_sha: null, head: main });
    expect(await workspace.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${BRANCH}`);
    expect(await workspace.git('status', '--porcelain')).toBe('');
    expect(await workspace.git('config', 'user.name')).toBe('Symphony');
    expect(await workspace.git('remote', '-v')).toBe(`origin\t${ORIGIN} (fetch)\norigin\t${ORIGIN} (push)`);
    expect(await workspace.git('rev-parse', 'origin/HEAD')).toBe(main);
    expect(await inspect()).toEqual({ files: 'whole', damage: null });
    expect(await leftovers()).toEqual([]);
  });

  test('without a word of the URL that it came from, which may hold a grant', async () => {
    await clone();
    expect(await filesWith(inTree('.git'), ORIGIN)).toEqual(['config']);
    expect(await filesWith(inTree('.git'), server.url)).toEqual([]);
    expect(await workspace.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe(
      `refs/heads/${BRANCH}`,
    );
    expect(await workspace.git('config', '--list', '--local')).not.toContain('branch.');
    expect(await workspace.git('reflog', '--format=%gs')).toMatch(/^clone$/m);
  });

  test('at the base branch that the project names', async () => {
    const develop = await server.commit(name, 'release/1.0 é'.replace(' ', '-'), { 'd.txt': 'd' });
    expect(await clone({ base_branch: 'release/1.0-é' })).toEqual({
      ok: true,
      base: develop,
      remote_sha: null,
      head: develop,
    });
  });

  test("at the task's own branch where the remote has it; the base is where it left the base branch", async () => {
    const start = await server.sha(name, 'main');
    await server.git(name, 'branch', BRANCH, 'main');
    const work = await server.commit(name, BRANCH, { 'work.txt': 'w' });
    await server.commit(name, 'main', { 'later.txt': 'l' });
    expect(await clone()).toEqual({ ok: true, base: start, remote_sha: work, head: work });
    expect(await readFile(inTree('work.txt'), 'utf8')).toBe('w');
  });

  test('at the task branch even when the base branch is gone', async () => {
    const work = await server.commit(name, BRANCH, { 'work.txt': 'w' });
    expect(await clone({ base_branch: 'gone' })).toEqual({
      ok: true,
      base: null,
      remote_sha: work,
      head: work,
    });
  });

  test('unborn in an empty repository, with a base branch named or not', async () => {
    const url = await server.repository(`empty-${number}`, { bare: 'empty' });
    for (const base_branch of [null, 'main']) {
      await use(url);
      expect(await clone({ base_branch })).toEqual({ ok: true, base: null, remote_sha: null, head: null });
      expect(await workspace.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${BRANCH}`);
    }
  });

  test('unborn where only other tasks have branches', async () => {
    await use(await server.repository(`tasks-${number}`, { bare: 'empty' }));
    await server.commit(`tasks-${number}`, 'symphony/OTHER', { 'o.txt': 'o' });
    expect(await clone()).toEqual({ ok: true, base: null, remote_sha: null, head: null });
  });

  test("at the only branch where the remote's HEAD names one that does not exist", async () => {
    const main = await server.sha(name, 'main');
    await server.git(name, 'symbolic-ref', 'HEAD', 'refs/heads/master');
    expect(await clone()).toMatchObject({ ok: true, base: main });
    await server.commit(name, 'second', { 's.txt': 's' });
    await use(`${server.url}/${name}.git`);
    expect(await clone()).toMatchObject({
      ok: false,
      failure: { reason: 'not_found', detail: /base branch/ },
    });
  });

  test('at the base branch, not at one with the same name and a blank of Unicode', async () => {
    const main = await server.sha(name, 'main');
    const other = await server.commit(name, 'other', { 'o.txt': 'o' });
    for (const branch of ['main\u00a0', `${BRANCH}\u3000`])
      await server.git(name, 'update-ref', `refs/heads/${branch}`, other);
    expect(await clone()).toEqual({ ok: true, base: main, remote_sha: null, head: main });
  });

  test("at the tag that the remote's HEAD names", async () => {
    const tagged = await server.commit(name, 'other', { 'o.txt': 'o' });
    await server.git(name, 'tag', 'release-1.main', tagged);
    await server.git(name, 'symbolic-ref', 'HEAD', 'refs/tags/release-1.main');
    expect(await clone()).toEqual({ ok: true, base: tagged, remote_sha: null, head: tagged });
  });

  test('at a detached HEAD of the remote', async () => {
    const sha = await server.sha(name, 'main');
    await server.commit(name, 'main', { 'n.txt': 'n' });
    await server.git(name, 'update-ref', '--no-deref', 'HEAD', sha ?? '');
    expect(await clone()).toMatchObject({ ok: true, base: sha, head: sha });
  });

  test('where a tag of the remote is called HEAD', async () => {
    const main = await server.sha(name, 'main');
    await server.git(name, 'update-ref', 'refs/tags/HEAD', 'refs/heads/main');
    expect(await clone()).toEqual({ ok: true, base: main, remote_sha: null, head: main });
    const head = await workspace.commit('work');
    expect(await workspace.save()).toMatchObject({ status: 'saved', sha: head });
  });

  test('without a repository: an empty one on the task branch', async () => {
    await use(null);
    expect(await clone()).toEqual({ ok: true, base: null, remote_sha: null, head: null });
    expect(await workspace.git('remote')).toBe('');
    expect(await inspect()).toEqual({ files: 'whole', damage: null });
  });

  test('in a repository with SHA-256 names', async () => {
    const path = server.path(`sha256-${number}`);
    const format = ['--quiet', '--object-format=sha256', '--initial-branch=main'];
    await git(server.root, 'init', '--bare', ...format, path);
    await server.git(`sha256-${number}`, 'config', 'http.receivepack', 'true');
    const tree = join(workspace.root, 'tree');
    await git(workspace.root, 'init', ...format, 'tree');
    await git(tree, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    await git(tree, 'push', '--quiet', path, 'main');
    const main = await server.sha(`sha256-${number}`, 'main');
    await use(`${server.url}/sha256-${number}.git`);
    expect(main).toHaveLength(64);
    expect(await clone()).toEqual({ ok: true, base: main, remote_sha: null, head: main });
    const head = await workspace.commit('work');
    expect(await workspace.save()).toMatchObject({ status: 'saved', sha: head });
  });
});

describe('what is cloned', () => {
  test('all branches, tags and history; with a depth only that much of two branches', async () => {
    for (const text of ['1', '2', '3']) await server.commit(name, 'main', { 'n.txt': text });
    await server.commit(name, 'other', { 'o.txt': 'o' });
    await server.git(name, 'tag', 'v1', 'main');
    await clone();
    expect(await workspace.git('rev-list', '--count', 'HEAD')).toBe('4');
    expect(await workspace.git('tag')).toBe('v1');
    expect(await workspace.git('branch', '--remotes', '--format=%(refname:short)')).toContain('origin/other');
    await use(`${server.url}/${name}.git`);
    await clone({ depth: 2 });
    expect(await workspace.git('rev-list', '--count', 'HEAD')).toBe('2');
    const head = await workspace.commit('work');
    expect(await workspace.save()).toMatchObject({ status: 'saved', sha: head, facts: { unsaved_count: 0 } });
    expect(await server.git(name, 'rev-list', '--count', BRANCH)).toBe('5');
  });

  test('a shallow clone of an existing task branch', async () => {
    const main = await server.sha(name, 'main');
    await server.git(name, 'branch', BRANCH, 'main');
    for (const text of ['1', '2', '3']) await server.commit(name, BRANCH, { 'n.txt': text });
    const work = await server.sha(name, BRANCH);
    expect(await clone({ depth: 1 })).toEqual({ ok: true, base: main, remote_sha: work, head: work });
    const head = await workspace.commit('more');
    expect(await workspace.save()).toMatchObject({ status: 'saved', sha: head });
  });

  test('submodules, at the commit that the repository names', async () => {
    const module = await server.repository(`module-${number}`, { files: { 'inner.txt': 'inner' } });
    await addSubmodule(module);
    await clone();
    expect(await readFile(inTree('module', 'inner.txt'), 'utf8')).toBe('inner');
    expect(await workspace.git('-C', 'module', 'status', '--porcelain')).toBe('');
    expect(await workspace.git('status', '--porcelain')).toBe('');
  });

  test('a submodule that does not exist fails the clone with its reason', async () => {
    await addSubmodule(await server.repository(`module-${number}`));
    await rm(server.path(`module-${number}`), { recursive: true });
    expect(await clone()).toMatchObject({
      ok: false,
      failure: { reason: 'not_found', detail: /submodules/ },
    });
    expect(await inspect()).toEqual({ files: 'absent', damage: null });
  });

  test("a submodule on this machine's disk is not read for a remote repository", async () => {
    await server.repository(`module-${number}`);
    await addSubmodule(server.path(`module-${number}`));
    expect(await clone()).toMatchObject({ ok: false, failure: { reason: 'refused' } });
  });

  test('a submodule on this machine’s disk is not read for an agent that must not see the disk', async () => {
    await server.repository(`module-${number}`);
    await addSubmodule(server.path(`module-${number}`));
    const remote = { url: server.path(name), origin: ORIGIN };
    const cloned = await workspace.clone({ remote });
    expect(cloned).toMatchObject({ ok: false, failure: { reason: 'refused', detail: /submodules/ } });
    expect(await inspect()).toEqual({ files: 'absent', damage: null });
  });

  test('a local repository, with its local submodule', async () => {
    await server.repository(`module-${number}`, { files: { 'inner.txt': 'inner' } });
    await addSubmodule(server.path(`module-${number}`));
    await use(server.path(name));
    expect(await clone()).toMatchObject({ ok: true });
    expect(await readFile(inTree('module', 'inner.txt'), 'utf8')).toBe('inner');
    const head = await workspace.commit('work');
    expect(await workspace.save()).toMatchObject({ status: 'saved', sha: head });
    await use(`file://${server.path(name)}`);
    expect(await clone()).toMatchObject({ ok: true, remote_sha: head });
  });
});

const addSubmodule = async (url: string) => {
  const tree = join(workspace.root, 'tree');
  await git(workspace.root, 'clone', '--quiet', server.path(name), 'tree');
  await git(tree, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', url, 'module');
  await git(tree, 'commit', '--quiet', '-m', 'Add the module');
  await git(tree, 'push', '--quiet', 'origin', 'HEAD:main');
};

describe('what goes wrong', () => {
  test.each([
    ['auth', 'auth', /could not read Username/],
    ['forbidden', 'auth', /403/],
    [404, 'not_found', /not found/],
    [500, 'network', /500/],
    ['cut', 'network', /.+/],
    [{ redirect: 'http://127.0.0.1:1' }, 'network', /.+/],
  ] as const)('a server in mode %j is %s, and nothing is left', async (mode, reason, detail) => {
    server.mode = mode;
    const result = await clone();
    expect(result).toMatchObject({ ok: false, failure: { reason } });
    expect(result.ok ? '' : result.failure.detail).toMatch(detail);
    expect(await inspect()).toEqual({ files: 'absent', damage: null });
    expect(await leftovers()).toEqual([]);
  });

  test('a repository that does not exist is not_found, and its name is shown', async () => {
    await use(`${server.url}/nowhere.git`);
    expect(await clone()).toMatchObject({
      ok: false,
      failure: { reason: 'not_found', detail: expect.stringContaining(ORIGIN) },
    });
  });

  test('a base branch that does not exist is not_found, and its name is shown', async () => {
    expect(await clone({ base_branch: 'nope' })).toMatchObject({
      ok: false,
      failure: { reason: 'not_found', detail: expect.stringContaining('"nope"') },
    });
  });

  test('more branches than can be read are not taken for none', async () => {
    await clone();
    await truncate(inTree('.git', 'packed-refs'), 65 * 1024 * 1024);
    expect(await readOrigin(inTree('.git'))).toBeNull();
  });

  test('a local path without a repository is not_found', async () => {
    await use('/nonexistent/repository.git');
    expect(await clone()).toMatchObject({ ok: false, failure: { reason: 'not_found' } });
  });

  test.each([
    'ssh://git@example.com/x.git',
    'git@example.com:x.git',
    'ext::sh -c true',
    'git://example.com/x',
  ])('%s is refused before git sees it', async (url) => {
    await use(url);
    expect(await clone()).toMatchObject({ ok: false, failure: { reason: 'refused' } });
  });

  test('a server that never answers ends with timeout, in time, and no process stays', async () => {
    server.mode = 'hang';
    const started = Date.now();
    expect(await clone({ timeout_ms: 1000 })).toMatchObject({ ok: false, failure: { reason: 'timeout' } });
    expect(Date.now() - started).toBeLessThan(3000);
    expect(await leftovers()).toEqual([]);
  });

  test('a cancelled clone ends at once', async () => {
    server.mode = 'hang';
    const abort = new AbortController();
    const running = runClone(
      {
        kind: 'clone',
        id: 'c',
        wait_ms: 0,
        timeout_ms: 60_000,
        remote: { url: `${server.url}/${name}.git`, origin: ORIGIN },
        branch: BRANCH,
        base_branch: null,
        depth: null,
        user: { name: 'n', email: 'e' },
      },
      workspace.place,
      abort.signal,
    );
    setTimeout(() => abort.abort(), 200);
    expect(await running).toMatchObject({ ok: false, failure: { reason: 'other', detail: /cancelled/ } });
    expect(await inspect()).toEqual({ files: 'absent', damage: null });
  });
});

describe('the place', () => {
  test('a repeated clone changes nothing and answers the same', async () => {
    const first = await clone();
    await workspace.commit('work');
    await workspace.write({ 'untracked.txt': 'u' });
    server.mode = 'hang';
    expect(await clone()).toEqual(first);
    expect(await readFile(inTree('untracked.txt'), 'utf8')).toBe('u');
  });

  test('an empty folder that exists already is used', async () => {
    await mkdir(workspace.place.directory, { recursive: true });
    expect(await clone()).toMatchObject({ ok: true });
    expect(await inspect()).toEqual({ files: 'whole', damage: null });
  });

  test("somebody's files in the way are damage and stay", async () => {
    await mkdir(workspace.place.directory, { recursive: true });
    await writeFile(inTree('precious.txt'), 'p');
    expect((await inspect()).files).toBe('damaged');
    const result = await clone();
    expect(result).toMatchObject({ ok: false, failure: { reason: 'other' } });
    expect(await readdir(workspace.place.directory)).toEqual(['precious.txt']);
  });

  test('another clone that was put in its place is damage', async () => {
    await clone();
    await rename(workspace.place.directory, join(workspace.root, 'away'));
    await git(workspace.root, 'clone', '--quiet', server.path(name), workspace.place.directory);
    expect(await inspect()).toMatchObject({ files: 'damaged', damage: 'another folder lies in its place' });
  });

  test('a link in its place is damage, and what it points to stays', async () => {
    await clone();
    await rename(workspace.place.directory, join(workspace.root, 'away'));
    await symlink(join(workspace.root, 'away'), workspace.place.directory);
    expect(await inspect()).toMatchObject({ files: 'damaged', damage: 'it is a link' });
    expect(await clone()).toMatchObject({ ok: false });
    expect(await readdir(join(workspace.root, 'away'))).toContain('.git');
  });

  test('a deleted folder is absent and can be cloned again', async () => {
    await clone();
    await rm(workspace.place.directory, { recursive: true });
    expect(await inspect()).toEqual({ files: 'absent', damage: null });
    expect(await clone()).toMatchObject({ ok: true });
    expect(await inspect()).toEqual({ files: 'whole', damage: null });
  });

  test('an emptied folder is absent, and what a crash left of a deletion too', async () => {
    await clone();
    await markIncomplete(workspace.place);
    await rm(inTree('.git'), { recursive: true });
    expect(await inspect()).toEqual({ files: 'absent', damage: null });
    await rm(inTree('README.md'));
    expect(await inspect()).toEqual({ files: 'absent', damage: null });
    expect(await clone()).toMatchObject({ ok: true });
  });

  test('what a killed supervisor left of a clone is removed by the next one', async () => {
    const folder = join(workspace.place.stateDirectory, 'git');
    await mkdir(join(folder, 'stage-999999999-x', '.git'), { recursive: true });
    await mkdir(join(folder, 'clean-999999999-x'), { recursive: true });
    await clone();
    expect(await leftovers()).toEqual([]);
  });

  test('a folder that was being filled when the machine died is emptied and filled again', async () => {
    await mkdir(inTree('half'), { recursive: true });
    const { ino } = await stat(workspace.place.directory);
    await mkdir(join(workspace.place.stateDirectory, 'git'), { recursive: true });
    const marker = {
      state: 'incomplete',
      directory_inode: ino,
      git_inode: 0,
      base: null,
      remote_sha: null,
      head: null,
    };
    await writeFile(join(workspace.place.stateDirectory, 'git', 'repository.json'), JSON.stringify(marker));
    expect(await inspect()).toEqual({ files: 'absent', damage: null });
    expect(await clone()).toMatchObject({ ok: true });
    expect(await readdir(workspace.place.directory)).toEqual(['.git', 'README.md']);
  });

  test('a mount point that cannot be replaced is filled', async ({ skip }) => {
    await mkdir(workspace.place.directory, { recursive: true });
    const mounted = await mount(workspace.place.directory);
    if (!mounted) skip('mounting a tmpfs is not possible here');
    try {
      await server.commit(name, 'main', { 'run.sh': '#!/bin/sh\n' });
      expect(await clone()).toMatchObject({ ok: true });
      expect(await inspect()).toEqual({ files: 'whole', damage: null });
      expect(await workspace.git('status', '--porcelain')).toBe('');
      const head = await workspace.commit('work');
      expect(await workspace.save()).toMatchObject({ status: 'saved', sha: head });
    } finally {
      await unmount(workspace.place.directory);
    }
  });

  test('a mount point that is too small is left empty', async ({ skip }) => {
    await mkdir(workspace.place.directory, { recursive: true });
    const mounted = await mount(workspace.place.directory);
    if (!mounted) skip('mounting a tmpfs is not possible here');
    try {
      await server.commit(name, 'main', { 'large.txt': 'x'.repeat(17 * 1024 * 1024) });
      expect(await clone()).toMatchObject({ ok: false, failure: { detail: /ENOSPC/ } });
      expect(await readdir(workspace.place.directory)).toEqual([]);
      expect(await leftovers()).toEqual([]);
    } finally {
      await unmount(workspace.place.directory);
    }
  });

  test('a folder that nobody may write to fails with words', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may write anywhere');
    await mkdir(workspace.place.directory, { recursive: true });
    await chmod(workspace.place.directory, 0o555);
    expect(await clone()).toMatchObject({ ok: false });
  });
});

const run = async (command: string, args: string[]): Promise<boolean> => {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve) => {
    execFile(command, args, (error) => resolve(error === null));
  });
};
const mount = (directory: string) => run('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', directory]);
const unmount = (directory: string) => run('umount', [directory]);

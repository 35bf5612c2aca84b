/** A snapshot brings a workspace back as it was: HEAD, branches, index, files and stash, byte for byte. */
import { execFile } from 'node:child_process';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RestoreResult, SnapshotResult } from '../../src/sandbox/protocol.ts';
import { snapshotPath } from '../../src/sandbox/supervisor/git-bundle.ts';
import { inspectRepository } from '../../src/sandbox/supervisor/git-inspect.ts';
import { runRestore } from '../../src/sandbox/supervisor/git-restore.ts';
import { runSnapshot } from '../../src/sandbox/supervisor/git-snapshot.ts';
import type { Place } from '../../src/sandbox/supervisor/place.ts';
import { git, startGitServer, type GitServer } from '../support/git-server.ts';
import { BRANCH, never, newPlace, newWorkspace, ORIGIN, type Workspace } from '../support/git-workspace.ts';

let server: GitServer;
let workspace: Workspace;
/** Where it comes back: another disk. */
let elsewhere: { root: string; place: Place };
let url: string;
let name: string;
let number = 0;

beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.close());

beforeEach(async () => {
  name = `demo-${(number += 1)}`;
  server.mode = 'up';
  url = await server.repository(name, {
    files: { 'README.md': '# Demo\n', 'kept.txt': 'kept\n', 'gone.txt': 'gone\n' },
  });
  workspace = await newWorkspace(url);
  elsewhere = await newPlace();
  const cloned = await workspace.clone();
  if (!cloned.ok) throw new Error(cloned.failure.detail);
});
afterEach(async () => {
  await workspace.close();
  await rm(elsewhere.root, { recursive: true, force: true });
});

const snapshot = async (more: { max_bytes?: number; place?: Place } = {}) => {
  const spec = {
    kind: 'snapshot',
    id: 'snap-1',
    wait_ms: 0,
    timeout_ms: 30_000,
    branch: BRANCH,
    max_bytes: 50_000_000,
  } as const;
  const { place = workspace.place, ...rest } = more;
  return SnapshotResult.parse(await runSnapshot({ ...spec, ...rest }, place, never));
};

const restore = async (remote: string | null = url, timeout_ms = 30_000) => {
  const from = snapshotPath(workspace.place, 'snap-1');
  const to = snapshotPath(elsewhere.place, 'upload-1');
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, to);
  const spec = {
    kind: 'restore',
    id: 'restore-1',
    wait_ms: 0,
    timeout_ms,
    snapshot: 'upload-1',
    remote: remote === null ? null : { url: remote, origin: ORIGIN },
    branch: BRANCH,
    user: { name: 'Symphony', email: 'symphony@localhost' },
  } as const;
  return RestoreResult.parse(await runRestore(spec, elsewhere.place, never));
};

/** Everything that a person sees of a workspace. */
const portrait = async (place: Place) => {
  const look = (...args: string[]) =>
    git(place.directory, ...args).catch((error: Error) => `error: ${error.message.split('\n')[1] ?? ''}`);
  return {
    head: await look('rev-parse', '--verify', 'HEAD'),
    branch: await look('symbolic-ref', '-q', 'HEAD'),
    branches: await look('for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads'),
    index: await look('ls-files', '--stage'),
    status: await look('status', '--porcelain=v2', '--untracked-files=all'),
    stashes: await look('stash', 'list', '--format=%H %gs'),
    files: await filesOf(place.directory),
    fsck: await look('fsck', '--no-dangling'),
  };
};

const filesOf = async (directory: string) => {
  const found: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const relative = path.slice(directory.length + 1);
    if (relative === '.git' || relative.startsWith('.git/') || entry.isDirectory()) continue;
    if (entry.isSymbolicLink()) found[relative] = `link ${await readlink(path)}`;
    else
      found[relative] =
        `${(await stat(path)).mode & 0o111 ? 'x' : '-'} ${(await readFile(path)).toString('base64')}`;
  }
  return found;
};

const original = async () => ({
  failure: null,
  inspection: { files: 'whole', damage: null },
  ...(await portrait(workspace.place)),
});

const rebuilt = async (result: RestoreResult) => ({
  failure: result.ok ? null : result.failure,
  inspection: await inspectRepository(elsewhere.place),
  ...(await portrait(elsewhere.place)),
});

const makeRichState = async () => {
  await workspace.git('stash', 'list');
  await workspace.write({ 'README.md': 'stashed\n', 'stashed-untracked.txt': 's' });
  await workspace.git('stash', 'push', '--quiet', '--include-untracked', '-m', 'first ü');
  await workspace.write({ 'README.md': 'stashed again\n' });
  await workspace.git('stash', 'push', '--quiet');
  await workspace.commit('unpushed');
  await workspace.git('branch', 'side/é');
  await workspace.git('checkout', '--quiet', 'side/é');
  await workspace.commit('on the side');
  await workspace.git('checkout', '--quiet', BRANCH);
  await workspace.write({
    'README.md': 'staged\n',
    'new-staged.txt': 'new\n',
    'untracked ü\t.txt': 'untracked',
    'folder/deep/file': 'deep',
    'crlf.txt': 'a\r\nb\r\n',
    'empty.txt': '',
    '.gitignore': 'ignored/\n*.log\n',
    'ignored/secret': 'ignored',
    'debug.log': 'ignored',
  });
  await writeFile(join(workspace.place.directory, 'binary'), Buffer.from([0, 255, 10, 13, 0, 128]));
  await workspace.git('add', 'README.md', 'new-staged.txt');
  await workspace.write({ 'README.md': 'staged, then changed\n' });
  await workspace.write({ 'tool.sh': '#!/bin/sh\n' });
  await chmod(join(workspace.place.directory, 'tool.sh'), 0o755);
  await chmod(join(workspace.place.directory, 'kept.txt'), 0o755);
  await symlink('../nowhere', join(workspace.place.directory, 'link'));
  await rm(join(workspace.place.directory, 'gone.txt'));
};

const withoutIgnored = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !/^ignored\/|\.log$/.test(path)));

describe('round trips', () => {
  test('commits, branches, stash, index, files, links and executable bits come back; ignored files do not', async () => {
    await makeRichState();
    const before = await portrait(workspace.place);
    const written = await snapshot();
    expect(await portrait(workspace.place)).toEqual(before);
    expect(written).toMatchObject({
      status: 'written',
      head: before.head,
      facts: { stashes: 2, unsaved_count: 1 },
    });
    const restored = await restore();
    expect(restored).toMatchObject({
      ok: true,
      facts: { head: before.head, head_branch: BRANCH, stashes: 2, unsaved_count: 1 },
    });
    expect(await portrait(elsewhere.place)).toEqual({ ...before, files: withoutIgnored(before.files) });
    expect(
      await git(elsewhere.place.directory, 'stash', 'pop').catch((error: Error) => error.message),
    ).not.toMatch(/^fatal/);
  });

  test('with the remote gone it comes back all the same', async () => {
    await makeRichState();
    await snapshot();
    const before = await portrait(workspace.place);
    server.mode = 404;
    expect(await restore()).toMatchObject({ ok: true });
    expect(await portrait(elsewhere.place)).toEqual({ ...before, files: withoutIgnored(before.files) });
  });

  test('a remote that hangs costs a part of the timeout only', async () => {
    await workspace.commit('work');
    await snapshot();
    server.mode = 'hang';
    expect(await rebuilt(await restore(url, 4000))).toEqual(await original());
  });

  test('a detached HEAD', async () => {
    await workspace.git('checkout', '--quiet', '--detach');
    await workspace.commit('detached');
    await workspace.write({ 'u.txt': 'u' });
    await snapshot();
    expect(await rebuilt(await restore())).toEqual(await original());
  });

  test('another branch, the task branch left behind', async () => {
    await workspace.commit('task');
    await workspace.git('checkout', '--quiet', '-b', 'other');
    await workspace.commit('other');
    await snapshot();
    expect(await rebuilt(await restore())).toEqual(await original());
  });

  test('a repository without a commit, with staged and untracked files', async () => {
    await workspace.close();
    workspace = await newWorkspace(null);
    await workspace.clone();
    await workspace.write({ 'staged.txt': 's', 'untracked.txt': 'u' });
    await workspace.git('add', 'staged.txt');
    await snapshot();
    expect(await rebuilt(await restore(null))).toEqual(await original());
  });

  test('an empty repository with nothing in it', async () => {
    await workspace.close();
    workspace = await newWorkspace(null);
    await workspace.clone();
    expect(await snapshot()).toMatchObject({ status: 'written', head: null });
    expect(await rebuilt(await restore(null))).toEqual(await original());
  });

  test('unmerged files with their three versions', async () => {
    await workspace.git('checkout', '--quiet', '-b', 'theirs');
    await workspace.commit('theirs', { 'README.md': 'theirs\n' });
    await workspace.git('checkout', '--quiet', BRANCH);
    await workspace.commit('ours', { 'README.md': 'ours\n' });
    await workspace.git('merge', 'theirs').catch(() => 'conflict');
    expect(await workspace.git('ls-files', '--unmerged')).toContain('README.md');
    await snapshot();
    expect(await rebuilt(await restore())).toEqual(await original());
  });

  test('a file that became a folder, and a folder that became a file', async () => {
    await workspace.commit('folder', { 'folder/a.txt': 'a', 'folder/b.txt': 'b' });
    await rm(join(workspace.place.directory, 'folder'), { recursive: true });
    await rm(join(workspace.place.directory, 'kept.txt'));
    await workspace.write({ folder: 'a file now', 'kept.txt/inside.txt': 'a folder now' });
    await snapshot();
    expect(await rebuilt(await restore())).toEqual(await original());
  });

  test('line ends under text attributes are kept as they lie on the disk', async () => {
    await workspace.commit('attributes', {
      '.gitattributes': '*.txt text=auto\n*.bat text eol=crlf\n',
      'a.bat': 'one\r\ntwo\r\n',
    });
    await workspace.write({
      'mixed.txt': 'one\r\ntwo\nthree\r\n',
      'b.bat': 'crlf\r\nlf\n',
      'kept.txt': 'kept\r\n',
    });
    await snapshot();
    const restored = await restore();
    expect(restored).toMatchObject({ ok: true });
    expect(await filesOf(elsewhere.place.directory)).toEqual(await filesOf(workspace.place.directory));
  });

  test('a broken index costs what was staged, not the files', async () => {
    await workspace.commit('work');
    await workspace.write({ 'README.md': 'changed', 'untracked.txt': 'u' });
    await writeFile(join(workspace.place.directory, '.git', 'index'), 'broken');
    expect(await snapshot()).toMatchObject({
      status: 'written',
      facts: { uncommitted: { modified: 1, untracked: 1 } },
    });
    expect(await restore()).toMatchObject({ ok: true });
    expect(await filesOf(elsewhere.place.directory)).toEqual(await filesOf(workspace.place.directory));
    expect(await git(elsewhere.place.directory, 'status', '--porcelain')).toBe(
      ' M README.md\n?? untracked.txt',
    );
  });

  test('a stash message with control characters comes back as one line', async () => {
    await workspace.write({ 'README.md': 'stashed' });
    await workspace.git('stash', 'push', '--quiet');
    const log = join(workspace.place.directory, '.git', 'logs', 'refs', 'stash');
    await writeFile(log, (await readFile(log, 'utf8')).replace('WIP', 'W\u0000I\u0007P'));
    await snapshot();
    expect(await restore()).toMatchObject({ ok: true, facts: { stashes: 1 } });
    expect(await git(elsewhere.place.directory, 'stash', 'list')).toMatch(/^stash@\{0\}: W I P on/);
  });

  test('a repository inside the workspace stays out and breaks nothing', async () => {
    await git(workspace.place.directory, 'init', '--quiet', 'nested');
    await workspace.write({ 'nested/x.txt': 'x', 'beside.txt': 'b' });
    expect(await snapshot()).toMatchObject({ status: 'written' });
    expect(await restore()).toMatchObject({ ok: true });
    expect(Object.keys(await filesOf(elsewhere.place.directory))).toEqual([
      'README.md',
      'beside.txt',
      'gone.txt',
      'kept.txt',
    ]);
  });

  test('a shallow clone comes back shallow', async () => {
    await server.commit(name, 'main', { 'n.txt': 'n' });
    await workspace.close();
    workspace = await newWorkspace(url);
    await workspace.clone({ depth: 1 });
    await workspace.commit('work');
    await snapshot();
    expect(await rebuilt(await restore())).toEqual(await original());
    await rm(elsewhere.place.directory, { recursive: true });
    expect(await rebuilt(await restore(null))).toEqual(await original());
  });

  test('a snapshot of a restored workspace restores again', async () => {
    await workspace.commit('work');
    await workspace.write({ 'u.txt': 'u' });
    await snapshot();
    await restore();
    expect(await snapshot({ place: elsewhere.place })).toMatchObject({ status: 'written' });
    await copyFile(snapshotPath(elsewhere.place, 'snap-1'), snapshotPath(workspace.place, 'snap-1'));
    await rm(elsewhere.place.directory, { recursive: true });
    expect(await rebuilt(await restore())).toEqual(await original());
  });

  test('a restored workspace saves with the lease of the old one', async () => {
    await workspace.commit('one');
    const { sha } = await workspace.save();
    const head = await workspace.commit('two');
    await snapshot();
    await restore();
    const { runSave } = await import('../../src/sandbox/supervisor/git-save.ts');
    const spec = {
      kind: 'save',
      id: 's',
      wait_ms: 0,
      timeout_ms: 20_000,
      branch: BRANCH,
      rescue: 'symphony-rescue/ABC-1/2',
      base: null,
    } as const;
    const saved = await runSave(
      { ...spec, remote: { url, origin: ORIGIN }, last_saved: sha },
      elsewhere.place,
      never,
    );
    expect(saved).toMatchObject({ status: 'saved', sha: head });
  });

  test('a restore on top of a whole workspace changes nothing', async () => {
    await snapshot();
    await restore();
    await writeFile(join(elsewhere.place.directory, 'later.txt'), 'l');
    expect(await restore()).toMatchObject({ ok: true, facts: { uncommitted: { untracked: 1 } } });
  });
});

describe('size', () => {
  test('the answer names the bytes and hash of the file', async () => {
    await workspace.commit('work');
    const written = await snapshot();
    const file = await readFile(snapshotPath(workspace.place, 'snap-1'));
    const sha256 = createHash('sha256').update(file).digest('hex');
    expect(written).toMatchObject({ status: 'written', bytes: file.length, sha256 });
  });

  test('over the limit there is no snapshot and no file', async () => {
    await writeFile(join(workspace.place.directory, 'noise'), randomBytes(300_000));
    expect(await snapshot({ max_bytes: 200_000 })).toMatchObject({
      status: 'skipped',
      reason: /larger than 200000 bytes/,
    });
    expect(await readdir(join(workspace.place.stateDirectory, 'snapshots'))).toEqual([]);
  });

  test('a change of the same length in the second of the commit is in it', async () => {
    // Git keeps whole seconds: only contents tell the two files apart.
    await nextSecond();
    await workspace.commit('one', { 'same.txt': 'one' });
    await workspace.write({ 'same.txt': 'two' });
    await nextSecond();
    await snapshot();
    expect(await rebuilt(await restore())).toEqual(await original());
  });

  test('a huge sparse file is not even read', async () => {
    const path = join(workspace.place.directory, 'huge');
    await writeFile(path, '');
    await truncate(path, 40 * 1024 ** 3);
    const started = Date.now();
    expect(await snapshot()).toMatchObject({ status: 'skipped', reason: /uncommitted files are larger/ });
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  test('a large repository leaves out what the remote has, and needs it to come back', async () => {
    await workspace.close();
    const scratch = join(server.root, `large-${number}`);
    await mkdir(scratch);
    await git(scratch, 'clone', '--quiet', server.path(name), 'tree');
    await writeFile(join(scratch, 'tree', 'noise'), randomBytes(300_000));
    await git(join(scratch, 'tree'), 'add', '.');
    await git(join(scratch, 'tree'), 'commit', '--quiet', '-m', 'noise');
    await git(join(scratch, 'tree'), 'push', '--quiet', 'origin', 'HEAD:main');
    workspace = await newWorkspace(url);
    await workspace.clone();
    await workspace.commit('saved');
    await workspace.save();
    await workspace.commit('unsaved');
    await workspace.write({ 'untracked.txt': 'u', 'README.md': 'changed' });
    const written = await snapshot({ max_bytes: 200_000 });
    expect(written).toMatchObject({ status: 'written' });
    expect((await stat(snapshotPath(workspace.place, 'snap-1'))).size).toBeLessThan(10_000);
    server.mode = 404;
    expect(await restore()).toMatchObject({ ok: false, failure: { reason: 'not_found' } });
    server.mode = 'up';
    // Squash-merged meanwhile: no branch reaches the saved commit any more, but the remote still has it.
    await server.git(name, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    await server.git(name, 'branch', '-D', BRANCH);
    expect(await rebuilt(await restore())).toEqual(await original());
  });
});

const nextSecond = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1010 - (Date.now() % 1000));
  });

const randomBytes = (size: number): Buffer => {
  const block = createHash('sha512').update('seed').digest();
  const buffer = Buffer.alloc(size);
  let state = block.readUInt32LE(0);
  for (let at = 0; at + 4 <= size; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    buffer.writeUInt32LE((state ^ (state >>> 15) ^ block.readUInt32LE(at % 60)) >>> 0, at);
  }
  return buffer;
};

describe('what is refused', () => {
  test.each([
    ['no bundle at all', 'PACK nonsense'],
    [
      'a bundle of something else',
      '# v2 git bundle\n1234567890123456789012345678901234567890 refs/heads/main\n\nPACK',
    ],
    ['a header without an end', '# v2 git bundle\n'],
  ])('%s is a typed failure, and nothing is left', async (_title, text) => {
    const path = snapshotPath(workspace.place, 'snap-1');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    expect(await restore()).toMatchObject({ ok: false, unusable: true, failure: { reason: 'other' } });
    expect(await inspectRepository(elsewhere.place)).toEqual({ files: 'absent', damage: null });
  });

  test('a bundle that was cut off', async () => {
    await workspace.commit('work');
    const written = await snapshot();
    if (written.status !== 'written') throw new Error(written.reason);
    await truncate(snapshotPath(workspace.place, 'snap-1'), written.bytes - 30);
    expect(await restore()).toMatchObject({ ok: false, unusable: true, failure: { reason: 'other' } });
    expect(await inspectRepository(elsewhere.place)).toEqual({ files: 'absent', damage: null });
  });

  test('a workspace that is no repository of ours has no snapshot', async () => {
    await rm(join(workspace.place.directory, '.git'), { recursive: true });
    expect(await snapshot()).toMatchObject({ status: 'skipped', reason: /\.git is gone/ });
  });

  test('a full disk is a skipped snapshot', async ({ skip }) => {
    const state = workspace.place.stateDirectory;
    const folder = join(state, 'snapshots');
    await mkdir(folder, { recursive: true });
    const run = promisify(execFile);
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).catch(() =>
      skip('mounting is not possible here'),
    );
    try {
      await writeFile(join(workspace.place.directory, 'noise'), randomBytes(300_000));
      expect(await snapshot()).toMatchObject({ status: 'skipped', reason: /ENOSPC|No space|written/i });
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await run('umount', [folder]);
    }
  });
});

test('index, files, refs and stash are untouched to the byte', async () => {
  await makeRichState();
  const before = await bytesOfGit();
  await snapshot();
  expect(await bytesOfGit()).toEqual(before);
});

const bytesOfGit = async () => {
  const root = join(workspace.place.directory, '.git');
  const found: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path] = (await readFile(path)).toString('base64');
    else found[path] = String((await lstat(path)).mode);
  }
  return found;
};

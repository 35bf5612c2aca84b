/** Section 7's table, row by row, against a real git server over HTTP. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SaveResult } from '../../src/sandbox/protocol.ts';
import { startGitServer, type GitServer } from '../support/git-server.ts';
import { BRANCH, newWorkspace, ORIGIN, RESCUE, type Workspace } from '../support/git-workspace.ts';

let server: GitServer;
let workspace: Workspace;
let name: string;
let number = 0;

beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.close());

beforeEach(async () => {
  name = `demo-${(number += 1)}`;
  server.mode = 'up';
  workspace = await newWorkspace(await server.repository(name));
});
afterEach(() => workspace.close());

const onRemote = (branch = BRANCH) => server.sha(name, branch);
const cloned = async () => {
  const result = await workspace.clone();
  if (!result.ok) throw new Error(result.failure.detail);
  return result;
};
const save = async (more = {}) => SaveResult.parse(await workspace.save(more));
const pushes = () =>
  server.requests.filter((line) => line.startsWith('POST') && line.includes('receive-pack'));

describe('saved', () => {
  test('a new commit arrives at the task branch', async () => {
    await cloned();
    const head = await workspace.commit('work');
    expect(await save()).toMatchObject({
      status: 'saved',
      sha: head,
      remote_sha: head,
      rescue_refs: [],
      failure: null,
    });
    expect(await onRemote()).toBe(head);
  });

  test('new commits on the task branch alone are pushed without a question first', async () => {
    await cloned();
    const first = await workspace.commit('work');
    await save();
    const second = await workspace.commit('more work');
    server.requests.length = 0;
    expect(await save({ last_saved: first })).toMatchObject({ status: 'saved', sha: second });
    expect(
      server.requests.filter((line) => line.startsWith('GET')).map((line) => line.replace(/.*=/, '')),
    ).toEqual(['git-receive-pack', 'git-upload-pack']);
  });

  test('a second save with nothing new asks the remote once and pushes nothing', async () => {
    await cloned();
    const head = await workspace.commit('work');
    await save();
    server.requests.length = 0;
    expect(await save()).toMatchObject({ status: 'saved', sha: head });
    expect(server.requests.map((line) => line.replace(/.*\//, ''))).toEqual([
      'refs?service=git-upload-pack',
      'git-upload-pack',
    ]);
  });

  test('a commit that the agent amended after it was saved replaces the saved one', async () => {
    await cloned();
    await workspace.commit('work');
    await save();
    await workspace.git('commit', '--quiet', '--amend', '--message', 'better');
    const head = await workspace.head();
    expect(await save()).toMatchObject({ status: 'saved', sha: head, remote_sha: head, rescue_refs: [] });
    expect(await onRemote()).toBe(head);
  });

  test('an existing task branch is continued, and its cloned commit is the lease', async () => {
    const theirs = await server.commit(name, BRANCH, { 'earlier.txt': 'earlier' });
    const { base, remote_sha, head } = await cloned();
    expect({ remote_sha, head }).toEqual({ remote_sha: theirs, head: theirs });
    expect(base).toBe(await onRemote('main'));
    const ours = await workspace.commit('more');
    expect(await save()).toMatchObject({ status: 'saved', sha: ours });
  });

  test('a person who adds a commit on top of ours leaves everything saved, and nothing is pushed', async () => {
    await cloned();
    const head = await workspace.commit('work');
    await save();
    const theirs = await server.commit(name, BRANCH, { 'person.txt': 'p' });
    const before = pushes().length;
    expect(await save()).toMatchObject({ status: 'saved', sha: head, remote_sha: theirs, rescue_refs: [] });
    expect(pushes().length).toBe(before);
    expect(await onRemote()).toBe(theirs);
  });

  test("a person's commit that the agent merged is fast-forwarded", async () => {
    await cloned();
    await workspace.commit('work');
    await save();
    const theirs = await server.commit(name, BRANCH, { 'person.txt': 'p' });
    await workspace.git('pull', '--quiet', '--no-rebase', server.path(name), BRANCH);
    const head = await workspace.commit('after');
    expect(await save()).toMatchObject({ status: 'saved', sha: head, remote_sha: head, rescue_refs: [] });
    expect(await server.git(name, 'merge-base', theirs, head)).toBe(theirs);
  });

  test('the first commit of an empty repository arrives', async () => {
    name = `empty-${number}`;
    await workspace.close();
    workspace = await newWorkspace(await server.repository(name, { bare: 'empty' }));
    expect(await cloned()).toEqual({ ok: true, base: null, remote_sha: null, head: null });
    expect(await save()).toMatchObject({ status: 'nothing_to_save', sha: null });
    const head = await workspace.commit('first');
    expect(await save()).toMatchObject({ status: 'saved', sha: head });
    expect(await onRemote()).toBe(head);
  });

  test('uncommitted files are counted and shown, and do not hinder', async () => {
    await cloned();
    await workspace.commit('work');
    await workspace.write({
      'README.md': 'changed',
      'new file.txt': 'n',
      'folder/ü.txt': 'u',
      'staged.txt': 's',
    });
    await workspace.git('add', 'staged.txt');
    const { status, facts } = await save();
    expect(status).toBe('saved');
    expect(facts.uncommitted).toEqual({
      modified: 2,
      untracked: 2,
      files: ['README.md', 'staged.txt', 'folder/ü.txt', 'new file.txt'],
    });
  });

  test('a branch name with letters of any script is saved', async () => {
    const branch = 'symphony/日本語-é--c14cddc033f64b9d';
    await workspace.clone({ branch });
    const head = await workspace.commit('work');
    expect(await save({ branch })).toMatchObject({ status: 'saved', sha: head });
    expect(await onRemote(branch)).toBe(head);
  });
});

describe('deleted on the remote', () => {
  test('after a squash merge the branch is not resurrected', async () => {
    await cloned();
    const head = await workspace.commit('work');
    await save();
    await server.commit(name, 'main', { 'work.txt': 'work' }, 'Squashed');
    await server.git(name, 'branch', '-D', BRANCH);
    for (const time of ['first', 'second']) {
      expect({ time, ...(await save()) }).toMatchObject({
        status: 'saved',
        sha: head,
        remote_sha: null,
        rescue_refs: [],
      });
    }
    expect(await onRemote()).toBeNull();
  });

  test('with a new commit the branch is pushed afresh', async () => {
    await cloned();
    await workspace.commit('work');
    await save();
    await server.git(name, 'branch', '-D', BRANCH);
    const head = await workspace.commit('more');
    expect(await save()).toMatchObject({ status: 'saved', sha: head, remote_sha: head });
    expect(await onRemote()).toBe(head);
  });

  test('a reset to an older saved commit brings nothing back', async () => {
    await cloned();
    await workspace.commit('one');
    await workspace.commit('two');
    await save();
    await server.git(name, 'branch', '-D', BRANCH);
    await workspace.git('reset', '--quiet', '--hard', 'HEAD~1');
    expect(await save()).toMatchObject({ status: 'saved', remote_sha: null });
    expect(await onRemote()).toBeNull();
  });
});

describe('nothing_to_save', () => {
  test('HEAD at the base and no task branch on the remote', async () => {
    await cloned();
    expect(await save()).toMatchObject({
      status: 'nothing_to_save',
      sha: null,
      remote_sha: null,
      rescue_refs: [],
    });
    expect(await onRemote()).toBeNull();
  });

  test('a second local branch is rescued all the same', async () => {
    await cloned();
    await workspace.git('checkout', '--quiet', '-b', 'side');
    const side = await workspace.commit('side');
    await workspace.git('checkout', '--quiet', BRANCH);
    expect(await save()).toMatchObject({
      status: 'nothing_to_save',
      rescue_refs: [{ ref: `${RESCUE}-side`, sha: side }],
    });
    expect(await onRemote(`${RESCUE}-side`)).toBe(side);
  });
});

describe('diverged', () => {
  test("a person's commit is not overwritten: ours goes to a rescue ref", async () => {
    await cloned();
    await workspace.commit('work');
    await save();
    const theirs = await server.commit(name, BRANCH, { 'person.txt': 'p' });
    const ours = await workspace.commit('more');
    const result = await save();
    expect(result).toMatchObject({
      status: 'diverged',
      remote_sha: theirs,
      rescue_refs: [{ ref: RESCUE, sha: ours }],
    });
    expect(result.facts).toMatchObject({ head: ours, unsaved_count: 0 });
    expect(await onRemote()).toBe(theirs);
    expect(await onRemote(RESCUE)).toBe(ours);
  });

  test('the next attempt with nothing new names the same rescue ref and pushes nothing', async () => {
    await cloned();
    await server.commit(name, BRANCH, { 'person.txt': 'p' });
    const ours = await workspace.commit('work');
    await save();
    const before = pushes().length;
    const again = await save({ rescue: 'symphony-rescue/ABC-1/2' });
    expect(again).toMatchObject({ status: 'diverged', rescue_refs: [{ ref: RESCUE, sha: ours }] });
    expect(pushes().length).toBe(before);
  });

  test('what the person pushed is never overwritten, even when it is given as saved last', async () => {
    await cloned();
    await workspace.commit('work');
    await save();
    const theirs = await server.commit(name, BRANCH, { 'person.txt': 'p' });
    const ours = await workspace.commit('more');
    expect(await save({ last_saved: theirs })).toMatchObject({
      status: 'diverged',
      rescue_refs: [{ sha: ours }],
    });
    expect(await onRemote()).toBe(theirs);
  });

  test('a branch that a person rewrote keeps the rewrite', async () => {
    await cloned();
    const ours = await workspace.commit('work');
    await save();
    await server.git(name, 'update-ref', `refs/heads/${BRANCH}`, await server.git(name, 'rev-parse', 'main'));
    const theirs = await server.commit(name, BRANCH, { 'other.txt': 'o' });
    expect(await save()).toMatchObject({
      status: 'diverged',
      remote_sha: theirs,
      rescue_refs: [{ ref: RESCUE, sha: ours }],
    });
  });

  test('a commit between our question and our push breaks the lease, and ours is rescued', async () => {
    await cloned();
    await workspace.commit('one');
    await save();
    const ours = await workspace.commit('two');
    server.beforePush = async () => {
      await server.commit(name, BRANCH, { 'race.txt': 'r' });
    };
    expect(await save()).toMatchObject({ status: 'diverged', rescue_refs: [{ ref: RESCUE, sha: ours }] });
    expect(await onRemote(RESCUE)).toBe(ours);
  });
});

describe('head_elsewhere', () => {
  test('a detached HEAD goes to the rescue ref', async () => {
    await cloned();
    await workspace.git('checkout', '--quiet', '--detach');
    const head = await workspace.commit('detached');
    const result = await save();
    expect(result).toMatchObject({ status: 'head_elsewhere', rescue_refs: [{ ref: RESCUE, sha: head }] });
    expect(result.facts).toMatchObject({ head, head_branch: null, unsaved_count: 0 });
    expect(await onRemote(RESCUE)).toBe(head);
    expect(await onRemote()).toBeNull();
  });

  test('another branch goes to a rescue ref of its name, the task branch to its own', async () => {
    await cloned();
    const task = await workspace.commit('task');
    await workspace.git('checkout', '--quiet', '-b', 'feat/é x'.replace(' ', ''));
    const head = await workspace.commit('feature');
    const ref = `${RESCUE}-feat__x`;
    expect(await save()).toMatchObject({
      status: 'head_elsewhere',
      sha: task,
      rescue_refs: [{ ref, sha: head }],
    });
    expect(await onRemote()).toBe(task);
    expect(await onRemote(ref)).toBe(head);
  });

  test('a rebase in progress: the half-done HEAD is rescued, the branch itself saved', async () => {
    await cloned();
    await workspace.git('checkout', '--quiet', '-b', 'other');
    await workspace.commit('theirs', { 'same.txt': 'theirs\n' });
    await workspace.git('checkout', '--quiet', BRANCH);
    await workspace.commit('fine');
    const task = await workspace.commit('ours', { 'same.txt': 'ours\n' });
    await workspace.git('rebase', 'other').catch(() => 'conflict');
    const head = await workspace.head();
    expect(head).not.toBe(task);
    const result = await save();
    expect(result).toMatchObject({ status: 'head_elsewhere', sha: task });
    expect(result.rescue_refs).toContainEqual({ ref: RESCUE, sha: head });
    expect(await onRemote()).toBe(task);
    expect(await onRemote(RESCUE)).toBe(head);
  });

  test('a bisect in progress loses nothing', async () => {
    await cloned();
    for (const message of ['a', 'b', 'c', 'd']) await workspace.commit(message);
    const task = await workspace.head();
    await workspace.git('bisect', 'start', 'HEAD', 'HEAD~4');
    expect(await save()).toMatchObject({ status: 'head_elsewhere', sha: task, rescue_refs: [] });
    expect(await onRemote()).toBe(task);
  });

  test("a HEAD at somebody's newer commit of another branch has nothing unsaved", async () => {
    await cloned();
    await server.commit(name, 'main', { 'later.txt': 'l' });
    await workspace.git('fetch', '--quiet', server.path(name), 'main');
    await workspace.git('checkout', '--quiet', '--detach', 'FETCH_HEAD');
    expect(await save()).toMatchObject({
      status: 'head_elsewhere',
      rescue_refs: [],
      facts: { unsaved_count: 0 },
    });
  });

  test('an orphan branch without a commit leaves the task branch saved', async () => {
    await cloned();
    const task = await workspace.commit('task');
    await workspace.git('checkout', '--quiet', '--orphan', 'fresh');
    expect(await save()).toMatchObject({ status: 'head_elsewhere', sha: task });
  });

  test('a linked work tree with a detached HEAD is rescued', async () => {
    await cloned();
    await workspace.git('worktree', 'add', '--quiet', '--detach', join(workspace.root, 'linked'));
    const linked = join(workspace.root, 'linked');
    await writeFile(join(linked, 'l.txt'), 'l');
    await workspace.git('-C', linked, 'add', '.');
    await workspace.git('-C', linked, 'commit', '--quiet', '-m', 'linked');
    const sha = await workspace.git('-C', linked, 'rev-parse', 'HEAD');
    const ref = `${RESCUE}-worktree-linked`;
    expect((await save()).rescue_refs).toEqual([{ ref, sha }]);
    expect(await onRemote(ref)).toBe(sha);
  });
});

describe('other local branches', () => {
  test('branches whose names look alike get refs of their own', async () => {
    await cloned();
    const shas: string[] = [];
    for (const branch of ['a/b', 'a_b', 'A_b', 'x..lock'.replace('..', '.') + 's']) {
      await workspace.git('checkout', '--quiet', '-b', branch, 'origin/main');
      shas.push(await workspace.commit(`in ${branch.replace('/', ' slash ')}`));
    }
    await workspace.git('checkout', '--quiet', BRANCH);
    const { status, rescue_refs } = await save();
    expect(status).toBe('nothing_to_save');
    expect(rescue_refs.map(({ sha }) => sha).sort()).toEqual(shas.sort());
    expect(new Set(rescue_refs.map(({ ref }) => ref.toLowerCase())).size).toBe(4);
    for (const { ref, sha } of rescue_refs) expect(await onRemote(ref)).toBe(sha);
  });

  test('a branch that the saved branch contains is not pushed a second time', async () => {
    await cloned();
    await workspace.git('checkout', '--quiet', '-b', 'side');
    await workspace.commit('side');
    await workspace.git('checkout', '--quiet', BRANCH);
    await workspace.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'side');
    expect(await save()).toMatchObject({ status: 'saved', rescue_refs: [] });
  });

  test('packed refs and ten branches are all found', async () => {
    await cloned();
    for (let branch = 0; branch < 10; branch += 1) {
      await workspace.git('checkout', '--quiet', '-b', `b${branch}`, 'origin/main');
      await workspace.commit(`c${branch}`);
    }
    await workspace.git('checkout', '--quiet', BRANCH);
    await workspace.git('pack-refs', '--all');
    expect((await save()).rescue_refs).toHaveLength(10);
  });
});

describe('unsaved', () => {
  test('a stash keeps the workspace, and the reason says how many', async () => {
    await cloned();
    const head = await workspace.commit('work');
    await workspace.write({ 'README.md': 'stashed' });
    await workspace.git('stash', 'push', '--quiet');
    const result = await save();
    expect(result).toMatchObject({ status: 'unsaved', sha: head, remote_sha: head, facts: { stashes: 1 } });
    expect(result.failure?.detail).toMatch(/1 stash entry/);
    await workspace.git('stash', 'drop', '--quiet');
    expect(await save()).toMatchObject({ status: 'saved', facts: { stashes: 0 } });
  });
});

describe('failed', () => {
  test("a pre-receive hook's refusal is typed and carries its words; accepted later, it is saved", async () => {
    await cloned();
    const head = await workspace.commit('work');
    await server.refusePushes(name, 'Commits need a ticket number.');
    const result = await save();
    expect(result).toMatchObject({
      status: 'failed',
      sha: null,
      remote_sha: null,
      failure: { reason: 'refused' },
    });
    expect(result.failure?.detail).toContain('Commits need a ticket number.');
    expect(result.facts).toMatchObject({
      head,
      unsaved_count: 1,
      unsaved_commits: [{ sha: head, subject: 'work' }],
    });
    await server.refusePushes(name, null);
    expect(await save()).toMatchObject({ status: 'saved', sha: head });
  });

  test('one refused ref keeps the others from being lost, and the save still counts as failed', async () => {
    await cloned();
    const task = await workspace.commit('task');
    await workspace.git('checkout', '--quiet', '-b', 'side', 'origin/main');
    await workspace.commit('side');
    await workspace.git('checkout', '--quiet', BRANCH);
    const update = `#!/bin/sh\ncase "$1" in refs/heads/symphony-rescue/*) echo 'not here' >&2; exit 1;; esac\n`;
    await writeFile(join(server.path(name), 'hooks', 'update'), update, { mode: 0o755 });
    const result = await save();
    expect(result).toMatchObject({ status: 'failed', sha: task, remote_sha: task, rescue_refs: [] });
    expect(result.failure).toMatchObject({ reason: 'refused' });
    expect(await onRemote()).toBe(task);
  });

  test.each([
    ['auth', 'auth'],
    ['forbidden', 'auth'],
    [404, 'not_found'],
    [500, 'network'],
  ] as const)('a server that answers %s is %s', async (mode, reason) => {
    await cloned();
    const head = await workspace.commit('work');
    server.mode = mode;
    expect(await save()).toMatchObject({
      status: 'failed',
      failure: { reason },
      facts: { head, unsaved_count: 1 },
    });
  });

  test('a server that is down is network', async () => {
    await cloned();
    await workspace.commit('work');
    await server.down();
    const result = await save();
    await server.up();
    expect(result).toMatchObject({ status: 'failed', failure: { reason: 'network' } });
  });

  test.each(['hang', 'hang-push'] as const)('a server in mode %s fails within the timeout', async (mode) => {
    await cloned();
    await workspace.commit('work');
    server.mode = mode;
    const started = Date.now();
    expect(await save({ timeout_ms: 1500 })).toMatchObject({
      status: 'failed',
      failure: { reason: 'timeout' },
    });
    expect(Date.now() - started).toBeLessThan(4000);
  });

  test('a branch that cannot be read fails the save instead of being forgotten', async () => {
    await cloned();
    await workspace.git('branch', 'broken');
    await writeFile(join(workspace.place.directory, '.git/refs/heads/broken'), '');
    const result = await save();
    expect(result.status).toBe('failed');
    expect(result.failure?.detail).toContain('branch broken');
  });

  test('a workspace whose .git is gone fails and says so', async () => {
    await cloned();
    await rm(join(workspace.place.directory, '.git'), { recursive: true });
    const result = await save();
    expect(result.status).toBe('failed');
    expect(result.failure?.detail).toContain('.git is gone');
  });
});

describe('no_repository', () => {
  test('a project without a repository has commits that are nowhere else', async () => {
    await workspace.close();
    workspace = await newWorkspace(null);
    expect(await cloned()).toEqual({ ok: true, base: null, remote_sha: null, head: null });
    expect(await save()).toMatchObject({ status: 'no_repository', facts: { head: null, unsaved_count: 0 } });
    const head = await workspace.commit('work');
    expect(await save()).toMatchObject({
      status: 'no_repository',
      sha: null,
      facts: { head, unsaved_count: 1 },
    });
  });
});

test('neither the remote URL nor a part of it is in any answer, message or file', async () => {
  const grant = 'grant-Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZg';
  await server.git(name, 'config', 'core.logAllRefUpdates', 'false');
  const { rename, symlink } = await import('node:fs/promises');
  await rename(server.path(name), join(server.root, `${grant}.git`));
  await symlink(join(server.root, `${grant}.git`), server.path(name));
  const url = `${server.url}/${grant}.git`;
  await workspace.close();
  workspace = await newWorkspace(url);
  await cloned();
  await workspace.commit('work');
  const answers = [await save()];
  for (const mode of ['auth', 'forbidden', 404, 500, { redirect: 'http://127.0.0.1:1' }] as const) {
    server.mode = mode;
    answers.push(await save());
  }
  server.mode = 'up';
  await server.refusePushes(name, `Look at ${url}`);
  await workspace.commit('refused');
  answers.push(await save());
  expect(answers.map((answer) => answer.status)).toEqual([
    'saved',
    ...Array.from({ length: 6 }, () => 'failed'),
  ]);
  expect(JSON.stringify(answers)).not.toContain(grant);
  const { execFile } = await import('node:child_process');
  const found = await new Promise<string>((resolve) => {
    execFile('grep', ['-rlaF', grant, workspace.root], (_error, stdout) => resolve(stdout));
  });
  expect(found).toBe('');
  expect(await workspace.git('remote', 'get-url', 'origin')).toBe(ORIGIN);
});

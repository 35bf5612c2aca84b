/** Names and repositories of all kinds: every task gets its own working workspace, or a typed error. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workspaceKey } from '../../src/core/key.ts';
import { git } from '../support/git-server.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

let stack: TestStack;
let slow: TestStack;

beforeAll(async () => {
  [stack, slow] = await Promise.all([startTestStack(), startTestStack({ vars: { GIT_TIMEOUT_MS: '3000' } })]);
});
afterAll(async () => {
  await Promise.all([stack.stop(), slow.stop()]);
});

const COMMIT =
  'agent:\n  max_attempts: 1\n  command: printf %s "$SYMPHONY_ISSUE_IDENTIFIER" > id.txt; git add id.txt; git commit -qm work';
const keyOf = (identifier: string) => {
  const key = workspaceKey(identifier);
  return key.ok ? key.value : '';
};

const IDENTIFIERS = [
  'a/b',
  'v1..v2',
  'foo.lock',
  '.env',
  'release.',
  '..',
  'a'.repeat(300),
  '日本語',
  '🙂',
  'api',
  'ABC-1',
  'abc-1',
];

test('each awkward identifier gets a workspace and a branch of its own, and its work arrives on the remote', async () => {
  const project = await stack.project({ workflow: COMMIT });
  const workspaces = await Promise.all(IDENTIFIERS.map((identifier) => project.run(identifier)));
  expect(new Set(workspaces.map(({ key }) => key)).size).toBe(IDENTIFIERS.length);
  expect(new Set(workspaces.map(({ path }) => path)).size).toBe(IDENTIFIERS.length);
  for (const [index, workspace] of workspaces.entries()) {
    const identifier = IDENTIFIERS[index] ?? '';
    expect(workspace).toMatchObject({
      key: keyOf(identifier),
      branch: `symphony/${keyOf(identifier)}`,
      saved: { status: 'saved' },
    });
    expect(readFileSync(`${workspace.path}/id.txt`, 'utf8')).toBe(identifier);
    expect(await stack.server.git(project.id, 'show', `refs/heads/${workspace.branch}:id.txt`)).toBe(
      identifier,
    );
    const fetched = await stack.api.get(project.path(`/workspaces/${encodeURIComponent(workspace.key)}`));
    expect(fetched).toMatchObject({ task: { identifier } });
  }
  await Promise.all(
    IDENTIFIERS.map(async (identifier) => {
      // A URL takes `..` for a folder, so that task goes by its key.
      await project.setState(identifier === '..' ? keyOf(identifier) : identifier, 'Done');
      await project.status(keyOf(identifier), 'removed');
    }),
  );
});

describe.concurrent('cloning', () => {
  test('a task branch that the remote has already is continued', async () => {
    const project = await stack.project({ workflow: COMMIT });
    const theirs = await stack.server.commit(project.id, 'symphony/ABC-1', { 'earlier.txt': 'e' });
    const workspace = await project.run('ABC-1');
    expect(await stack.server.git(project.id, 'rev-parse', 'refs/heads/symphony/ABC-1~1')).toBe(theirs);
    expect(workspace).toMatchObject({
      saved: { status: 'saved' },
      base: await stack.server.sha(project.id, 'main'),
    });
  });

  test('a base branch that is named is where the task branch starts', async () => {
    const url = await stack.server.repository('with-base');
    const base = await stack.server.commit('with-base', 'release/2', { 'release.txt': 'r' });
    const project = await stack.project({ workflow: COMMIT, repository: { url, base_branch: 'release/2' } });
    const workspace = await project.run('ABC-1');
    expect(workspace.base).toBe(base);
    expect(await stack.server.git('with-base', 'rev-parse', 'refs/heads/symphony/ABC-1~1')).toBe(base);
  });

  test('a base branch that does not exist fails the attempt as clone_failed, naming it', async () => {
    const url = await stack.server.repository('without-base');
    const project = await stack.project({ workflow: COMMIT, repository: { url, base_branch: 'nowhere' } });
    const workspace = await project.run('ABC-1');
    expect(workspace).toMatchObject({
      status: 'failed',
      error: { code: 'clone_failed', detail: expect.stringContaining('nowhere') },
    });
  });

  test('an empty repository works: nothing to save at first, then the first commit arrives', async () => {
    const url = await stack.server.repository('empty', { bare: 'empty' });
    const project = await stack.project({ workflow: COMMIT, repository: { url } });
    const first = await project.run('ABC-1', { agent: { command: 'true' } });
    expect(first).toMatchObject({ head: null, saved: { status: 'nothing_to_save' } });
    const second = await project.run('ABC-1');
    expect(second.saved.status).toBe('saved');
    expect(await stack.server.sha('empty', 'symphony/ABC-1')).toBe(second.head);
  });

  test('without a repository a workspace starts as an empty one, and work in it keeps it from removal until discard', async () => {
    const project = await stack.project({ workflow: COMMIT, repository: null });
    const workspace = await project.run('ABC-1', { state: 'Todo' });
    expect(workspace.saved.status).toBe('no_repository');
    await project.setState('ABC-1', 'Done');
    const kept = await project.status('ABC-1', 'kept');
    expect(kept.kept?.reason).toContain('no repository');
    await project.remove('ABC-1', '?discard=true');
    await project.status('ABC-1', 'removed');
  });

  test('submodules are there when after_create runs', async () => {
    const library = await stack.server.repository('library', { files: { 'lib.txt': 'library' } });
    await stack.server.repository('with-submodule');
    const tree = `${stack.folder}/submodule-tree`;
    await git(stack.folder, 'clone', '--quiet', stack.server.path('with-submodule'), tree);
    await git(tree, 'submodule', '--quiet', 'add', library, 'vendor/library');
    await git(tree, 'commit', '--quiet', '-m', 'Add the library');
    await git(tree, 'push', '--quiet', 'origin', 'HEAD:main');
    const project = await stack.project({
      workflow: `hooks:\n  after_create: cat vendor/library/lib.txt > "$TRACE"\n${COMMIT}`,
      repository: { url: `${stack.server.url}/with-submodule.git` },
    });
    const workspace = await project.run('ABC-1');
    expect(project.trace()).toEqual(['library']);
    expect(workspace.saved.status).toBe('saved');
    expect(
      execFileSync('git', ['status', '--porcelain'], { cwd: workspace.path ?? '', encoding: 'utf8' }),
    ).toBe('');
  });

  test('a repository that does not exist fails as clone_failed with not_found, and leaves no folder', async () => {
    const project = await stack.project({
      workflow: COMMIT,
      repository: { url: `${stack.server.url}/nothing-here.git` },
    });
    const workspace = await project.run('ABC-1');
    expect(workspace).toMatchObject({
      status: 'failed',
      error: { code: 'clone_failed', detail: expect.stringMatching(/^not_found: /) },
    });
    expect(workspace.path === null || !existsSync(workspace.path)).toBe(true);
    expect(await project.attempt('ABC-1', 1)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'clone_failed' },
      hooks: [],
      agent: null,
    });
  });

  test('a host that cannot be reached fails as clone_failed with network', async () => {
    const project = await stack.project({
      workflow: COMMIT,
      repository: { url: 'http://127.0.0.1:9/nothing.git' },
    });
    const workspace = await project.run('ABC-1');
    expect(workspace.error).toMatchObject({
      code: 'clone_failed',
      detail: expect.stringMatching(/^network: /),
    });
  });

  test('a repository that hangs fails as clone_failed with timeout, within the limit of a clone', async () => {
    slow.server.mode = 'hang';
    const project = await slow.project({
      workflow: COMMIT,
      repository: { url: `${slow.server.url}/any.git` },
    });
    const workspace = await project.run('ABC-1');
    expect(workspace.error).toMatchObject({
      code: 'clone_failed',
      detail: expect.stringMatching(/^timeout: /),
    });
    const { started_at, ended_at } = await project.attempt('ABC-1', 1);
    expect(Date.parse(ended_at ?? '') - Date.parse(started_at)).toBeLessThan(15_000);
  });

  test('a clone that hangs is cancelled with its attempt, and a deletion of its workspace waits for nothing', async () => {
    const url = await slow.server.repository('hanging');
    slow.server.mode = 'hang';
    const project = await slow.project({ workflow: COMMIT, repository: { url } });
    await project.dispatch('ABC-1');
    await project.until('ABC-1', 'cloning', ({ phase }) => phase === 'cloning');
    await project.remove('ABC-1', '?cancel=true');
    await project.status('ABC-1', 'removed');
    expect(await project.attempt('ABC-1', 1)).toMatchObject({ outcome: 'cancelled' });
  });
});

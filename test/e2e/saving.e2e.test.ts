/** Section 7's table over the whole stack: what agents and people do to a branch between attempts, on a real git server. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const BRANCH = 'symphony/ABC-1';
const WORKFLOW = 'agent:\n  max_attempts: 1\n  command: "true"';
const commit = (name: string) => `echo ${name} > ${name}.txt; git add ${name}.txt; git commit -qm ${name}`;
const setUp = () => stack.project({ workflow: WORKFLOW });
const attempt = (project: TestProject, command: string) =>
  project.run('ABC-1', { state: 'Todo', agent: { command: `set -e\n${command}` } });
const onRemote = (project: TestProject, branch = BRANCH) => stack.server.sha(project.id, branch);
const branches = async (project: TestProject) =>
  (await stack.server.git(project.id, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).split('\n');
/** Ends the task and waits for what becomes of the workspace. */
async function end(project: TestProject, as: 'removed' | 'kept') {
  await project.setState('ABC-1', 'Done');
  return project.status('ABC-1', as);
}
const local = (cwd: string | null, ...args: string[]) =>
  execFileSync('git', args, { cwd: cwd ?? '', encoding: 'utf8' }).trimEnd();

describe.concurrent('saved', () => {
  test("a person's commit on top of ours stays, and the next attempt of the agent continues beside it on a rescue ref", async () => {
    const project = await setUp();
    await attempt(project, commit('one'));
    const theirs = await stack.server.commit(project.id, BRANCH, { 'person.txt': 'p' });
    const workspace = await attempt(project, commit('two'));
    expect(workspace.saved).toMatchObject({ status: 'diverged', remote_sha: theirs });
    expect(await onRemote(project)).toBe(theirs);
    const [rescue] = workspace.saved.rescue_refs;
    expect(rescue).toEqual({ ref: expect.stringMatching(/^symphony-rescue\/ABC-1\/2/), sha: workspace.head });
    expect(await onRemote(project, rescue?.ref)).toBe(workspace.head);
    await end(project, 'removed');
    expect(await onRemote(project)).toBe(theirs);
    expect((await project.story('ABC-1')).filter((line) => line === 'removal warning')).toHaveLength(1);
  });

  test("a person's commit that the agent merges is fast-forwarded", async () => {
    const project = await setUp();
    await attempt(project, commit('one'));
    const theirs = await stack.server.commit(project.id, BRANCH, { 'person.txt': 'p' });
    const workspace = await attempt(
      project,
      `git pull -q --no-rebase ${stack.server.url}/${project.id}.git ${BRANCH}; ${commit('two')}`,
    );
    expect(workspace.saved).toMatchObject({ status: 'saved', rescue_refs: [] });
    expect(await stack.server.git(project.id, 'merge-base', theirs, BRANCH)).toBe(theirs);
  });

  test('a detached HEAD with commits goes to a rescue ref, and the workspace may go', async () => {
    const project = await setUp();
    const workspace = await attempt(project, `git checkout -q --detach; ${commit('detached')}`);
    expect(workspace.saved.status).toBe('head_elsewhere');
    expect(workspace.saved.rescue_refs.map(({ sha }) => sha)).toContain(workspace.head);
    await end(project, 'removed');
    expect(await branches(project)).toContain(workspace.saved.rescue_refs[0]?.ref);
  });

  test('commits on a detached HEAD whose save failed are rescued by a later one, though the next agent left them', async () => {
    const project = await setUp();
    await stack.server.refusePushes(project.id, 'closed');
    const { head } = await attempt(project, `git checkout -q --detach; ${commit('detached')}`);
    await attempt(project, `git checkout -q ${BRANCH}; ${commit('next')}`);
    await stack.server.refusePushes(project.id, null);
    await end(project, 'removed');
    const [rescue] = (await project.view('ABC-1')).saved.rescue_refs;
    expect(rescue).toEqual({ ref: 'symphony-rescue/ABC-1/2-left', sha: head });
    expect(await onRemote(project, rescue?.ref)).toBe(head);
  });

  test('a rebase in progress is rescued with everything, and the next attempt finds it still in progress', async () => {
    const project = await setUp();
    await attempt(project, `${commit('one')}; ${commit('two')}`);
    const workspace = await attempt(
      project,
      'GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/" git rebase -q -i HEAD~2 || true',
    );
    expect(workspace.saved.status).toBe('head_elsewhere');
    expect(existsSync(`${workspace.path}/.git/rebase-merge`)).toBe(true);
    const after = await attempt(project, 'git rebase --continue > /dev/null 2>&1');
    expect(after.saved.status).toBe('saved');
    expect(await onRemote(project)).toBe(after.head);
  });

  test('a second local branch with commits of its own goes to a rescue ref named after it', async () => {
    const project = await setUp();
    const workspace = await attempt(
      project,
      `git checkout -qb side; ${commit('side')}; git checkout -q ${BRANCH}; ${commit('main')}`,
    );
    const side = local(workspace.path, 'rev-parse', 'side');
    expect(await onRemote(project)).toBe(workspace.head);
    expect(workspace.saved.rescue_refs).toContainEqual({
      ref: expect.stringMatching(/^symphony-rescue\/ABC-1\/.*side/),
      sha: side,
    });
    await end(project, 'removed');
    expect(await branches(project)).toHaveLength(3);
  });

  test('a squash-merged and deleted branch is not resurrected, and the workspace may go', async () => {
    const project = await setUp();
    const before = await attempt(project, commit('one'));
    await stack.server.commit(project.id, 'main', { 'one.txt': 'one' }, 'Squashed');
    await stack.server.git(project.id, 'update-ref', '-d', `refs/heads/${BRANCH}`);
    const workspace = await attempt(project, 'true');
    expect(workspace.saved).toMatchObject({ status: 'saved', sha: before.head, remote_sha: null });
    await end(project, 'removed');
    expect(await onRemote(project)).toBeNull();
    expect(await branches(project)).toEqual(['main']);
  });

  test('new commits after the branch was deleted are pushed afresh', async () => {
    const project = await setUp();
    await attempt(project, commit('one'));
    await stack.server.git(project.id, 'update-ref', '-d', `refs/heads/${BRANCH}`);
    const workspace = await attempt(project, commit('two'));
    expect(workspace.saved.status).toBe('saved');
    expect(await onRemote(project)).toBe(workspace.head);
  });

  test('nothing committed is nothing to save, and the branch does not appear', async () => {
    const project = await setUp();
    const workspace = await attempt(project, 'echo x > untracked.txt');
    expect(workspace).toMatchObject({
      saved: { status: 'nothing_to_save' },
      uncommitted: { untracked: 1, files: ['untracked.txt'] },
    });
    await end(project, 'removed');
    expect(await branches(project)).toEqual(['main']);
  });

  test('hooks, filters and helpers that the agent configured run in no save', async () => {
    const project = await setUp();
    const trap = 'echo ran >> "$TRACE"';
    const workspace = await attempt(
      project,
      [
        ...['pre-push', 'post-commit', 'reference-transaction'].map(
          (name) => `printf '#!/bin/sh\\n${trap}\\n' > .git/hooks/${name}`,
        ),
        commit('one'),
        'chmod +x .git/hooks/*',
        `git config core.fsmonitor 'echo ran >> ${project.tracePath}'`,
        `git config credential.helper '!echo ran >> ${project.tracePath}'`,
        'git config url."http://127.0.0.1:9/".insteadOf http://',
        'git config commit.gpgsign true',
      ].join('\n'),
    );
    expect(workspace.saved.status).toBe('saved');
    expect(await onRemote(project)).toBe(workspace.head);
    expect(project.trace()).toEqual([]);
  });
});

describe('not saved', () => {
  test('a stash keeps the workspace; it goes once the stash is dropped', async () => {
    const project = await setUp();
    const workspace = await attempt(project, 'echo changed >> README.md; git stash -q');
    expect(workspace.saved.status).toBe('unsaved');
    const kept = await end(project, 'kept');
    expect(kept.kept?.reason).toMatch(/stash/);
    local(kept.path, 'stash', 'drop', '-q');
    await stack.api.call('POST', '/v1/sweep');
    await project.status('ABC-1', 'removed');
  });

  test('a pre-receive refusal leaves the attempt succeeded and the save failed with the words of the server', async () => {
    const project = await setUp();
    await stack.server.refusePushes(project.id, 'commits need a ticket number');
    const workspace = await attempt(project, commit('one'));
    expect(workspace).toMatchObject({
      last_attempt: { outcome: 'succeeded' },
      saved: {
        status: 'failed',
        reason: expect.stringContaining('commits need a ticket number'),
        tries: 1,
        next_try_at: expect.any(String),
      },
      unsaved_commits: [{ subject: 'one' }],
    });
    await stack.server.refusePushes(project.id, null);
    expect((await stack.api.call('POST', project.path('/workspaces/ABC-1/save'))).status).toBe(202);
    const saved = await project.until('ABC-1', 'saved', (view) => view.saved.status === 'saved');
    expect(await onRemote(project)).toBe(saved.head);
  });

  test('a remote that is away while the task ends keeps the workspace, and a sweep removes it when it is back', async () => {
    const project = await setUp();
    await attempt(project, commit('one'));
    const { path } = await project.view('ABC-1');
    local(path, '-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'later');
    await stack.server.down();
    const kept = await end(project, 'kept');
    expect(kept.kept?.reason).toMatch(/network/);
    await stack.server.up();
    await stack.api.call('POST', '/v1/sweep');
    await project.status('ABC-1', 'removed');
    expect(await onRemote(project)).toBe(kept.head);
  });
});

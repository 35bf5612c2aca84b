/** Commits that an attempt made, whose save failed, and that the next attempt's agent turned its back on. */
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { snapshotPath } from '../../src/sandbox/supervisor/git-bundle.ts';
import { rememberLeft, rememberTips } from '../../src/sandbox/supervisor/git-left.ts';
import { runRestore } from '../../src/sandbox/supervisor/git-restore.ts';
import { runSave } from '../../src/sandbox/supervisor/git-save.ts';
import { runSnapshot } from '../../src/sandbox/supervisor/git-snapshot.ts';
import { git, startGitServer, type GitServer } from '../support/git-server.ts';
import { BRANCH, never, newPlace, newWorkspace, RESCUE, type Workspace } from '../support/git-workspace.ts';

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
  const cloned = await workspace.clone();
  if (!cloned.ok) throw new Error(cloned.failure.detail);
});
afterEach(() => workspace.close());

const beginAttempt = () => rememberTips(workspace.place);

/** An attempt on a detached HEAD whose save fails; the next one goes back to the task branch. */
async function leaveBehind(): Promise<string> {
  await workspace.git('switch', '--quiet', '--detach');
  const left = await workspace.commit('left');
  server.mode = 500;
  expect((await workspace.save()).status).toBe('failed');
  await beginAttempt();
  await workspace.git('switch', '--quiet', BRANCH);
  return left;
}

test('go to a rescue ref with the next save that reaches the remote', async () => {
  const left = await leaveBehind();
  const head = await workspace.commit('next');
  expect((await workspace.save()).status).toBe('failed');
  server.mode = 'up';
  const ref = `${RESCUE}-left`;
  const result = await workspace.save();
  expect(result).toMatchObject({ status: 'saved', sha: head, rescue_refs: [{ ref, sha: left }] });
  expect(await server.sha(name, ref)).toBe(left);
  await beginAttempt();
  expect(await workspace.save()).toMatchObject({ status: 'saved', rescue_refs: [] });
});

test('are not rescued once the task branch contained them when it was saved', async () => {
  const left = await leaveBehind();
  await workspace.git('merge', '--quiet', left);
  server.mode = 'up';
  expect(await workspace.save()).toMatchObject({ status: 'saved', sha: left, rescue_refs: [] });
  await beginAttempt();
  await workspace.git('reset', '--quiet', '--hard', 'HEAD~1');
  expect(await workspace.save()).toMatchObject({ status: 'saved', rescue_refs: [] });
});

test('hold up no save when their objects are gone', async () => {
  await rememberLeft(workspace.place, ['b'.repeat(40)]);
  const head = await workspace.commit('work');
  expect(await workspace.save()).toMatchObject({ status: 'saved', sha: head, rescue_refs: [] });
});

/** The sandbox is lost, and a fresh one begins from the snapshot; the remote answers again. */
async function moveToFreshSandbox() {
  const user = { name: 'Symphony', email: 'symphony@localhost' };
  const common = { wait_ms: 0, timeout_ms: 30_000, branch: BRANCH };
  const taken = await runSnapshot(
    { ...common, kind: 'snapshot', id: 'snap-1', max_bytes: 50_000_000 },
    workspace.place,
    never,
  );
  expect(taken.status).toBe('written');
  const { root, place } = await newPlace();
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const bundle = snapshotPath(place, 'snap-1');
  await mkdir(dirname(bundle), { recursive: true });
  await copyFile(snapshotPath(workspace.place, 'snap-1'), bundle);
  server.mode = 'up';
  const url = `${server.url}/${name}.git`;
  const remote = { url, origin: url };
  const restore = { ...common, kind: 'restore', id: 'restore-1', snapshot: 'snap-1', remote, user } as const;
  expect(await runRestore(restore, place, never)).toMatchObject({ ok: true });
  const base = await server.sha(name, 'main');
  const rest = { id: 'save-2', remote, rescue: RESCUE, base, last_saved: null };
  return { place, save: () => runSave({ ...common, kind: 'save', ...rest }, place, never) };
}

test('survive the loss of the sandbox in its snapshot', async () => {
  const left = await leaveBehind();
  await workspace.commit('next');
  const { place, save } = await moveToFreshSandbox();
  expect(await git(place.directory, 'branch', '--list', '--format=%(refname:short)')).toBe(BRANCH);
  expect((await save()).rescue_refs).toEqual([{ ref: `${RESCUE}-left`, sha: left }]);
});

test('are remembered when a snapshot brings them back, and the agent leaves them only then', async () => {
  await workspace.git('switch', '--quiet', '--detach');
  const left = await workspace.commit('left');
  const { place, save } = await moveToFreshSandbox();
  await git(place.directory, 'switch', '--quiet', BRANCH);
  expect((await save()).rescue_refs).toEqual([{ ref: `${RESCUE}-left`, sha: left }]);
});

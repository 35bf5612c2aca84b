/** A repository that wants a credential, over the whole stack: it works through the gateway, and a grant is good for nothing else. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runGit } from '../support/git-client.ts';
import { startGitHost } from '../support/git-host.ts';
import { type GuardedStack, setCredential, startGuardedStack } from '../support/guarded-stack.ts';
import { findWorkerd } from '../support/leftovers.ts';
import type { TestProject } from '../support/stack.ts';

const TOKEN = 'push-token-canary-71c0ffee';
const BRANCH = 'symphony/ABC-1';
const WORKFLOW =
  'agent:\n  max_retry_backoff_ms: 0\n  max_attempts: 1\n  command: echo x >> work.txt; git add work.txt; git commit -qm work';

let stack: GuardedStack;
let folder: string;

beforeAll(async () => {
  stack = await startGuardedStack(TOKEN);
  folder = mkdtempSync(join(tmpdir(), 'edge-harness-grants-'));
});
afterEach(() => {
  stack.passage.hold = null;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stack.stop();
});

const newestGrant = () => [...stack.passage.grants].at(-1) ?? '';
const addressOf = (grant: string) => `${stack.stack.url}/git/${grant}`;

/** Holds the first request that `isIt`; answers when it has come, with what lets it go on. */
function holdUp(isIt: (call: string) => boolean): Promise<() => void> {
  return new Promise((resolve) => {
    let isHeld = false;
    stack.passage.hold = (call) => {
      if (isHeld || !isIt(call)) return Promise.resolve();
      isHeld = true;
      return new Promise<void>((goOn) => resolve(goOn));
    };
  });
}
const isPush = (call: string) => call.startsWith('POST') && call.endsWith('/git-receive-pack');
const isFetch = (call: string) => call.startsWith('POST') && call.endsWith('/git-upload-pack');

/** Somebody's own repository, to push from. */
function attacker(): string {
  const tree = mkdtempSync(join(folder, 'tree-'));
  const run = (...args: string[]) => execFileSync('git', args, { cwd: tree, stdio: 'pipe' });
  run('init', '-q');
  run('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'evil');
  return tree;
}
const refs = (name: string) => stack.server.git(name, 'for-each-ref', '--format=%(refname) %(objectname)');
const refusals = async (project: TestProject) =>
  (await project.events('ABC-1')).filter(({ name }) => /^git-(?:push-)?refused$/.test(name));

describe.concurrent('a repository that wants a credential', () => {
  test('is cloned, saved to, saved to again and left at removal; only the gateway ever sends the credential', async () => {
    const project = await stack.guarded('life', { workflow: WORKFLOW });
    const first = await project.run('ABC-1', { state: 'Todo' });
    expect(first).toMatchObject({ status: 'ready', saved: { status: 'saved' } });
    expect(await stack.server.sha('life', BRANCH)).toBe(first.head);
    const config = readFileSync(join(first.path ?? '', '.git', 'config'), 'utf8');
    expect(config).toContain(`${stack.host.url}/life.git`);
    expect(config).not.toContain('/git/');
    const second = await project.run('ABC-1');
    expect(second.saved.status).toBe('saved');
    expect(await stack.server.sha('life', BRANCH)).toBe(second.head);
    expect(second.head).not.toBe(first.head);
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'removed');
    const withoutCredential = stack.host.requests.filter(
      ({ url, headers }) => url.startsWith('/life.git/') && headers.authorization === undefined,
    );
    expect(withoutCredential).toEqual([]);
    // One for the clone, one for each save.
    const grants = [...stack.passage.grants].filter((grant) => grant.startsWith(`${project.id}~`));
    expect(grants.length).toBeGreaterThanOrEqual(3);
    for (const grant of grants)
      expect((await runGit('/', 'ls-remote', addressOf(grant))).text).toContain('its operation has ended');
  });

  test('fails the attempt as `auth` with a wrong one, and goes on with the right one', async () => {
    const wrong = 'wrong-token-canary-0badcafe';
    const project = await stack.guarded('wrong', { workflow: WORKFLOW, token: wrong });
    const failed = await project.run('ABC-1');
    const attempt = await project.attempt('ABC-1', 1);
    expect(attempt).toMatchObject({
      outcome: 'failed',
      failure: { code: 'clone_failed', detail: expect.stringMatching(/^auth: .*credential/s) },
    });
    const shown = JSON.stringify([failed, attempt, await project.events('ABC-1')]);
    expect(shown).not.toContain(wrong);
    expect(shown).not.toContain('/git/');
    await setCredential(stack, project, TOKEN);
    expect((await project.run('ABC-1')).saved.status).toBe('saved');
  });

  test('goes to no other host: not a new one of the project with the old credential, not an old one with a new', async () => {
    const project = await stack.guarded('moved', { workflow: WORKFLOW });
    const first = await project.run('ABC-1');
    const other = await startGitHost(stack.server.url, 'never');
    try {
      const move = (url: string) => stack.api.call('PUT', project.path(), { repository: { url } });
      await move(`${other.url}/moved.git`);
      await project.run('ABC-2');
      expect((await project.attempt('ABC-2', 1)).failure?.detail).toMatch(/^auth: /);
      // The first host still gets its own.
      expect((await project.run('ABC-1')).saved.status).toBe('saved');
      await setCredential(stack, project, 'for-the-new-host');
      const before = stack.host.requests.length;
      expect((await project.run('ABC-1')).saved).toMatchObject({ status: 'failed' });
      await project.run('ABC-2');
      const sent = (requests: typeof other.requests) =>
        requests.flatMap(({ headers }) =>
          headers.authorization === undefined ? [] : [headers.authorization],
        );
      expect(sent(stack.host.requests.slice(before).filter(({ url }) => url.includes('moved')))).toEqual([]);
      const given = sent(other.requests);
      expect(new Set(given)).toEqual(new Set([`Basic ${btoa('x-access-token:for-the-new-host')}`]));
      expect(first.saved.status).toBe('saved');
    } finally {
      await other.close();
    }
  });

  test('fails as `auth` without one', async () => {
    const project = await stack.guarded('none', { workflow: WORKFLOW, token: null });
    await project.run('ABC-1');
    expect((await project.attempt('ABC-1', 1)).failure?.detail).toMatch(/^auth: /);
  });

  test('turns wrong between clone and save: the attempt succeeded, the save failed as `auth`, a later one succeeds', async () => {
    const project = await stack.guarded('later', {
      workflow: `hooks:\n  before_run: until [ -e "$TRACE.go" ]; do sleep 0.05; done\n${WORKFLOW}`,
    });
    await project.dispatch('ABC-1');
    await project.until('ABC-1', 'in before_run', ({ phase }) => phase === 'before_run');
    await setCredential(stack, project, 'revoked-token-canary-00');
    execFileSync('touch', [`${project.tracePath}.go`]);
    const unsaved = await project.settled('ABC-1');
    expect(unsaved).toMatchObject({
      last_attempt: { outcome: 'succeeded' },
      saved: { status: 'failed', reason: expect.stringMatching(/^auth: /) },
    });
    expect(JSON.stringify(unsaved)).not.toContain('canary');
    await setCredential(stack, project, TOKEN);
    await stack.api.call('POST', project.path('/workspaces/ABC-1/save'));
    const saved = await project.until('ABC-1', 'saved', (view) => view.saved.status === 'saved');
    expect(await stack.server.sha('later', BRANCH)).toBe(saved.head);
  });
});

describe('a grant', () => {
  test('for saving pushes to nothing but its own branches while it lives, and to nothing afterwards; each refusal is an event', async () => {
    const project = await stack.guarded('scope', { workflow: WORKFLOW });
    await stack.server.commit('scope', 'symphony/ABC-2', { 'other.txt': 'x' });
    const reached = holdUp(isPush);
    await project.dispatch('ABC-1');
    const goOn = await reached;
    const grant = newestGrant();
    const tree = attacker();
    const before = await refs('scope');
    const push = async (...refspecs: string[]) =>
      (await runGit(tree, 'push', addressOf(grant), ...refspecs)).text;
    for (const ref of ['main', 'symphony/ABC-2', 'symphony-rescue/ABC-2/1', 'symphony/ABC-1/x'])
      expect(await push(`+HEAD:refs/heads/${ref}`)).toMatch(/! \[remote rejected\] .*\(ref_not_allowed: /);
    expect(await push('+HEAD:refs/tags/v1')).toMatch(/ref_not_allowed/);
    expect(await push(':refs/heads/symphony/ABC-2')).toMatch(
      /! \[remote rejected\] .*\(deletion_not_allowed: /,
    );
    expect(await refs('scope')).toBe(before);
    goOn();
    const saved = await project.settled('ABC-1');
    expect(await stack.server.sha('scope', BRANCH)).toBe(saved.head);

    const after = await refs('scope');
    for (let tries = 0; tries < 3; tries += 1)
      expect(await push('+HEAD:refs/heads/symphony/ABC-1')).toContain('its operation has ended');
    expect(await refs('scope')).toBe(after);
    const audited = await refusals(project);
    expect(audited.map(({ data }) => (data['refs'] as string[] | undefined)?.[0] ?? data['reason'])).toEqual([
      'refs/heads/main',
      'refs/heads/symphony/ABC-2',
      'refs/heads/symphony-rescue/ABC-2/1',
      'refs/heads/symphony/ABC-1/x',
      'refs/tags/v1',
      'refs/heads/symphony/ABC-2',
      'a grant was used after its operation',
    ]);
    expect(JSON.stringify(audited)).not.toContain(grant.split('~')[2]);
  });

  test('for cloning pushes nothing', async () => {
    const project = await stack.guarded('reading', { workflow: WORKFLOW });
    const reached = holdUp(isFetch);
    await project.dispatch('ABC-1');
    const goOn = await reached;
    const before = await refs('reading');
    const { code, text } = await runGit(
      attacker(),
      'push',
      addressOf(newestGrant()),
      '+HEAD:refs/heads/symphony/ABC-1',
    );
    expect(code).toBe(128);
    expect(text).toContain('This git address is for reading only.');
    expect(await refs('reading')).toBe(before);
    goOn();
    await project.settled('ABC-1');
    expect(await refusals(project)).toEqual([
      {
        name: 'git-push-refused',
        data: expect.objectContaining({ reason: expect.stringContaining('reading') }),
      },
    ]);
  });

  test('is good under no other workspace, project or repository', async () => {
    const project = await stack.guarded('mine', { workflow: WORKFLOW });
    const other = await stack.guarded('theirs', { workflow: WORKFLOW });
    await project.run('ABC-2');
    await other.run('ABC-1');
    const before = await refs('theirs');
    const reached = holdUp(isPush);
    await project.dispatch('ABC-1');
    const goOn = await reached;
    const [, , token = ''] = newestGrant().split('~');
    const tree = attacker();
    for (const grant of [
      `${project.id}~ABC-2~${token}`,
      `${other.id}~ABC-1~${token}`,
      `nobody~ABC-1~${token}`,
    ])
      expect((await runGit(tree, 'push', addressOf(grant), `HEAD:refs/heads/${BRANCH}`)).text).toContain(
        'This git address is not in force',
      );
    for (const path of ['/../theirs.git', '/theirs.git', '/..%2ftheirs.git']) {
      const { code, text } = await runGit('/', 'ls-remote', addressOf(newestGrant()) + path);
      expect(code).toBe(128);
      expect(text).not.toContain('refs/heads');
    }
    goOn();
    await project.settled('ABC-1');
    expect(await refs('theirs')).toBe(before);
  });
});

test('a Worker that dies in the middle of a save goes on with it: saved once, and every grant has ended', async () => {
  const project = await stack.guarded('dies', { workflow: WORKFLOW });
  const reached = holdUp(isPush);
  await project.dispatch('ABC-1');
  const goOn = await reached;
  const grant = newestGrant();
  for (const pid of findWorkerd()) process.kill(Number(pid), 'SIGKILL');
  await project.until('ABC-1', 'answers again', () => true).catch(() => undefined);
  for (let tries = 0; tries < 100; tries += 1) {
    const alive = await fetch(`${stack.stack.url}/healthz`).catch(() => null);
    if (alive?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  goOn();
  const saved = await project.settled('ABC-1');
  expect(saved).toMatchObject({
    last_attempt: { number: 1, outcome: 'succeeded' },
    saved: { status: 'saved' },
  });
  expect(await stack.server.sha('dies', BRANCH)).toBe(saved.head);
  expect((await project.story('ABC-1')).filter((line) => line === 'save saved')).toHaveLength(1);
  expect(newestGrant()).toBe(grant);
  expect((await runGit('/', 'ls-remote', addressOf(grant))).text).toContain('its operation has ended');
});

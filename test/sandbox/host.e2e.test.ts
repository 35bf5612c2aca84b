/** What only a host's supervisor does: many workspaces under allowed roots, on a machine that is not its own. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SupervisorClient, type Target } from '../../src/sandbox/client.ts';
import { createLoopback } from '../../src/sandbox/loopback.ts';
import type { OpenRequest } from '../../src/sandbox/protocol.ts';
import {
  answered,
  buildOpen,
  buildScript,
  clone,
  countProcesses,
  newId,
  newNap,
  refusal,
  run,
  start,
  type Session,
} from './session.ts';
import { openHost, type HostReached } from './supervisor-process.ts';

let reached: HostReached;
let client: SupervisorClient;

beforeAll(async () => {
  reached = await openHost({ args: (folder) => ['--workflow-dir', `registered=${join(folder, 'home')}`] });
  client = new SupervisorClient(reached.fetcher);
});
afterAll(() => reached.end());

const root = () => reached.root ?? '';

const call = (headers: Record<string, string>, path = '/inventory') =>
  fetch(`${reached.url()}${path}`, { headers });

let lastKey = 0;
const newKey = (): string => {
  lastKey += 1;
  return `K-${lastKey}`;
};

const openRoot = (wanted: string | null, more: Partial<OpenRequest> = {}) =>
  client.open(buildOpen(reached, { key: newKey(), root: wanted, ...more }));

async function openWorkspace(more: Partial<OpenRequest> = {}): Promise<Session> {
  const request = buildOpen(reached, { key: newKey(), ...more });
  const { directory } = answered(await client.open(request));
  const session = { reached, client, target: { creationId: request.creation_id, directory } };
  await clone(session);
  return session;
}

describe('workspace.root', () => {
  test('expands ~, $HOME and $USER, and starts at WORKFLOW.md’s folder where it is relative', async () => {
    const home = join(reached.folder, 'home');
    for (const [wanted, expected] of [
      ['~/../roots/a', 'roots/a'],
      ['$HOME/../roots/$USER', `roots/${process.env['USER'] ?? 'root'}`],
      ['${HOME}/../roots/b', 'roots/b'],
      [join(home, '../roots/c/'), 'roots/c'],
    ] as const) {
      const opened = answered(await openRoot(wanted));
      expect(opened.directory).toBe(join(reached.folder, expected, `K-${lastKey}`));
    }
    const relative = answered(await openRoot('../roots/d', { project: 'registered' }));
    expect(relative.directory).toBe(join(reached.folder, 'roots/d', `K-${lastKey}`));
    expect(relative.workflow_dir).toBe(home);
  });

  test.each(['/etc', '/', '~', '../../..', '$HOME', '/tmp', '~nobody/x', '$TMPDIR/elsewhere'])(
    '%s is refused, and nothing is made there',
    async (wanted) => {
      expect(refusal(await openRoot(wanted))).toBe('workspace_root_refused');
      expect(refusal(await openRoot(wanted, { claim: false }))).toBe('workspace_root_refused');
    },
  );

  test('none at all is a folder of the project under <temp>, refused where that is not allowed', async () => {
    expect(refusal(await openRoot(null))).toBe('workspace_root_refused');
  });

  test('inside another workspace, or among the files that we keep of one, nothing may be', async () => {
    const { directory } = answered(await openRoot(join(reached.folder, 'roots/outer')));
    const state = join(reached.folder, 'roots/outer/.edge-harness');
    const inside = [directory, join(directory, 'deep/er'), state, join(state, 'K-9'), join(state, '.trash')];
    for (const wanted of inside) {
      expect([wanted, refusal(await openRoot(wanted))]).toEqual([wanted, 'workspace_root_refused']);
      expect(refusal(await openRoot(wanted, { claim: false }))).toBe('workspace_root_refused');
    }
    answered(await openRoot(join(reached.folder, 'roots/outer/beside')));
  });

  test('a link out of the allowed roots is refused', async () => {
    symlinkSync('/etc', join(reached.folder, 'roots', 'link'));
    expect(refusal(await openRoot(join(reached.folder, 'roots', 'link')))).toBe('workspace_root_refused');
    expect(refusal(await openRoot(join(reached.folder, 'roots', 'link', 'new')))).toBe(
      'workspace_root_refused',
    );
  });

  test('looking without claiming makes no folder', async () => {
    const never = join(reached.folder, 'roots', 'never');
    expect(refusal(await openRoot(never, { claim: false }))).toBe('no_incarnation');
    expect(existsSync(never)).toBe(false);
  });

  test.each(['..', '.', '.edge-harness', 'a/b', '', '.hidden'])('the key %j is refused', async (key) => {
    expect(refusal(await openRoot(reached.root, { key }))).toBe('path_refused');
  });
});

describe('whose a folder is', () => {
  test('one that was there before is foreign_directory, and stays as it is', async () => {
    const key = newKey();
    const folder = join(reached.folder, 'roots', key);
    mkdirSync(folder);
    writeFileSync(join(folder, 'precious'), 'mine');
    expect(refusal(await client.open(buildOpen(reached, { key })))).toBe('foreign_directory');
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('mine');
    symlinkSync('/nowhere', join(reached.folder, 'roots', 'dangling'));
    expect(refusal(await client.open(buildOpen(reached, { key: 'dangling' })))).toBe('foreign_directory');
  });

  test('after somebody deleted all of it, state too, the next claim starts afresh', async () => {
    const key = newKey();
    const wanted = join(reached.folder, 'roots', 'wiped');
    const { target } = await openWorkspace({ key, root: wanted });
    rmSync(wanted, { recursive: true });
    expect(refusal(await client.start(target, buildScript('true')))).toBe('no_incarnation');
    const again = await openWorkspace({ key, root: wanted });
    expect(await run(again, 'echo back')).toMatchObject({ outcome: 'ok', stdout: { text: 'back\n' } });
  });

  test('one root for two projects: the same key is foreign to the second', async () => {
    const key = newKey();
    await openWorkspace({ key });
    const reply = await client.open(buildOpen(reached, { key, project: 'other' }));
    expect(refusal(reply)).toBe('foreign_directory');
  });

  test('a call finds the workspace by its directory, and none beside it', async () => {
    const { target } = await openWorkspace();
    for (const directory of [
      '/etc',
      '/',
      '',
      reached.root ?? '',
      `${target.directory}/..`,
      `${target.directory}/.git`,
      '../x',
    ]) {
      const reply = await client.start({ ...target, directory }, buildScript('true'));
      expect(['path_refused', 'workspace_root_refused', 'no_incarnation']).toContain(refusal(reply));
    }
  });

  test('a script does not start where the files are gone', async () => {
    const session = await openWorkspace();
    await run(session, `rm -rf "${session.target.directory}"`);
    expect(refusal(await client.start(session.target, buildScript('true')))).toBe('directory_gone');
    const again = { creation_id: session.target.creationId, key: `K-${lastKey}`, claim: false };
    expect(answered(await client.open(buildOpen(reached, again))).files).toBe('absent');
  });

  test('case twins are neighbours on a file system that knows case', async () => {
    const [a, b] = [await openWorkspace({ key: 'Case-1' }), await openWorkspace({ key: 'case-1' })];
    expect(a.target.directory).not.toBe(b.target.directory);
  });
});

describe('WORKFLOW.md', () => {
  test('is kept in a folder of the project where none was registered, in its newest version', async () => {
    const opened = answered(
      await client.open(buildOpen(reached, { key: newKey(), project: 'kept', workflow: 'one' })),
    );
    const file = join(opened.workflow_dir ?? '', 'WORKFLOW.md');
    expect(readFileSync(file, 'utf8')).toBe('one');
    answered(await client.open(buildOpen(reached, { key: newKey(), project: 'kept', workflow: 'two' })));
    answered(await client.open(buildOpen(reached, { key: newKey(), project: 'kept', workflow: null })));
    expect(readFileSync(file, 'utf8')).toBe('two');
  });

  test('a project’s name leads nowhere else', async () => {
    const opened = answered(
      await client.open(buildOpen(reached, { key: newKey(), project: '../..', workflow: 'x' })),
    );
    expect(opened.workflow_dir).toBe(join(reached.folder, 'state/workflows/%2E%2E%2F%2E%2E'));
  });

  test('a folder registered later is named from then on, and not written to', async () => {
    const directory = join(reached.folder, 'home');
    const answer = await reached.fetcher.fetch(
      new Request('http://supervisor/workflow-dirs', {
        method: 'POST',
        body: JSON.stringify({ project: 'late', directory, keep: true }),
      }),
    );
    expect(answer.status).toBe(204);
    const opened = answered(
      await client.open(buildOpen(reached, { key: newKey(), project: 'late', workflow: 'x' })),
    );
    expect(opened.workflow_dir).toBe(directory);
    expect(existsSync(join(directory, 'WORKFLOW.md'))).toBe(false);
  });
});

describe('destroying a workspace', () => {
  test('removes files, claim and records, and ends what runs there; again it is a success', async () => {
    const session = await openWorkspace();
    const nap = newNap();
    await start(session, `trap '' TERM; setsid sleep ${nap} & sleep ${nap}`);
    await run(session, `sleep ${nap} & true`);
    answered(await client.destroy(session.target));
    answered(await client.destroy(session.target));
    expect(existsSync(session.target.directory)).toBe(false);
    expect(readdirSync(join(root(), '.edge-harness'))).not.toContain(`K-${lastKey}`);
    expect(readdirSync(join(root(), '.edge-harness/.trash'))).toEqual([]);
    expect(await countProcesses(await openWorkspace(), `sleep ${nap}`)).toBe(0);
  });

  test('leaves the neighbours and their processes alone', async () => {
    const [mine, theirs] = [await openWorkspace(), await openWorkspace()];
    const nap = newNap();
    await run(theirs, `sleep ${nap} & setsid sleep ${nap} & echo x >file`);
    await run(mine, 'true', { leftovers: 'kill' });
    answered(await client.killLeftovers(mine.target));
    answered(await client.destroy(mine.target));
    expect(await countProcesses(theirs, `sleep ${nap}`)).toBe(2);
    expect((await run(theirs, 'cat file')).stdout.text).toBe('x\n');
    answered(await client.destroy(theirs.target));
  });

  test('releases the key for another creation', async () => {
    const key = newKey();
    const session = await openWorkspace({ key });
    answered(await client.destroy(session.target));
    const next = await openWorkspace({ key });
    expect(refusal(await client.start(session.target, buildScript('true')))).toBe('other_incarnation');
    expect(refusal(await client.destroy(session.target))).toBe('other_incarnation');
    expect((await run(next, 'pwd')).outcome).toBe('ok');
  });

  test('does not follow links in it', async () => {
    const session = await openWorkspace();
    const outside = join(reached.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious'), 'mine');
    await run(session, `ln -s "${outside}" link; ln -s "${outside}/precious" file; ln -s / slash`);
    answered(await client.destroy(session.target));
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('mine');
  });

  test('a folder that became a link is left to a person', async () => {
    const session = await openWorkspace();
    const { directory } = session.target;
    const outside = join(reached.folder, 'outside2');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious'), 'mine');
    await run(session, `rm -rf "${directory}" && ln -s "${outside}" "${directory}"`);
    expect(refusal(await client.destroy(session.target))).toBe('workspace_damaged');
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe('mine');
    await run(await openWorkspace(), `rm "${directory}"`);
    answered(await client.destroy(session.target));
  });

  test('an inventory names what is there and whose it is', async () => {
    const session = await openWorkspace();
    const key = `K-${lastKey}`;
    mkdirSync(join(root(), 'stray'));
    const { workspaces } = answered(await client.inventory());
    const found = workspaces.find((workspace) => workspace.key === key);
    expect(found).toMatchObject({
      directory: session.target.directory,
      project: 'demo',
      creation_id: session.target.creationId,
    });
    expect(workspaces.find((workspace) => workspace.key === 'stray')).toMatchObject({
      creation_id: null,
      project: null,
    });
    answered(await client.destroy(session.target));
    const after = answered(await client.inventory()).workspaces;
    expect(after.some((workspace) => workspace.key === key)).toBe(false);
  });
});

describe('as a user without privileges', () => {
  const NOBODY = 65_534;
  let host: HostReached;
  let theirs: SupervisorClient;
  const isRoot = process.getuid?.() === 0;

  beforeAll(async () => {
    if (!isRoot) return;
    host = await openHost({ uid: NOBODY });
    theirs = new SupervisorClient(host.fetcher);
  });
  afterAll(() => host?.end());

  async function open(): Promise<Session & { target: Target }> {
    const request = buildOpen(host, { key: newKey() });
    const { directory } = answered(await theirs.open(request));
    const session = { reached: host, client: theirs, target: { creationId: request.creation_id, directory } };
    await clone(session);
    return session;
  }

  test('read-only trees are destroyed, whatever their modes', async ({ skip }) => {
    if (!isRoot) return skip('only root can start it as somebody else');
    const session = await open();
    await run(session, 'mkdir -p a/b/c; echo x >a/b/c/d; chmod 0500 a/b/c; chmod 0 a/b; chmod 0555 a .');
    answered(await theirs.destroy(session.target));
    expect(existsSync(session.target.directory)).toBe(false);
  });

  test('what somebody else owns is removal_failed, names the file, and can be tried again', async ({
    skip,
  }) => {
    if (!isRoot) return skip('only root can make such a file');
    const session = await open();
    const folder = join(session.target.directory, 'theirs');
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(folder, 'file'), 'x');
    const reply = await theirs.destroy(session.target);
    expect(refusal(reply)).toBe('removal_failed');
    expect(JSON.stringify(reply)).toContain('theirs');
    const trash = join(host.folder, 'roots/.edge-harness/.trash');
    const name = readdirSync(trash).find((entry) => entry.startsWith(`K-${lastKey}~`)) ?? '';
    chmodSync(join(trash, name, 'theirs'), 0o777);
    answered(await theirs.destroy(session.target));
    expect(readdirSync(trash)).toEqual([]);
  });
});

describe('who may call', () => {
  test('no token, a wrong one, and a prefix of it are unauthorized', async () => {
    for (const authorization of [
      '',
      'Bearer',
      'Bearer x',
      `Bearer ${reached.token.slice(0, -1)}`,
      reached.token,
    ]) {
      const answer = await call({ authorization });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ code: 'unauthorized' });
    }
    const wrong = new SupervisorClient(createLoopback(reached.url(), newId()));
    expect(refusal(await wrong.inventory())).toBe('unauthorized');
  });

  test('health needs no token', async () => {
    expect((await call({}, '/healthz')).status).toBe(200);
  });

  test('a page that gave 127.0.0.1 its own name is unauthorized even with the token', async () => {
    const { request } = await import('node:http');
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'evil.example', authorization: `Bearer ${reached.token}` };
      request(`${reached.url()}/inventory`, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(401);
  });

  test('its folders are for its user alone', async () => {
    await openWorkspace();
    expect(statSync(join(reached.folder, 'state')).mode & 0o077).toBe(0);
    expect(statSync(join(reached.folder, 'roots/.edge-harness', `K-${lastKey}`)).mode & 0o077).toBe(0);
  });
});

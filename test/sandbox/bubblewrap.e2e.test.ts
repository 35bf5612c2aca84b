/** Scripts under bubblewrap on a host: what they see, what they can write, and that they end like others. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SupervisorClient } from '../../src/sandbox/client.ts';
import type { ScriptSpec } from '../../src/sandbox/protocol.ts';
import { answered, buildOpen, clone, countProcesses, newNap, run, type Session } from './session.ts';
import { openHost, type HostReached } from './supervisor-process.ts';

let reached: HostReached;
let mine: Session;
let theirs: Session;
let elsewhere: string;
let isThere = false;

async function openWorkspace(key: string): Promise<Session> {
  const client = new SupervisorClient(reached.fetcher);
  const request = buildOpen(reached, { key });
  const { directory } = answered(await client.open(request));
  const session = { reached, client, target: { creationId: request.creation_id, directory } };
  await clone(session);
  return session;
}

beforeAll(async () => {
  // Not below /tmp, which is private anyway.
  elsewhere = mkdtempSync('/var/tmp/edge-harness-test-');
  for (const name of ['hidden', 'shown']) {
    mkdirSync(join(elsewhere, name));
    writeFileSync(join(elsewhere, name, 'file'), name);
  }
  reached = await openHost({ args: () => ['--hide', join(elsewhere, 'hidden')] });
  [mine, theirs] = [await openWorkspace('MINE'), await openWorkspace('THEIRS')];
  isThere = answered(await mine.client.health()).confinements.includes('bubblewrap');
});
afterAll(async () => {
  await reached.end();
  rmSync(elsewhere, { recursive: true });
});

const confined = (script: string, more: Partial<ScriptSpec> = {}) =>
  run(mine, script, { confinement: { kind: 'bubblewrap' }, ...more });

describe('a script under bubblewrap', () => {
  beforeEach(({ skip }) => skip(!isThere, 'bubblewrap is not there, or may make no namespaces'));

  test('starts in the workspace, at its own path, and what it writes stays', async () => {
    const view = await confined('pwd; echo x >file; exit 3');
    expect(view).toMatchObject({ exit_code: 3, stdout: { text: `${mine.target.directory}\n` } });
    expect((await run(mine, 'cat file')).stdout.text).toBe('x\n');
  });

  test('sees neither the other workspaces nor the supervisor’s state', async () => {
    await run(theirs, 'echo secret >secret');
    const view = await confined(
      `ls -A "${reached.root}"; cat "${theirs.target.directory}/secret"; ls "${reached.folder}/state"; ls -A "${reached.root}/.edge-harness"`,
    );
    expect(view.stdout.text).toBe('MINE\n');
  });

  test('sees no folder that whoever started the supervisor hid, like that of the service’s secrets', async () => {
    const view = await confined(`cd "${elsewhere}"; cat shown/file; cat hidden/file; ls -A hidden`);
    expect(view.stdout.text).toBe('shown');
  });

  test('a PATH of the project that leads into the workspace finds nothing there before the walls are up', async () => {
    const planted = `#!/bin/sh\ntouch "${elsewhere}/outside"\n`;
    await confined(
      `mkdir bin; for name in bwrap sleep bash; do printf '${planted}' >bin/$name; done; chmod +x bin/*`,
    );
    const env = { PATH: 'bin:/usr/bin:/bin', LD_LIBRARY_PATH: 'lib' };
    const view = await confined('echo "$LD_LIBRARY_PATH"', { env });
    expect(view.stdout.text).toBe('lib\n');
    expect(existsSync(join(elsewhere, 'outside'))).toBe(false);
  });

  test('sees its own processes alone', async () => {
    const view = await confined('ls -d /proc/[0-9]* | wc -l; cat /proc/1/cmdline | tr "\\0" " "');
    const [count, first] = view.stdout.text.split('\n');
    expect(Number(count)).toBeLessThan(6);
    expect(first).toContain('bwrap');
  });

  test('has a home of its own, not the person’s, which lasts to the next script', async () => {
    mkdirSync(join(reached.home ?? '', '.ssh'), { recursive: true });
    writeFileSync(join(reached.home ?? '', '.ssh/id_test'), 'private');
    const first = await confined('ls -A ~; echo "$HOME"; echo kept >~/note; echo kept >/tmp/note');
    expect(first.stdout.text).toBe(`${reached.home}\n`);
    expect((await confined('cat ~/note /tmp/note')).stdout.text).toBe('kept\nkept\n');
    expect((await run(mine, 'ls ~/note')).exit_code).toBe(2);
  });

  test('writes nowhere else', async () => {
    const view = await confined(
      `for f in /etc/x /usr/x /var/tmp/x "${reached.folder}/x" /x; do touch "$f" 2>/dev/null && echo "$f"; done; mount -o remount,rw / 2>/dev/null && echo remounted; true`,
    );
    // Its own /tmp holds the way to the workspace, and only there can it write beside it.
    expect(view.stdout.text).toBe(`${reached.folder}/x\n`);
    expect(existsSync(join(reached.folder, 'x'))).toBe(false);
  });

  test('a script of 150 KB runs', async () => {
    expect((await confined(`exit 4\n# ${'x'.repeat(150_000)}`)).exit_code).toBe(4);
  });

  test('names are unset, and the environment is the same as without', async () => {
    const env = { MINE: 'a\nb', OPENAI_API_KEY: 'key' };
    const view = await confined('printf %s "$MINE$OPENAI_API_KEY$PWD"', { env, unset: ['OPENAI_API_KEY'] });
    expect(view.stdout.text).toBe(`a\nb${mine.target.directory}`);
  });

  test('a daemon lives on in its namespace until leftovers are killed', async () => {
    const nap = newNap();
    expect(await confined(`sleep ${nap} & env -i setsid sleep ${nap} & echo up`)).toMatchObject({
      outcome: 'ok',
    });
    // Its namespace's first process names them too.
    expect(await countProcesses(mine, `sleep ${nap}`)).toBeGreaterThanOrEqual(2);
    expect(answered(await mine.client.killLeftovers(mine.target)).killed).toBeGreaterThanOrEqual(1);
    expect(await countProcesses(mine, `sleep ${nap}`)).toBe(0);
  });

  test('a timeout ends all of it, deaf children too', async () => {
    const nap = newNap();
    const view = await confined(
      `trap '' TERM; env -i setsid sleep ${nap} & (trap '' TERM; sleep ${nap}) & sleep ${nap}`,
      {
        timeout_ms: 1000,
      },
    );
    expect(view.outcome).toBe('timeout');
    expect(await countProcesses(mine, `sleep ${nap}`)).toBe(0);
  });
});

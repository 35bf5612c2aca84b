import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runGit } from '../support/git-client.ts';
import { git } from '../support/git-server.ts';
import { BRANCH, CREDENTIAL, type Place, RESCUE, commit, openPlace, push } from './git-gateway-place.ts';

/** Pushes a new commit; answers what git says, and whether anything of it got to the host. */
const tryPush = async (place: Place, ...refspecs: string[]) => {
  const tree = await place.clone();
  await commit(tree);
  const before = await place.server.git('demo', 'show-ref');
  place.host.requests.length = 0;
  const { code, text } = await push(place, tree, ...refspecs);
  const arrived = place.host.requests.some(({ method }) => method === 'POST');
  return { code, text, untouched: !arrived && (await place.server.git('demo', 'show-ref')) === before };
};

const refused = (message: RegExp) => ({ code: 1, untouched: true, text: expect.stringMatching(message) });

describe.each(['node', 'workerd'] as const)('what the gateway refuses in %s', (runtime) => {
  let place: Place;

  beforeAll(async () => {
    place = await openPlace(runtime, (host) => ({
      noCredential: { authorization: null },
      wrongCredential: { authorization: 'Basic d3Jvbmc=' },
      moved: { repositoryUrl: `${host}/demo` },
      movedPush: { repositoryUrl: `${host}/demo/` },
      away: { repositoryUrl: `${host}/away/demo.git` },
      gone: { repositoryUrl: `${host}/nothing.git` },
    }));
  });
  afterAll(() => place.close());

  describe('refusing', () => {
    test.each([
      'refs/heads/main',
      'refs/heads/symphony/ABC-2',
      'refs/heads/symphony/ABC-1/x',
      'refs/heads/symphony-rescue/ABC-2/1',
      'refs/heads/symphony-rescue/ABC-1',
      'refs/tags/v1',
      'refs/symphony/ABC-1',
      'refs/heads/Symphony/ABC-1',
    ])('a push to %s is refused with the reason', async (ref) => {
      expect(await tryPush(place, `+HEAD:${ref}`)).toMatchObject(
        refused(/! \[remote rejected\] HEAD -> \S+ \(ref_not_allowed: only symphony\/ABC-1 and/),
      );
    });

    test('a deletion of the task branch is refused with the reason', async () => {
      await place.server.git('demo', 'update-ref', `refs/heads/${BRANCH}`, 'main');
      expect(await tryPush(place, `:${BRANCH}`)).toMatchObject(
        refused(/! \[remote rejected\] symphony\/ABC-1 \(deletion_not_allowed: /),
      );
    });

    test('one refused ref keeps the whole push away', async () => {
      const answer = await tryPush(place, `+HEAD:refs/heads/${RESCUE}2`, '+HEAD:refs/heads/main');
      expect(answer).toMatchObject(refused(/ref_not_allowed/));
      expect(answer.text).toContain('(not_attempted: another ref of this push is refused)');
    });

    test('push options are refused with the reason', async () => {
      await place.server.git('demo', 'config', 'receive.advertisePushOptions', 'true');
      expect(await tryPush(place, '-o', 'ci.skip', `+${BRANCH}`)).toMatchObject(
        refused(/\(push_options_not_allowed: /),
      );
    });

    test('a large push to another ref is refused with the reason', async () => {
      const tree = await place.clone();
      await commit(tree, 3_000_000);
      const { code, text } = await push(place, tree, `+HEAD:refs/heads/main`);
      expect(code).toBe(1);
      expect(text).toContain('(ref_not_allowed: ');
      expect(text).not.toContain('RPC failed');
    });

    test('a push with a grant for cloning is refused with the reason', async () => {
      const tree = await place.clone();
      const { code, text } = await runGit(tree, 'push', place.gateway.address('clone'), BRANCH);
      expect(code).toBe(128);
      expect(text).toContain('remote: This git address is for reading only.');
    });

    test('a grant that is not in force asks for no password', async () => {
      const { code, text } = await runGit('/', 'ls-remote', place.gateway.address('A'.repeat(43)));
      expect(code).toBe(128);
      expect(text).toContain('remote: This git address is not in force');
      expect(text).not.toContain('terminal prompts disabled');
    });

    test('another repository below the grant is not there', async () => {
      const { code, text } = await runGit('/', 'ls-remote', `${place.gateway.address('clone')}/../demo.git`);
      expect(code).toBe(128);
      expect(text).toContain('not found');
    });

    test.each([
      ['noCredential', 'the project has none. Set one and try again.'],
      ['wrongCredential', "refused the project's credential."],
    ])('a host that refuses %s is told apart from a password question', async (name, message) => {
      const { code, text } = await runGit('/', 'ls-remote', place.gateway.address(name));
      expect(code).toBe(128);
      expect(text).toContain(message);
      expect(text).not.toContain('terminal prompts disabled');
    });

    test('a repository that is not there is not found', async () => {
      const { text } = await runGit('/', 'ls-remote', place.gateway.address('gone'));
      expect(text).toMatch(/repository '[^']*' not found/);
    });
  });

  describe('redirects', () => {
    test('a repository that moved on its host is read and pushed to', async () => {
      const tree = await place.clone();
      await git(tree, 'fetch', '--quiet', place.gateway.address('moved'), 'main');
      const sha = await commit(tree);
      expect(await runGit(tree, 'push', place.gateway.address('movedPush'), `+${BRANCH}`)).toMatchObject({
        code: 0,
      });
      expect(await place.server.sha('demo', BRANCH)).toBe(sha);
    });

    test('another host is named and gets no request', async () => {
      place.host.away = place.server.url;
      place.server.requests.length = 0;
      const { code, text } = await runGit('/', 'ls-remote', place.gateway.address('away'));
      expect(code).toBe(128);
      expect(text).toContain(
        `redirects to ${place.server.url}, and the credential is for the first host only`,
      );
      expect(place.server.requests).toEqual([]);
    });
  });

  test('pushes and refusals are audited, grants and credentials are not in it', async () => {
    const events = await place.gateway.audits();
    expect(events).toContainEqual({ kind: 'push', refs: [`refs/heads/${BRANCH}`], reason: null });
    expect(events).toContainEqual({
      kind: 'push-refused',
      refs: ['refs/tags/v1'],
      reason: expect.stringContaining('ref_not_allowed'),
    });
    expect(events).toContainEqual({ kind: 'fetch', refs: [], reason: null });
    const tree = await place.clone();
    await push(place, tree, `HEAD:refs/heads/${place.gateway.token('save')}`);
    const text = JSON.stringify(await place.gateway.audits());
    expect(text).toContain('refs/heads/***');
    for (const name of ['save', 'clone']) expect(text).not.toContain(place.gateway.token(name));
    expect(text).not.toContain(CREDENTIAL);
  });
});

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runGit } from '../support/git-client.ts';
import { git, gitEnvironment } from '../support/git-server.ts';
import { BRANCH, CREDENTIAL, type Place, RESCUE, commit, openPlace, push } from './git-gateway-place.ts';

describe.each(['node', 'workerd'] as const)('git through the gateway in %s', (runtime) => {
  let place: Place;

  beforeAll(async () => {
    place = await openPlace(runtime, (host) => ({ sha256: { repositoryUrl: `${host}/sha256.git` } }));
  });
  afterAll(() => place.close());

  describe('reading', () => {
    test.each([0, 1, 2])('a clone in protocol version %d has the repository’s history', async (version) => {
      const tree = await place.clone('-c', `protocol.version=${version}`);
      expect(await git(tree, 'rev-parse', 'HEAD')).toBe(await place.server.sha('demo', 'main'));
      expect(await git(tree, 'fsck')).toBe('');
    });

    test('the host gets the credential and the protocol, and nothing else of the client', async () => {
      place.host.requests.length = 0;
      const header = 'http.extraHeader=Cookie: evil=1';
      const user = 'http.extraHeader=Authorization: Basic Zm9vOmJhcg==';
      await runGit('/', '-c', header, '-c', user, 'ls-remote', place.gateway.address('clone'));
      expect(place.host.requests.length).toBeGreaterThan(0);
      for (const { headers, url } of place.host.requests) {
        expect(headers.authorization).toBe(CREDENTIAL);
        expect(headers.cookie).toBeUndefined();
        expect(headers['git-protocol']).toBe('version=2');
        expect(headers.host).toBe(new URL(place.host.url).host);
        expect(url).toMatch(/^\/demo\.git\//);
        expect(JSON.stringify(headers)).not.toContain(place.gateway.token('clone'));
      }
    });

    test('no cookie and no challenge of the host reaches the client', async () => {
      const url = `${place.gateway.address('clone')}/info/refs?service=git-upload-pack`;
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(answer.headers.get('cache-control')).toBe('no-store');
      await answer.text();
    });

    test('a shallow clone has one commit and deepens to all of them', async () => {
      await place.server.commit('demo', 'main', { 'a.txt': 'a' });
      const tree = await place.clone('--depth=1');
      expect(await git(tree, 'rev-list', '--count', 'HEAD')).toBe('1');
      await git(tree, 'fetch', '--quiet', '--unshallow');
      expect(Number(await git(tree, 'rev-list', '--count', 'HEAD'))).toBeGreaterThan(1);
    });

    test('a fetch brings what was pushed meanwhile', async () => {
      const tree = await place.clone();
      const sha = await place.server.commit('demo', 'other', { 'b.txt': 'b' });
      await git(tree, 'fetch', '--quiet', 'origin', 'other');
      expect(await git(tree, 'rev-parse', 'FETCH_HEAD')).toBe(sha);
    });

    test('a request that git compresses arrives compressed and is answered', async () => {
      const tree = await place.clone();
      for (let at = 0; at < 25; at += 1)
        await git(tree, 'commit', '--quiet', '--allow-empty', '--message', String(at));
      const shas = (await git(tree, 'rev-list', '-25', 'HEAD')).split('\n');
      const refspecs = shas.map((sha, at) => `${sha}:refs/heads/many-${at}`);
      await git(tree, 'push', '--quiet', place.server.path('demo'), ...refspecs);
      place.host.requests.length = 0;
      const clone = await place.clone();
      expect(await git(clone, 'rev-parse', 'origin/many-0')).toBe(shas[0]);
      expect(place.host.requests.map(({ headers }) => headers['content-encoding'])).toContain('gzip');
    });

    test('ls-remote works with either grant', async () => {
      for (const name of ['save', 'clone']) {
        const { text } = await runGit('/', 'ls-remote', place.gateway.address(name), 'refs/heads/main');
        expect(text).toBe(`${await place.server.sha('demo', 'main')}\trefs/heads/main\n`);
      }
    });
  });

  describe('pushing', () => {
    test.each([0, 1, 2])('the task branch is created and updated in protocol version %d', async (version) => {
      const tree = await place.clone('-c', `protocol.version=${version}`);
      await git(tree, 'push', '--quiet', place.server.path('demo'), '--delete', BRANCH).catch(() => '');
      for (let round = 0; round < 2; round += 1) {
        const sha = await commit(tree);
        expect(await push(place, tree, BRANCH)).toMatchObject({ code: 0 });
        expect(await place.server.sha('demo', BRANCH)).toBe(sha);
      }
    });

    test('a rewritten branch and two rescue refs go up in one atomic push', async () => {
      const tree = await place.clone();
      await git(tree, 'commit', '--quiet', '--allow-empty', '--message', 'Rewritten');
      const sha = await git(tree, 'rev-parse', 'HEAD');
      const refs = [BRANCH, `${RESCUE}1`, `${RESCUE}1-topic`].map((name) => `+HEAD:refs/heads/${name}`);
      expect(await push(place, tree, '--atomic', ...refs)).toMatchObject({ code: 0 });
      for (const name of [BRANCH, `${RESCUE}1`, `${RESCUE}1-topic`])
        expect(await place.server.sha('demo', name)).toBe(sha);
    });

    test('a shallow clone pushes its commits', async () => {
      const tree = await place.clone('--depth=1');
      const sha = await commit(tree);
      expect(await push(place, tree, `+${BRANCH}`)).toMatchObject({ code: 0 });
      expect(await place.server.sha('demo', BRANCH)).toBe(sha);
    });

    test('a push in chunks is preceded by a probe and arrives whole', async () => {
      const tree = await place.clone();
      const sha = await commit(tree, 1_500_000);
      place.host.requests.length = 0;
      const { code } = await runGit(
        tree,
        '-c',
        'http.postBuffer=65536',
        'push',
        place.gateway.address('save'),
        `+${BRANCH}`,
      );
      expect(code).toBe(0);
      expect(await place.server.sha('demo', BRANCH)).toBe(sha);
      const posts = place.host.requests.filter(({ method }) => method === 'POST');
      expect(posts.map(({ headers }) => headers['content-length'])).toEqual(['4', undefined]);
    });

    test('a compressed push is read, checked and sent on', async () => {
      const tree = await place.clone();
      const sha = await commit(tree, 200_000);
      const pack = execFileSync('git', ['pack-objects', '--stdout', '--revs', '--quiet'], {
        cwd: tree,
        env: gitEnvironment(),
        input: `${sha}\n`,
        maxBuffer: 1 << 24,
      });
      const send = (ref: string) =>
        fetch(`${place.gateway.address('save')}/git-receive-pack`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-git-receive-pack-request', 'content-encoding': 'gzip' },
          body: gzipSync(
            Buffer.concat([
              line(`${'0'.repeat(40)} ${sha} ${ref}\0report-status`),
              Buffer.from('0000'),
              pack,
            ]),
          ),
        }).then((answer) => answer.text());
      expect(await send(`refs/heads/${RESCUE}gzip`)).toContain(`ok refs/heads/${RESCUE}gzip`);
      expect(await place.server.sha('demo', `${RESCUE}gzip`)).toBe(sha);
      expect(await send('refs/heads/main')).toContain('ng refs/heads/main ref_not_allowed');
    });

    test('a repository with sha256 object names is cloned and pushed to', async () => {
      const path = join(place.server.root, 'sha256.git');
      await git('/', 'init', '--quiet', '--bare', '--object-format=sha256', '--initial-branch=main', path);
      await git(path, 'config', 'http.receivepack', 'true');
      const tree = join(await place.folder(), 'tree');
      await git('/', 'init', '--quiet', '--object-format=sha256', `--initial-branch=${BRANCH}`, tree);
      const sha = await commit(tree);
      expect(await runGit(tree, 'push', place.gateway.address('sha256'), BRANCH)).toMatchObject({ code: 0 });
      expect(await runGit(tree, 'push', place.gateway.address('sha256'), `${BRANCH}:main`)).toMatchObject({
        code: 1,
        text: expect.stringContaining('ref_not_allowed'),
      });
      expect(sha).toHaveLength(64);
      const { text } = await runGit('/', 'ls-remote', place.gateway.address('sha256'));
      expect(text).toBe(`${sha}\trefs/heads/${BRANCH}\n`);
    });

    test('what the host’s own hook says is shown', async () => {
      const tree = await place.clone();
      await commit(tree);
      await place.server.refusePushes('demo', 'Not on a Friday.');
      const { code, text } = await push(place, tree, `+${BRANCH}`);
      await place.server.refusePushes('demo', null);
      expect(code).toBe(1);
      expect(text).toContain('remote: Not on a Friday.');
      expect(text).toContain('pre-receive hook declined');
    });
  });
});

const line = (text: string): Buffer =>
  Buffer.from((text.length + 4).toString(16).padStart(4, '0') + text, 'latin1');

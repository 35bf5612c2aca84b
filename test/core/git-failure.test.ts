/** Failures by kind, worded for people, and without a credential. */
import { describe, expect, test } from 'vitest';
import { classifyFailure, classifyPush, maskRemote, type GitAnswer } from '../../src/core/git-failure.ts';

const remote = {
  url: 'https://gateway.example.net/git/Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZg/repo.git',
  origin: 'https://github.com/acme/repo.git',
};
const GRANT = 'Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OWFiY2RlZg';

const answer = (stderr: string, more: Partial<GitAnswer> = {}): GitAnswer => ({
  exitCode: 128,
  stdout: '',
  stderr,
  stopped: null,
  ...more,
});

describe('reasons', () => {
  test.each([
    ["fatal: could not read Username for 'https://x': terminal prompts disabled", 'auth'],
    ["fatal: Authentication failed for 'https://x/'", 'auth'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 403", 'auth'],
    ["fatal: repository 'https://x/' not found", 'not_found'],
    ["fatal: '/srv/x.git' does not appear to be a git repository", 'not_found'],
    ["fatal: repository '/srv/x.git' does not exist", 'not_found'],
    ['fatal: https://x/info/refs not valid: is this a git repository?', 'not_found'],
    ["fatal: couldn't find remote ref refs/heads/x", 'not_found'],
    ["fatal: unable to access 'https://x/': Could not resolve host: x", 'network'],
    ["fatal: unable to access 'https://x/': Failed to connect to x port 443: Connection refused", 'network'],
    ["fatal: unable to access 'https://x/': The requested URL returned error: 502", 'network'],
    ['error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: early EOF', 'network'],
    ["fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate", 'network'],
    ["fatal: unable to access 'https://x/': Failed to connect: Connection timed out", 'timeout'],
    ["fatal: transport 'file' not allowed", 'refused'],
    ['fatal: bad object 1234\nfatal: the remote end hung up unexpectedly', 'other'],
    [
      "fatal: the receiving end does not support this repository's hash algorithm\nfatal: the remote end hung up unexpectedly",
      'other',
    ],
    ['fatal: something nobody has seen before', 'other'],
    ['', 'other'],
  ])('%j is %s', (stderr, reason) => {
    expect(classifyFailure('Fetching', answer(stderr), remote).reason).toBe(reason);
  });

  test('what ended git wins over what it said', () => {
    const text = "fatal: repository 'x' not found";
    expect(classifyFailure('Fetching', answer(text, { stopped: 'timeout' }), remote).reason).toBe('timeout');
    expect(classifyFailure('Fetching', answer(text, { stopped: 'cancelled' }), remote)).toMatchObject({
      reason: 'other',
      detail: expect.stringContaining('cancelled'),
    });
  });

  test("the remote's own words do not decide the reason", () => {
    const text = "remote: repository 'x' not found\nremote: could not read Username\nfatal: early EOF";
    expect(classifyFailure('Fetching', answer(text), remote).reason).toBe('network');
  });
});

describe('words', () => {
  test('the secret URL is replaced by the one that people know', () => {
    const text = `fatal: unable to access '${remote.url}/': Could not resolve host: gateway.example.net`;
    const { detail } = classifyFailure('Fetching the repository', answer(text), remote);
    expect(detail).not.toContain(GRANT);
    expect(detail).toContain(remote.origin);
    expect(detail).toContain('Could not resolve host');
  });

  test.each([
    `https://gateway.example.net/git/${GRANT}/other.git`,
    `path=/git/${GRANT}`,
    `GRANT ${GRANT}.`,
    `https://user:${GRANT}@gateway.example.net/x`,
  ])('the grant in %s is masked', (text) => {
    expect(maskRemote(text, remote)).not.toContain(GRANT);
  });

  test('user and password of any URL are left out', () => {
    const masked = maskRemote("fatal: unable to access 'https://me:secret@example.com/x/'", null);
    expect(masked).toBe("fatal: unable to access 'https://example.com/x/'");
    const own = { url: 'https://me:s3cret@example.com/x', origin: 'https://example.com/x' };
    expect(maskRemote(`cannot reach ${own.url}`, own)).toBe('cannot reach https://example.com/x');
  });

  test('terminal escapes and endless text of a remote do not get through', () => {
    const text = `remote: \u001b[31mred\u001b[0m ${'x'.repeat(10_000)}`;
    const { detail } = classifyFailure('Fetching', answer(text), remote);
    expect(detail).not.toContain('\u001b');
    expect(detail.length).toBeLessThan(2100);
  });
});

const said = (stderr: string, exitCode = 1) => ({ stderr, exitCode, remote });

describe('pushes', () => {
  test("a hook's refusal carries the hook's words", () => {
    const failure = classifyPush(
      'Pushing',
      [
        { branch: 'symphony/X', outcome: 'pushed', summary: '[new branch]' },
        { branch: 'symphony-rescue/X/1', outcome: 'rejected', summary: '[remote rejected] (hook declined)' },
      ],
      said('remote: No ticket number.        \nTo https://x\nerror: failed to push some refs'),
    );
    expect(failure).toEqual({
      reason: 'refused',
      detail:
        'The remote did not take symphony-rescue/X/1: [remote rejected] (hook declined) | remote: No ticket number.',
    });
  });

  test('a push without an answer is what git says it is', () => {
    expect(classifyPush('Pushing', [], said('fatal: early EOF'))).toMatchObject({ reason: 'network' });
    expect(
      classifyPush('Pushing', [{ branch: 'x', outcome: 'pushed', summary: '' }], said('', 0)),
    ).toBeNull();
  });
});

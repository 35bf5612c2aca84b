import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findBranchFault, parseRepositoryUrl } from '../../src/core/repository-url.ts';

const parse = (text: string, allowLocal = false) => parseRepositoryUrl(text, { allowLocal });

function refusal(text: string, allowLocal = false): string {
  const result = parse(text, allowLocal);
  if (result.ok) throw new Error(`accepted ${result.value.url}`);
  expect(result.error.code).toBe('repository_refused');
  return result.error.detail;
}

describe('an http URL is accepted', () => {
  test.each([
    ['https://github.com/acme/demo', 'https://github.com/acme/demo'],
    ['https://github.com/acme/demo.git', 'https://github.com/acme/demo.git'],
    ['http://127.0.0.1:8080/demo.git', 'http://127.0.0.1:8080/demo.git'],
    ['http://localhost:3000/a', 'http://localhost:3000/a'],
    ['http://[::1]:8080/a', 'http://[::1]:8080/a'],
    ['HTTPS://GitHub.COM/Acme/Demo', 'https://github.com/Acme/Demo'],
    ['https://h/a/b/c/', 'https://h/a/b/c/'],
    ['https://h/a@b', 'https://h/a@b'],
    ['https://h/~ann/a..b/...', 'https://h/~ann/a..b/...'],
    ['https://h/a:b', 'https://h/a:b'],
    ['https://h/a%20b', 'https://h/a%20b'],
    ['https://h/日本', 'https://h/日本'],
    ['https://my_host.internal/a', 'https://my_host.internal/a'],
    ['https://h:65535/a', 'https://h:65535/a'],
  ])('%s', (text, url) => {
    expect(parse(text)).toEqual({ ok: true, value: { url, kind: 'http' } });
  });
});

describe('ssh is refused with the https URL', () => {
  test.each([
    ['git@github.com:acme/demo.git', 'use https://github.com/acme/demo.git.'],
    ['github.com:acme/demo', 'use https://github.com/acme/demo.'],
    ['git@host:/srv/a', 'use https://host/srv/a.'],
    ['ssh://git@github.com/acme/demo', 'use https://github.com/acme/demo.'],
    ['ssh://git@github.com:22/acme/demo', 'use https://github.com/acme/demo.'],
    ['SSH://h/a', 'use https://h/a.'],
    ['git+ssh://git@h/a', 'use https://h/a.'],
    ['ssh://ann:secret@h/a', 'use https://h/a.'],
    ['ann:sec/ret@h:a', 'use its https URL.'],
  ])('%s: %s', (text, hint) => {
    expect(refusal(text)).toContain(hint);
    expect(refusal(text)).not.toMatch(/sec/);
  });
});

describe('credentials in a URL are refused, not repeated, and the way to set them is named', () => {
  test.each([
    'https://ann:secret@h/a',
    'https://secret@h/a',
    'https://ann:se%40cret@h/a',
    'https://:secret@h/a',
    'https://ann:secret@evil@h/a',
  ])('%s', (text) => {
    expect(refusal(text)).toContain('PUT /v1/projects/{project}/credential');
    expect(refusal(text)).not.toContain('cret');
  });

  test.each([
    'https://ann:sec/ret@h/a',
    'https://h/a?token=secret',
    'https://h/a#secret',
    '-ann:secret@h',
    'ann:secret@h/a\n',
    'ftp://ann:secret@h/a',
  ])('other refusals do not repeat them either: %j', (text) => {
    expect(refusal(text)).not.toMatch(/secret|sec\/ret/);
  });
});

describe('refused with the reason:', () => {
  test.each([
    ['', 'empty'],
    ['-u', 'dash'],
    ['--upload-pack=touch /tmp/x', 'dash'],
    ['ext::sh -c touch% /tmp/x', 'white space'],
    ['ext::sh', 'transport helper'],
    ['fd::17', 'transport helper'],
    ['https::https://h/a', 'transport helper'],
    ['::a', 'transport helper'],
    ['git://h/a', 'uses git'],
    ['ftp://h/a', 'uses ftp'],
    ['C:\\repo', 'uses C'],
    ['https:h/a', 'form https://host/path'],
    ['https:/h/a', 'form https://host/path'],
    ['https:', 'form https://host/path'],
    ['https://', 'valid host'],
    ['https:///a', 'valid host'],
    ['https://h', 'no repository'],
    ['https://h/', 'no repository'],
    ['https://h//', 'no repository'],
    ['https://h?a', 'query'],
    ['https://h/a?b=c', 'query'],
    ['https://h/a#b', 'fragment'],
    ['https://good.com#@evil.com/a', 'fragment'],
    ['https://good.com\\@evil.com/a', 'backslash'],
    ['https://h/a\\b', 'backslash'],
    ['https://h:0/a', 'host and port'],
    ['https://h:65536/a', 'host and port'],
    ['https://h:/a', 'host and port'],
    ['https://h:x/a', 'host and port'],
    ['https://h:1:2/a', 'host and port'],
    ['https://-h/a', 'host and port'],
    ['https://h%2fx/a', 'host and port'],
    ['https://$(id)/a', 'host and port'],
    ['https://[::1/a', 'host and port'],
    ['https://h/../a', '. or ..'],
    ['https://h/a/./b', '. or ..'],
    ['https://h/a/..', '. or ..'],
    ['https://h/a/%2e%2E/b', '. or ..'],
    ['https://h/a/.%2e/b', '. or ..'],
    ['https://h/a%0ab', 'encoded control'],
    ['https://h/a%00', 'encoded control'],
    ['https://h/a%2f..%2fb', 'slash'],
    ['https://h/a b', 'white space'],
    [' https://h/a', 'white space'],
    ['https://h/a\u00a0', 'white space'],
    ['https://h/a\n', 'control character'],
    ['https://h/a\0', 'control character'],
    ['https://h/\ud800', 'Unicode'],
    [`https://h/${'a'.repeat(2048)}`, '2048 characters'],
    ['github.com/acme/demo', 'has no scheme'],
    ['./demo', 'has no scheme'],
    ['../demo', 'has no scheme'],
    ['~/demo', 'has no scheme'],
    ['demo', 'has no scheme'],
  ])('%j: %s', (text, reason) => {
    expect(refusal(text)).toContain(reason);
    expect(refusal(text, true)).toContain(reason);
  });
});

describe('a repository on a local disk', () => {
  test.each([
    '/srv/demo.git',
    '/srv/a:b',
    '/srv/My Projects/demo',
    'file:///srv/demo.git',
    'FILE:///srv/demo',
  ])('%s is accepted only where it is allowed', (text) => {
    expect(parse(text, true)).toEqual({ ok: true, value: { url: text, kind: 'local' } });
    expect(refusal(text)).toContain('local disk');
  });

  test.each(['file:a', 'file:/a', 'file://host/a', 'file:'])(
    '%s is refused, for it is not absolute to git',
    (text) => {
      expect(refusal(text, true)).toContain('not absolute');
    },
  );

  test.each(['/a\n', '/a\0b', '/a '])('%j is refused', (text) => {
    expect(parse(text, true).ok).toBe(false);
  });
});

test('any text gets an answer, and an accepted one is plain https or http', () => {
  const pieces = 'https http : / // @ h . .. ? # %2e \\ [ ] :: - git ssh file 8'.split(' ');
  const texts = fc.array(fc.constantFrom(' ', ...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
  const accepted = fc.sample(texts, 20_000).flatMap((text) => {
    const result = parse(text);
    return result.ok ? [result.value.url] : [];
  });
  const plain = /^https?:\/\/[^/@?#\\\s]+\/[^?#\\\s]*$/;
  expect(accepted.filter((url) => !plain.test(url))).toEqual([]);
});

describe('a branch name', () => {
  test.each([
    'main',
    'feature/x',
    'a.b',
    'a@b',
    'release-1.0',
    'x/-y',
    '日本',
    'a.lock.b',
    'refs/heads/x',
    'a{b',
    'head',
    '@a',
  ])('%s is accepted', (name) => {
    expect(findBranchFault(name)).toBeNull();
  });

  test.each([
    '',
    '@',
    'HEAD',
    '-x',
    '.a',
    'a/.b',
    'a.',
    'a.lock',
    'a.lock/b',
    'a..b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
  ])('%j is refused', (name) => {
    expect(findBranchFault(name)).toEqual(expect.any(String));
  });

  test.each(['/a', 'a/', 'a//b', 'a@{1}', 'a\n', 'a\0', 'a\u007f', '\ud800', 'a'.repeat(256)])(
    '%j is refused',
    (name) => {
      expect(findBranchFault(name)).toEqual(expect.any(String));
    },
  );

  test('is judged as git judges it', () => {
    const piece = fc.constantFrom(' ', ...'a . .. / @ { - .lock HEAD ~ \\ [ 日 refs/'.split(' '));
    const names = fc
      .sample(fc.array(piece, { minLength: 1, maxLength: 5 }), 300)
      .map((pieces) => pieces.join(''));
    expect(names.filter((name) => findBranchFault(name) === null)).toEqual(
      acceptedByGit(names).filter((name) => name !== '@'),
    );
  });
});

function acceptedByGit(names: string[]): string[] {
  const script =
    'while IFS= read -r b; do git check-ref-format --branch "$b" >/dev/null 2>&1 && echo "$b"; done';
  const { stdout } = spawnSync('bash', ['-c', script], { input: `${names.join('\n')}\n`, encoding: 'utf8' });
  return stdout.split('\n').slice(0, -1);
}

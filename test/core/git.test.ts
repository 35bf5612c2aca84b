/** What git is asked: legal names, clean environments, and no option that could run a program. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allowedProtocols,
  cleanConfig,
  cleanEnvironment,
  isBranchName,
  isRefName,
  isSha,
  lackingInput,
  newCommitsArgs,
  pushArgs,
  transportOf,
  workspaceConfig,
} from '../../src/core/git.ts';

const RUNS = process.env['TEST_LONG'] ? 2000 : 100;
const SHA = 'a'.repeat(40);

const gitAccepts = (ref: string): boolean => {
  try {
    execFileSync('git', ['check-ref-format', ref], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

describe('names', () => {
  test.each([
    'symphony/ABC-1',
    'symphony/日本語',
    'symphony/🙂--c14cddc033f64b9d',
    'feat/é',
    'a.b',
    'a@b',
    'x'.repeat(200),
  ])('%s is a branch', (name) => {
    expect(isBranchName(name)).toBe(true);
    expect(gitAccepts(`refs/heads/${name}`)).toBe(true);
  });

  test.each([
    '',
    '-x',
    'a b',
    'a..b',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a/',
    '/a',
    'a//b',
    'a.',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    'a@{1}',
    'a\nb',
    'a\u007f',
    '../../../etc/passwd',
  ])('%j is no branch', (name) => {
    expect(isBranchName(name)).toBe(false);
  });

  test('every name that we accept git accepts too', () => {
    const part = fc.string({
      unit: fc.constantFrom('a', 'b', '.', '/', '-', '@', '{', 'lock', '.lock', ' ', 'é', '~', '\\', ':'),
    });
    fc.assert(
      fc.property(part, (name) => {
        fc.pre(isRefName(`refs/heads/${name}`));
        expect(gitAccepts(`refs/heads/${name}`)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  test('an object name has 40 or 64 hex digits', () => {
    expect(['a'.repeat(40), '0'.repeat(64)].every(isSha)).toBe(true);
    expect(['', 'a'.repeat(39), 'A'.repeat(40), 'g'.repeat(40), `${SHA}\n`, `-${SHA}`].some(isSha)).toBe(
      false,
    );
  });
});

describe('transports', () => {
  test.each([
    ['https://example.com/r.git', 'http'],
    ['HTTP://example.com/r', 'http'],
    ['/srv/r.git', 'local'],
    ['file:///srv/r.git', 'local'],
    ['ssh://git@example.com/r', null],
    ['git@example.com:r', null],
    ['ext::sh -c true', null],
    ['git://example.com/r', null],
    ['--upload-pack=evil', null],
    ['relative/path', null],
  ])('%s is %s', (url, transport) => {
    expect(transportOf(url)).toBe(transport);
  });

  test('files of this machine may be read only for a repository on this machine', () => {
    expect(allowedProtocols('https://example.com/r')).toBe('http:https');
    expect(allowedProtocols('/srv/r.git')).toBe('file:http:https');
    expect(allowedProtocols(null)).toBe('http:https');
  });
});

describe('commands', () => {
  test('each ref is pushed with the lease that was planned for it; null expects absence', () => {
    const args = pushArgs('https://example.com/r', [
      { branch: 'symphony/A', sha: SHA, expected: 'b'.repeat(40) },
      { branch: 'symphony-rescue/A/1', sha: SHA, expected: null },
    ]);
    expect(args).toContain(`--force-with-lease=refs/heads/symphony/A:${'b'.repeat(40)}`);
    expect(args).toContain('--force-with-lease=refs/heads/symphony-rescue/A/1:');
    expect(args.slice(args.indexOf('--') + 1)).toEqual([
      'https://example.com/r',
      `${SHA}:refs/heads/symphony/A`,
      `${SHA}:refs/heads/symphony-rescue/A/1`,
    ]);
    expect(args).not.toContain('--force');
    expect(args).toContain('--no-verify');
  });

  test('known commits are left out; without any the whole history counts', () => {
    expect(newCommitsArgs(SHA, [])).not.toContain('--not');
    expect(newCommitsArgs(SHA, ['b'.repeat(40)]).slice(-4)).toEqual([SHA, '--not', 'b'.repeat(40), '--']);
    expect(lackingInput(['b'.repeat(40)])).toBe(`^${'b'.repeat(40)}\n`);
  });

  test('the environment names no configuration, prompt or program of anybody', () => {
    const environment = cleanEnvironment('/state/no-home');
    expect(environment).toMatchObject({
      HOME: '/state/no-home',
      XDG_CONFIG_HOME: '/state/no-home',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      LC_ALL: 'C',
    });
  });
});

const read = (text: string, ...args: string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'git-config-'));
  try {
    writeFileSync(join(folder, 'config'), text);
    return execFileSync('git', ['config', '--file', join(folder, 'config'), ...args], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
};

describe('configuration', () => {
  test.each(['sha1', 'sha256'] as const)(
    'our own repository of format %s is bare, without hooks and fsmonitor',
    (format) => {
      const list = read(cleanConfig(format), '--list').split('\n');
      expect(list).toEqual(
        expect.arrayContaining([
          'core.bare=true',
          'core.hookspath=/dev/null',
          'core.fsmonitor=false',
          'gc.auto=0',
        ]),
      );
      expect(list.includes('extensions.objectformat=sha256')).toBe(format === 'sha256');
    },
  );

  test('any name and address come back as they were given', () => {
    const printable = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/\p{Cc}/u.test(text));
    const tricky = fc.constantFrom(
      'a"b',
      'a\\b',
      'a;b',
      '#x',
      ' spaces ',
      'a\tb',
      'a\nb',
      '$(touch /tmp/x)',
      '[section]',
      '"',
    );
    fc.assert(
      fc.property(fc.oneof(printable, tricky), (name) => {
        const text = workspaceConfig({ name, email: name }, null);
        expect(read(text, '--null', '--get', 'user.name')).toBe(`${name}\0`);
        expect(read(text, '--null', '--get', 'user.email')).toBe(`${name}\0`);
      }),
      { numRuns: Math.min(RUNS, 100) },
    );
  });

  test('a name cannot bring in a second setting', () => {
    const text = workspaceConfig(
      { name: 'x"\n[core]\n\tfsmonitor = evil\u0000\r', email: 'e' },
      'https://example.com/r',
    );
    expect(read(text, '--name-only', '--list').trim().split('\n')).toEqual([
      'user.name',
      'user.email',
      'remote.origin.url',
      'remote.origin.fetch',
    ]);
  });
});

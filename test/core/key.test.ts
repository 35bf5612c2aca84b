import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  branchName,
  projectIdPattern,
  rescueBranchPrefix,
  sandboxId,
  workspaceKey,
} from '../../src/core/key.ts';
import golden from './golden-keys.json' with { type: 'json' };

const IDENTIFIERS = process.env['TEST_LONG'] ? 100_000 : 10_000;
const KEY = /^[A-Za-z0-9._-]{1,118}$/;

function keyOf(identifier: string): string {
  const key = workspaceKey(identifier);
  if (!key.ok) throw new Error(`${JSON.stringify(identifier)}: ${key.error.detail}`);
  return key.value;
}

const label = (text: string): string =>
  text.length > 40 ? `${JSON.stringify(text.slice(0, 4))} and ${text.length - 4} more` : JSON.stringify(text);

const labelled = (rows: [string, string][]): [string, string, string][] =>
  rows.map(([text, other]) => [label(text), text, other]);

describe('a key', () => {
  test.each(
    labelled([
      ['ABC-1', 'ABC-1'],
      ['abc-1', 'abc-1'],
      ['api', 'api'],
      ['-x', '-x'],
      ['v1.2', 'v1.2'],
      ['a'.repeat(100), 'a'.repeat(100)],
      ['foo.locked', 'foo.locked'],
      ['foo.LOCK', 'foo.LOCK'],
      ['a--0123456789ABCDEF', 'a--0123456789ABCDEF'],
      ['a-0123456789abcdef', 'a-0123456789abcdef'],
    ]),
  )('stays as it is: %s', (_, identifier, key) => {
    expect(keyOf(identifier)).toBe(key);
  });

  test.each(
    labelled([
      ['a/b', 'a_b--c14cddc033f64b9d'],
      ['a/b/c', 'a_b_c--'],
      ['feat/login page', 'feat_login_page--'],
      ['v1..v2', 'v1__v2--'],
      ['a...b', 'a___b--'],
      ['foo.lock', 'foo_lock--'],
      ['foo.lock.lock', 'foo.lock_lock--'],
      ['.lock', '_lock--'],
      ['a.lock.', 'a.lock_--'],
      ['a..lock', 'a__lock--'],
      ['.env', '_env--'],
      ['release.', 'release_--'],
      ['.', '_--'],
      ['..', '__--'],
      ['@', '_--'],
      ['日本語', '___--'],
      ['🙂', '_--'],
      [' ', '_--'],
      ['a_b--c14cddc033f64b9d', 'a_b--c14cddc033f64b9d--'],
      ['--0123456789abcdef', '--0123456789abcdef--'],
      ['a'.repeat(300), `${'a'.repeat(100)}--`],
      ['a'.repeat(101), `${'a'.repeat(100)}--`],
      [`${'a'.repeat(99)}.b`, `${'a'.repeat(99)}_--`],
      [`${'a'.repeat(95)}.lockb`, `${'a'.repeat(95)}_lock--`],
      [`${'a'.repeat(94)}.lock.b`, `${'a'.repeat(94)}.lock_--`],
      [`${'a'.repeat(100)}.lock`, `${'a'.repeat(100)}--`],
      ['e\u0301', 'e_--'],
      ['\u2028', '_--'],
    ]),
  )('changes to a safe text and a hash: %s', (_, identifier, start) => {
    const key = keyOf(identifier);
    expect(key.startsWith(start)).toBe(true);
    expect(key).toMatch(/--[0-9a-f]{16}$/);
    expect(key.length).toBe(start.endsWith('--') ? start.length + 16 : start.length);
  });

  test.each(
    labelled([
      ['', 'empty'],
      ['a'.repeat(1025), '1025 characters'],
      ['🙂'.repeat(1025), '1025 characters'],
      ['a\ud800b', 'surrogate'],
      ['\udc00', 'surrogate'],
      ['a\u0000b', 'U+0000'],
      ['a\nb', 'U+000A'],
      ['a\u007f', 'U+007F'],
      ['a\u0085', 'U+0085'],
      ['a\u009f', 'U+009F'],
    ]),
  )('is refused with a detail that says why: %s', (_, identifier, reason) => {
    const key = workspaceKey(identifier);
    expect(key).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(key.ok ? '' : key.error.detail).toContain(reason);
  });

  test('exists for 1024 code points outside the basic plane', () => {
    expect(keyOf('🙂'.repeat(1024))).toMatch(KEY);
  });

  test('belongs to one identifier only', () => {
    const identifierOf = new Map<string, string>();
    const claim = (identifier: string): string => {
      const key = keyOf(identifier);
      expect(key).toMatch(KEY);
      const owner = identifierOf.get(key);
      if (owner !== undefined && owner !== identifier)
        throw new Error(`${owner} and ${identifier} share ${key}`);
      identifierOf.set(key, identifier);
      return key;
    };
    fc.assert(
      fc.property(identifiers, (identifier) => {
        for (const twin of lookAlikes(identifier)) claim(claim(twin));
      }),
      { numRuns: IDENTIFIERS / 10 },
    );
    expect(identifierOf.size).toBeGreaterThan(IDENTIFIERS);
  }, 300_000);
});

describe('the golden file', () => {
  test('holds at least 60 keys, and each is unchanged', () => {
    expect(golden.length).toBeGreaterThanOrEqual(60);
    expect(golden.map(({ identifier }) => ({ identifier, key: keyOf(identifier) }))).toEqual(golden);
  });

  test('holds only keys whose branch and rescue branch git accepts', () => {
    const keys = golden.map(({ key }) => key);
    const branches = keys.flatMap((key) => [branchName(key), `${rescueBranchPrefix(key)}/1`]);
    expect(refusedByGit(branches)).toBe('');
  });
});

test('git accepts the branch of every generated key', () => {
  const branches = fc.sample(identifiers, 100).flatMap(lookAlikes).map(keyOf).map(branchName);
  expect(refusedByGit(branches.slice(0, 400))).toBe('');
}, 120_000);

test('a branch is the key below symphony, a rescue branch stays outside of it', () => {
  expect(branchName('ABC-1')).toBe('symphony/ABC-1');
  expect(rescueBranchPrefix('ABC-1')).toBe('symphony-rescue/ABC-1');
});

test('a sandbox id has 43 lower-case characters and differs between projects', () => {
  expect(sandboxId('demo', 'ABC-1')).toBe('ws-35d56c54f2bda4262ca4c1e83051f5797ac268b2');
  expect(sandboxId('demo', 'ABC-1')).toMatch(/^ws-[0-9a-f]{40}$/);
  expect(sandboxId('demo', 'ABC-1')).not.toBe(sandboxId('other', 'ABC-1'));
});

test.each([
  ['demo', true],
  ['a', true],
  ['a'.repeat(63), true],
  ['a'.repeat(64), false],
  ['', false],
  ['-a', false],
  ['a-', false],
  ['Demo', false],
  ['a_b', false],
  ['a\n', false],
])('as a project id %j is accepted: %s', (id, accepted) => {
  expect(projectIdPattern.test(id)).toBe(accepted);
});

const PIECES =
  '. .. .lock _ - -- / @ @{ ~ ^ : ? * [ \\ a A é e\u0301 ſ K \u212a 日 🙂 👩\u200d💻 \u200b \u202e HEAD con 0123456789abcdef --0123456789abcdef %2F';

const pieces = fc.constantFrom(' ', ...PIECES.split(' '));

const identifiers = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
    fc.array(pieces, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
    fc
      .tuple(fc.nat(110), fc.array(pieces, { minLength: 1, maxLength: 4 }))
      .map(([n, parts]) => 'x'.repeat(n) + parts.join('')),
    fc.tuple(fc.constantFrom('ABC', 'abc', 'FEAT'), fc.nat(9999)).map(([team, n]) => `${team}-${n}`),
  )
  .filter((text) => workspaceKey(text).ok);

const lookAlikes = (text: string): string[] =>
  [
    text,
    text.toLowerCase(),
    text.toUpperCase(),
    text.normalize('NFC'),
    text.normalize('NFD'),
    `${text}.`,
    `.${text}`,
  ]
    .concat([
      `${text}.lock`,
      text.replaceAll('.', '_'),
      text.replaceAll(/[^A-Za-z0-9._-]/gu, '_'),
      `${text}/1`,
    ])
    .filter((twin) => workspaceKey(twin).ok);

function refusedByGit(branches: string[]): string {
  const script =
    'while IFS= read -r b; do git check-ref-format --branch "$b" >/dev/null 2>&1 || echo "$b"; done';
  return spawnSync('bash', ['-c', script], { input: `${branches.join('\n')}\n`, encoding: 'utf8' }).stdout;
}

import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromByteText } from '../../../src/core/git-gateway/byte-text.ts';
import { type CommandList, parseCommandList } from '../../../src/core/git-gateway/command-list.ts';
import { refuseAll, refusePush } from '../../../src/core/git-gateway/push-check.ts';
import { ONE, ZERO } from '../../support/push-body.ts';

const ALLOWED = { branch: 'symphony/ABC-1', rescuePrefix: 'symphony-rescue/ABC-1/' };

const listOf = (refs: readonly string[], newId = ONE, capabilities = ''): CommandList => {
  const lines = refs.map((ref, at) => `${ZERO} ${newId} ${ref}${at === 0 ? `\0${capabilities}` : ''}`);
  const list = parseCommandList(lines.map(fromByteText));
  if (!list.ok) throw new Error(list.error);
  return list.value;
};

const codes = (list: CommandList, allowed = ALLOWED): string[] =>
  refusePush(list, allowed).map(({ reason }) => reason.split(':', 1)[0] ?? '');

test.each([
  'refs/heads/symphony/ABC-1',
  'refs/heads/symphony-rescue/ABC-1/1',
  'refs/heads/symphony-rescue/ABC-1/2-topic-3',
  'refs/heads/symphony-rescue/ABC-1/2/deep',
])('%s may be pushed', (ref) => {
  expect(codes(listOf([ref]))).toEqual([]);
});

test.each([
  ['refs/heads/main', 'ref_not_allowed'],
  ['refs/heads/symphony/ABC-10', 'ref_not_allowed'],
  ['refs/heads/symphony/ABC-1/', 'ref_name_not_legal'],
  ['refs/heads/symphony/ABC-1/x', 'ref_not_allowed'],
  ['refs/heads/symphony/abc-1', 'ref_not_allowed'],
  ['refs/heads/symphony-rescue/ABC-1', 'ref_not_allowed'],
  ['refs/heads/symphony-rescue/ABC-1/', 'ref_name_not_legal'],
  ['refs/heads/symphony-rescue/ABC-2/1', 'ref_not_allowed'],
  ['refs/heads/symphony-rescue/ABC-1/../../main', 'ref_name_not_legal'],
  ['refs/heads/symphony-rescue/ABC-1/a..b', 'ref_name_not_legal'],
  ['refs/heads/symphony-rescue/ABC-1/.a', 'ref_name_not_legal'],
  ['refs/heads/symphony-rescue/ABC-1/a.lock', 'ref_name_not_legal'],
  ['refs/heads/symphony-rescue/ABC-1/a//b', 'ref_name_not_legal'],
  ['refs/heads/symphony-rescue/ABC-1/a@{1}', 'ref_name_not_legal'],
  ['refs/heads/symphony-rescue/ABC-1/a~1', 'ref_name_not_legal'],
  ['refs/heads/symphony-rescue/ABC-1/\u00c3\u00a4', 'ref_name_not_legal'],
  ['refs/heads/symphony-rescue/ABC-1/\u00ff', 'ref_name_not_legal'],
  ['symphony/ABC-1', 'ref_name_not_legal'],
  ['refs/tags/symphony/ABC-1', 'ref_not_allowed'],
  ['refs/heads/refs/heads/symphony/ABC-1', 'ref_not_allowed'],
  ['HEAD', 'ref_name_not_legal'],
  ['refs/replace/x', 'ref_not_allowed'],
  ['refs/heads', 'ref_not_allowed'],
])('%s may not be pushed: %s', (ref, code) => {
  expect(codes(listOf([ref]))).toEqual([code]);
});

describe('a push is refused as a whole', () => {
  const branch = 'refs/heads/symphony/ABC-1';

  test('when one of its refs is', () => {
    expect(codes(listOf([branch, 'refs/heads/main']))).toEqual(['not_attempted', 'ref_not_allowed']);
  });

  test('when it deletes', () => {
    expect(codes(listOf([branch], ZERO))).toEqual(['deletion_not_allowed']);
  });

  test('when it names a ref twice, which is reported once', () => {
    const list = listOf([branch, branch, 'refs/heads/symphony-rescue/ABC-1/1']);
    expect(refusePush(list, ALLOWED).map(({ ref }) => ref)).toEqual([
      branch,
      'refs/heads/symphony-rescue/ABC-1/1',
    ]);
    expect(codes(list)).toEqual(['duplicate_ref', 'not_attempted']);
  });

  test('when it has options', () => {
    expect(codes(listOf([branch], ONE, ' push-options'))).toEqual(['push_options_not_allowed']);
  });

  test('when it is too large, with the same reason for every ref', () => {
    expect(
      refuseAll(listOf([branch, 'refs/heads/main']), 'pack_too_large').map(({ reason }) => reason),
    ).toEqual(['pack_too_large', 'pack_too_large']);
  });
});

test.each([
  { branch: '', rescuePrefix: '' },
  { branch: '', rescuePrefix: '/' },
  { branch: '', rescuePrefix: 'symphony-rescue/ABC-1' },
])('allowed refs of %j allow nothing', (allowed) => {
  for (const ref of [
    'refs/heads/x',
    'refs/heads/symphony-rescue/ABC-1/1',
    'refs/heads/symphony-rescue/ABC-10',
  ])
    expect(codes(listOf([ref]), allowed)).toEqual(['ref_not_allowed']);
});

test('whatever the name, only the branch and names below the prefix pass', () => {
  const part = constantFrom(
    'refs',
    'heads',
    'symphony',
    'symphony-rescue',
    'ABC-1',
    '1',
    '..',
    '.',
    '',
    'main',
    'x.lock',
  );
  const isTrue = () =>
    assert(
      property(array(part, { minLength: 1, maxLength: 7 }), (parts) => {
        const ref = `refs/${parts.join('/')}`;
        const isAccepted = refusePush(listOf([ref]), ALLOWED).length === 0;
        return !isAccepted || /^refs\/heads\/(?:symphony\/ABC-1$|symphony-rescue\/ABC-1\/.)/.test(ref);
      }),
      { numRuns: 2000 },
    );
  expect(isTrue).not.toThrow();
});

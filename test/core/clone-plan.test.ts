/** Where a task's branch starts, for each shape of a remote. */
import { describe, expect, test } from 'vitest';
import { planClone } from '../../src/core/clone-plan.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const BRANCH = 'symphony/X';
const remote = (refs: Record<string, string>, headRef: string | null = 'refs/heads/main') => ({
  refs: new Map(Object.entries(refs)),
  headRef,
});
const plan = (from: ReturnType<typeof remote>, baseBranch: string | null = null) =>
  planClone(from, { branch: BRANCH, baseBranch });
const main = { HEAD: A, 'refs/heads/main': A };

describe('the start', () => {
  test.each([
    ["the remote's HEAD", remote(main), null, A],
    ['the base branch that is named', remote({ ...main, 'refs/heads/dev': B }), 'dev', B],
    ['the task branch that is there', remote({ ...main, [`refs/heads/${BRANCH}`]: B }), null, B],
    ['the task branch, the base being gone', remote({ ...main, [`refs/heads/${BRANCH}`]: B }), 'gone', B],
    ['a detached HEAD', remote({ HEAD: B, 'refs/heads/main': A }, null), null, B],
    ['the only branch, HEAD naming another', remote({ 'refs/heads/main': A }, 'refs/heads/master'), null, A],
    ['nothing: no refs at all', remote({}, null), null, null],
    ['nothing: no refs, though a base is named', remote({}, null), 'main', null],
    [
      "nothing: other tasks' branches only",
      remote({ 'refs/heads/symphony/Y': A, 'refs/heads/symphony-rescue/Y/1': A }, null),
      null,
      null,
    ],
  ])('is %s', (_title, from, baseBranch, start) => {
    expect(plan(from, baseBranch)).toMatchObject({ ok: true, value: { start } });
  });

  test.each([
    ['a base branch that does not exist', remote(main), 'nope', '"nope"'],
    [
      'several branches and a HEAD that names none',
      remote({ 'refs/heads/a': A, 'refs/heads/b': B }, null),
      null,
      'HEAD',
    ],
  ])('is not found: %s', (_title, from, baseBranch, word) => {
    expect(plan(from, baseBranch)).toMatchObject({
      ok: false,
      error: { reason: 'not_found', detail: expect.stringContaining(word) },
    });
  });
});

test('a shallow clone fetches the base and the task branch only', () => {
  const from = remote({ ...main, [`refs/heads/${BRANCH}`]: B, 'refs/heads/other': B });
  expect(plan(from)).toMatchObject({
    value: {
      refspecs: [
        '+refs/heads/main:refs/remotes/origin/main',
        `+refs/heads/${BRANCH}:refs/remotes/origin/${BRANCH}`,
      ],
    },
  });
});

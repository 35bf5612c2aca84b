/** Section 7's table as a pure function, and what holds for every workspace whatever it looks like. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBranchName } from '../../src/core/git.ts';
import { nameRescueRef } from '../../src/core/rescue-name.ts';
import {
  concludeSave,
  MAX_RESCUES,
  planSave,
  type Relation,
  type SaveView,
} from '../../src/core/save-plan.ts';

const RUNS = process.env['TEST_LONG'] ? 100_000 : 5000;
const sha = (letter: string) => letter.repeat(40);
const [BASE, SAVED, HEAD, THEIRS, SIDE] = ['0', '1', '2', '3', '4'].map(sha) as [
  string,
  string,
  string,
  string,
  string,
];
const BRANCH = 'symphony/X';
const RESCUE = 'symphony-rescue/X/7';

const view = (more: Partial<SaveView> = {}): SaveView => ({
  branch: BRANCH,
  rescue: RESCUE,
  base: BASE,
  lastSaved: SAVED,
  head: { sha: HEAD, branch: BRANCH },
  task: HEAD,
  taskIsNew: true,
  relation: 'ahead',
  others: [],
  remote: new Map([[BRANCH, SAVED]]),
  lacking: new Set(),
  ...more,
});

const at = (task: string | null, more: Partial<SaveView> = {}) =>
  view({ task, head: { sha: task, branch: BRANCH }, ...more });

/** A remote that takes every push. */
const conclude = (from: SaveView, { stashes = 0, refuse = false } = {}) => {
  const plan = planSave(from);
  const pushed = refuse ? [] : plan.pushes.map((push) => [push.branch, push.sha] as const);
  const remote = new Map([...from.remote, ...pushed]);
  return concludeSave(from, plan, { remote, stashes, failure: null });
};

describe('rows of the table', () => {
  const absent = new Map<string, string>();
  const rows: [string, SaveView, string, Partial<ReturnType<typeof conclude>>][] = [
    ['new commits on what was saved', view(), 'saved', { sha: HEAD, remoteSha: HEAD }],
    ['nothing new', at(SAVED, { relation: 'same', taskIsNew: false }), 'saved', { sha: SAVED }],
    ['what was saved, rewritten by us', view({ relation: 'rewritten' }), 'saved', { sha: HEAD }],
    ['what was saved, reset by us', view({ relation: 'behind' }), 'saved', { sha: HEAD }],
    [
      "somebody's commits on top of ours",
      view({ relation: 'behind', remote: new Map([[BRANCH, THEIRS]]) }),
      'saved',
      { sha: HEAD, remoteSha: THEIRS },
    ],
    [
      "somebody's commits that we merged",
      view({ relation: 'ahead', remote: new Map([[BRANCH, THEIRS]]) }),
      'saved',
      { remoteSha: HEAD },
    ],
    [
      'deleted there, nothing new',
      at(SAVED, { relation: 'none', taskIsNew: false, remote: absent }),
      'saved',
      { sha: SAVED, remoteSha: null },
    ],
    [
      'deleted there, new commits',
      view({ relation: 'none', remote: absent }),
      'saved',
      { sha: HEAD, remoteSha: HEAD },
    ],
    [
      'never saved, at the base',
      at(BASE, { relation: 'none', taskIsNew: false, lastSaved: null, remote: absent }),
      'nothing_to_save',
      { sha: null },
    ],
    [
      'never saved, before the base',
      at(SIDE, { relation: 'none', taskIsNew: false, lastSaved: null, remote: absent }),
      'nothing_to_save',
      { sha: null },
    ],
    [
      'unborn',
      at(null, { relation: 'none', taskIsNew: false, base: null, lastSaved: null, remote: absent }),
      'nothing_to_save',
      { sha: null },
    ],
    [
      'first commit of an empty repository',
      view({ relation: 'none', base: null, lastSaved: null, remote: absent }),
      'saved',
      { sha: HEAD },
    ],
    [
      "somebody's commits beside ours",
      view({ relation: 'foreign', remote: new Map([[BRANCH, THEIRS]]), lacking: new Set([HEAD]) }),
      'diverged',
      { sha: null, remoteSha: THEIRS, rescues: [{ ref: RESCUE, sha: HEAD }] },
    ],
    [
      'detached',
      view({
        head: { sha: SIDE, branch: null },
        others: [{ name: null, sha: SIDE }],
        lacking: new Set([SIDE]),
      }),
      'head_elsewhere',
      { sha: HEAD, rescues: [{ ref: RESCUE, sha: SIDE }] },
    ],
    [
      'another branch',
      view({
        head: { sha: SIDE, branch: 'feat/x' },
        others: [{ name: 'feat/x', sha: SIDE }],
        lacking: new Set([SIDE]),
      }),
      'head_elsewhere',
      { rescues: [{ ref: `${RESCUE}-feat_x`, sha: SIDE }] },
    ],
    [
      'a second branch',
      view({ others: [{ name: 'side', sha: SIDE }], lacking: new Set([SIDE]) }),
      'saved',
      { rescues: [{ ref: `${RESCUE}-side`, sha: SIDE }] },
    ],
  ];

  test.each(rows)('%s', (_title, from, status, rest) => {
    expect(conclude(from)).toMatchObject({ status, failure: null, ...rest });
  });

  test('a stash is unsaved, with the reason', () => {
    expect(conclude(view(), { stashes: 2 })).toMatchObject({
      status: 'unsaved',
      sha: HEAD,
      failure: { detail: expect.stringContaining('2 stash entries') },
    });
  });

  test('a remote that does not answer with what was pushed is a failure', () => {
    expect(conclude(view(), { refuse: true })).toMatchObject({
      status: 'failed',
      sha: SAVED,
      remoteSha: SAVED,
    });
  });
});

describe('leases', () => {
  test('the task branch expects what the remote just answered', () => {
    expect(planSave(view()).pushes).toEqual([{ branch: BRANCH, sha: HEAD, expected: SAVED }]);
    expect(planSave(view({ relation: 'none', remote: new Map() })).pushes).toEqual([
      { branch: BRANCH, sha: HEAD, expected: null },
    ]);
  });

  test.each(['behind', 'rewritten', 'foreign'] as const)(
    'a remote commit that we did not save is not replaced (%s)',
    (relation) => {
      const { pushes } = planSave(
        view({ relation, remote: new Map([[BRANCH, THEIRS]]), lacking: new Set([HEAD]) }),
      );
      expect(pushes.filter((push) => push.branch === BRANCH)).toEqual([]);
    },
  );

  test('not even when it is said to be saved last, if it was never here', () => {
    const { pushes } = planSave(
      view({ relation: 'foreign', lastSaved: THEIRS, remote: new Map([[BRANCH, THEIRS]]) }),
    );
    expect(pushes).toEqual([]);
  });
});

describe('rescue refs', () => {
  test('what an earlier attempt rescued is named again, not pushed again', () => {
    const remote = new Map([
      [BRANCH, THEIRS],
      ['symphony-rescue/X/3', HEAD],
    ]);
    const from = view({ relation: 'foreign', remote });
    expect(planSave(from)).toMatchObject({
      pushes: [],
      rescues: [{ ref: 'symphony-rescue/X/3', sha: HEAD }],
    });
  });

  test('a ref of the same name that holds something else is kept; ours gets a number', () => {
    const remote = new Map([
      [BRANCH, THEIRS],
      [RESCUE, SIDE],
    ]);
    const from = view({ relation: 'foreign', remote, lacking: new Set([HEAD]) });
    expect(planSave(from).pushes).toEqual([{ branch: `${RESCUE}-2`, sha: HEAD, expected: null }]);
  });

  test('a detached HEAD and a diverged task branch have a ref each', () => {
    const from = view({
      relation: 'foreign',
      head: { sha: SIDE, branch: null },
      others: [{ name: null, sha: SIDE }],
      remote: new Map([[BRANCH, THEIRS]]),
      lacking: new Set([HEAD, SIDE]),
    });
    expect(planSave(from).rescues).toEqual([
      { ref: `${RESCUE}-symphony_X`, sha: HEAD },
      { ref: RESCUE, sha: SIDE },
    ]);
  });

  test('two branches at one commit need one ref', () => {
    const others = [
      { name: 'a', sha: SIDE },
      { name: 'b', sha: SIDE },
    ];
    expect(planSave(view({ others, lacking: new Set([SIDE]) })).rescues).toEqual([
      { ref: `${RESCUE}-a`, sha: SIDE },
    ]);
  });

  test('more branches than a result can name leave the workspace unsaved', () => {
    const others = Array.from({ length: MAX_RESCUES + 3 }, (_, at_) => ({
      name: `b${at_}`,
      sha: at_.toString(16).padStart(40, 'f'),
    }));
    const from = view({ others, lacking: new Set(others.map((tip) => tip.sha)) });
    expect(conclude(from)).toMatchObject({
      status: 'unsaved',
      failure: { detail: expect.stringMatching(/^3 more/) },
    });
  });

  test('any branch name becomes one legal, free component', () => {
    const units = fc.constantFrom(
      'a',
      'B',
      '/',
      '.',
      '..',
      '.lock',
      '-',
      '_',
      ' ',
      'é',
      '🙂',
      '@{',
      '~',
      '\u0000',
      '\n',
    );
    const names = fc.array(fc.option(fc.string({ unit: units, maxLength: 40 })), { maxLength: 12 });
    fc.assert(
      fc.property(names, (list) => {
        const taken: string[] = [];
        for (const name of list) {
          const ref = nameRescueRef(RESCUE, name, taken);
          expect(isBranchName(ref)).toBe(true);
          expect(ref.startsWith(RESCUE)).toBe(true);
          expect(ref.split('/')).toHaveLength(3);
          taken.push(ref);
        }
        expect(new Set(taken.map((ref) => ref.toLowerCase())).size).toBe(taken.length);
      }),
      { numRuns: Math.min(RUNS, 5000) },
    );
  });
});

describe('whatever a workspace looks like', () => {
  const anySha = fc.constantFrom(BASE, SAVED, HEAD, THEIRS, SIDE);
  const maybe = fc.option(anySha);
  const views = fc
    .record({
      base: maybe,
      lastSaved: maybe,
      task: maybe,
      onTask: fc.boolean(),
      taskIsNew: fc.boolean(),
      relation: fc.constantFrom<Relation>('ahead', 'behind', 'rewritten', 'foreign'),
      others: fc.array(fc.record({ name: fc.option(fc.constantFrom('a', 'A', 'a/b', 'a_b')), sha: anySha }), {
        maxLength: 5,
      }),
      remote: fc.dictionary(fc.constantFrom(BRANCH, 'main', RESCUE, `${RESCUE}-a`), anySha),
    })
    .map(({ onTask, ...shape }): SaveView => {
      const remote = new Map(Object.entries(shape.remote));
      const there = remote.get(BRANCH);
      const tips = [shape.task, ...shape.others.map((tip) => tip.sha)].filter((tip) => tip !== null);
      const isPair = shape.task !== null && there !== undefined;
      return {
        ...shape,
        branch: BRANCH,
        rescue: RESCUE,
        remote,
        relation: !isPair ? 'none' : shape.task === there ? 'same' : shape.relation,
        head: onTask
          ? { sha: shape.task, branch: BRANCH }
          : { sha: shape.others[0]?.sha ?? null, branch: shape.others[0]?.name ?? null },
        lacking: new Set(tips.filter((tip) => ![...remote.values()].includes(tip))),
      };
    });
  const check = (property: (from: SaveView) => void) =>
    fc.assert(fc.property(views, property), { numRuns: RUNS });

  test('every push expects exactly what the remote has, and creates or moves one ref once', () => {
    check((from) => {
      const { pushes } = planSave(from);
      for (const push of pushes) expect(push.expected).toBe(from.remote.get(push.branch) ?? null);
      expect(new Set(pushes.map((push) => push.branch)).size).toBe(pushes.length);
    });
  });

  test('the task branch moves only over what it contains, what we saved, or nothing', () => {
    check((from) => {
      const push = planSave(from).pushes.find((one) => one.branch === BRANCH);
      if (push === undefined || push.expected === null) return;
      expect(
        from.relation === 'ahead' || (push.expected === from.lastSaved && from.relation !== 'foreign'),
      ).toBe(true);
    });
  });

  test('rescue refs are only ever created', () => {
    check((from) => {
      const rescues = planSave(from).pushes.filter((push) => push.branch !== BRANCH);
      expect(rescues.map((push) => push.expected)).toEqual(rescues.map(() => null));
    });
  });

  test('a removable status means that each of our commits is on the remote, or was and is known to be', () => {
    check((from) => {
      const plan = planSave(from);
      const outcome = conclude(from);
      if (outcome.status === 'failed' || outcome.status === 'unsaved') return;
      const there = new Set([...from.remote.values(), ...plan.pushes.map((push) => push.sha)]);
      for (const { sha: tip } of from.others) expect(there.has(tip) || !from.lacking.has(tip)).toBe(true);
      const contained = ['behind', 'same'].includes(from.relation) || !from.taskIsNew;
      expect(from.task === null || there.has(from.task) || contained).toBe(true);
    });
  });

  test('a refused push is never called saved', () => {
    check((from) => {
      const isRefused = planSave(from).pushes.length > 0;
      expect(conclude(from, { refuse: true }).status === 'failed').toBe(isRefused);
    });
  });
});

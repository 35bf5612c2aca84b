/** Git's answers as git writes them, and as nobody should. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  parseLooseRef,
  parsePackedRefs,
  parsePush,
  parseReflog,
  parseRemoteRefs,
  StatusCounter,
} from '../../src/core/git-output.ts';
import { parseBundleHeader, parseSnapshotState } from '../../src/core/snapshot-state.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

describe('ls-remote', () => {
  test('branches, HEAD and what HEAD names', () => {
    const text = `ref: refs/heads/main\tHEAD\n${A}\tHEAD\n${A}\trefs/heads/main\n${B}\trefs/heads/symphony/日本\n`;
    const { refs, headRef } = parseRemoteRefs(text);
    expect(headRef).toBe('refs/heads/main');
    expect([...refs]).toEqual([
      ['HEAD', A],
      ['refs/heads/main', A],
      ['refs/heads/symphony/日本', B],
    ]);
  });

  test('an empty repository has none', () => {
    expect(parseRemoteRefs('')).toEqual({ refs: new Map(), headRef: null });
  });

  test('lines that are no refs are passed over', () => {
    const text = `warning: hello\nnothex\trefs/heads/x\n${A}\trefs/heads/../../etc\n${A} refs/heads/space\n`;
    expect(parseRemoteRefs(text).refs.size).toBe(0);
  });
});

describe('refs on disk', () => {
  test('packed refs without header and peeled lines', () => {
    const text = `# pack-refs with: peeled fully-peeled sorted \n${A} refs/heads/main\n${B} refs/tags/v1\n^${A}\nnonsense\n`;
    expect(parsePackedRefs(text)).toEqual([
      { name: 'refs/heads/main', sha: A },
      { name: 'refs/tags/v1', sha: B },
    ]);
  });

  test('a name that ends with a blank of Unicode is not the one without it', () => {
    const names = ['refs/heads/main', 'refs/heads/main\u00a0', 'refs/heads/main\u3000'];
    const text = names.map((name) => `${A} ${name}\n`).join('');
    expect(parsePackedRefs(text).map(({ name }) => name)).toEqual(names);
    for (const ref of names) expect(parseLooseRef(`ref: ${ref}\n`)).toEqual({ ref });
  });

  test.each([
    [`${A}\n`, { sha: A }],
    ['ref: refs/heads/symphony/ABC-1\n', { ref: 'refs/heads/symphony/ABC-1' }],
    ['ref:refs/heads/x', { ref: 'refs/heads/x' }],
    ['', null],
    ['ref: ../../../etc/passwd', null],
    ['ref: refs/heads/../../x', null],
    [A.slice(1), null],
    ['root:x:0:0', null],
  ])('%j is %j', (text, expected) => {
    expect(parseLooseRef(text)).toEqual(expected);
  });

  test('a reflog, oldest first, with messages that hold anything', () => {
    const line = (sha: string, message: string) => `${B} ${sha} N N <n@x> 1700000000 +0000\t${message}\n`;
    expect(parseReflog(line(A, 'WIP on x: 1') + line(B, 'On x:\twith a tab') + 'broken\n')).toEqual([
      { sha: A, message: 'WIP on x: 1' },
      { sha: B, message: 'On x:\twith a tab' },
    ]);
  });
});

describe('status', () => {
  const tracked = (path: string) => `1 .M N... 100644 100644 100644 ${A} ${A} ${path}\0`;
  const unmerged = (path: string) => `u UU N... 100644 100644 100644 100644 ${A} ${A} ${A} ${path}\0`;
  const text = `# branch.oid ${A}\0${tracked('a b.txt')}${unmerged('c.txt')}? new ü.txt\0? - x\0`;

  test('changed, unmerged and untracked files are counted', () => {
    const counter = new StatusCounter(100);
    counter.add(text);
    expect(counter.counted).toEqual({
      modified: 2,
      untracked: 2,
      files: ['a b.txt', 'c.txt', 'new ü.txt', '- x'],
    });
  });

  test('cut at any place the count is the same', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 5 }), (cuts) => {
        const counter = new StatusCounter(100);
        let from = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), text.length]) {
          counter.add(text.slice(from, cut));
          from = cut;
        }
        expect(counter.counted).toMatchObject({ modified: 2, untracked: 2 });
      }),
    );
  });

  test('all are counted, the first hundred are named', () => {
    const counter = new StatusCounter(100);
    for (let file = 0; file < 1000; file += 1) counter.add(`? ${file}\0`);
    expect(counter.counted.untracked).toBe(1000);
    expect(counter.counted.files).toHaveLength(100);
  });

  test('text that is no status counts nothing and throws nothing', () => {
    fc.assert(
      fc.property(fc.string(), (nonsense) => {
        const counter = new StatusCounter(10);
        counter.add(`x${nonsense.replaceAll('\0', '')}\0`);
        expect(counter.counted).toEqual({ modified: 0, untracked: 0, files: [] });
      }),
    );
  });
});

describe('push', () => {
  test.each([
    ['*', '[new branch]', 'pushed'],
    [' ', 'aaaa..bbbb', 'pushed'],
    ['+', 'aaaa...bbbb (forced update)', 'pushed'],
    ['=', '[up to date]', 'pushed'],
    ['!', '[rejected] (stale info)', 'stale'],
    ['!', '[remote rejected] (cannot lock ref)', 'stale'],
    ['!', '[remote rejected] (incorrect old value provided)', 'stale'],
    ['!', '[remote rejected] (pre-receive hook declined)', 'rejected'],
    ['!', '[remote failure] (remote failed to report status)', 'rejected'],
  ])('%s %s is %s', (flag, summary, outcome) => {
    const text = `To https://example.com/r\n${flag}\t${A}:refs/heads/symphony/X\t${summary}\nDone\n`;
    expect(parsePush(text)).toEqual([{ branch: 'symphony/X', outcome, summary }]);
  });
});

describe('bundles', () => {
  test('prerequisites and refs of a header', () => {
    const text = `# v3 git bundle\n@object-format=sha1\n-${A} subject line\n${B} refs/snapshot/files\n\nPACK`;
    expect(parseBundleHeader(text)).toEqual({
      prerequisites: [A],
      refs: new Map([['refs/snapshot/files', B]]),
    });
  });

  test.each(['', 'PACK', '# v2 git bundle', '# v9 git bundle\n\n'])('%j is no header', (text) => {
    expect(parseBundleHeader(text)).toBeNull();
  });

  test.each(['', 'null', '{}', '[]', '{"version":2}', '{"version":1,"head":"x"}'])(
    '%j is no state of a snapshot',
    (text) => {
      expect(parseSnapshotState(text)).toBeNull();
    },
  );
});

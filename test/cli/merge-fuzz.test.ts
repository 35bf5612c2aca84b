import * as fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { expect, test } from 'vitest';
import { mergeHooks } from '../../src/cli/merge-hooks.ts';
import type { Merged, MergeRequest } from '../../src/cli/merge-hooks.ts';
import { mergeNotify } from '../../src/cli/merge-notify.ts';
import { printNotify } from '../../src/core/projection/codex.ts';
import type { NativeHooks } from '../../src/core/projection/native.ts';

const isLong = process.env['TEST_LONG'] === '1';
const numRuns = isLong ? 20_000 : 200;
const timeout = isLong ? 900_000 : 30_000;

/** Blanks and comments as people put them between the parts of a JSON file. */
const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', ' /* c, ] } */ ', ' // c, ] }\n', '\n// c\n  ');

const separated = (parts: fc.Arbitrary<string>, open: string, close: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(fc.tuple(gap, parts, gap), { maxLength: 3 }), gap)
    .map(([items, end]) => open + items.map((item) => item.join('')).join(',') + end + close);

const group = fc.constantFrom(
  '{"hooks":[{"type":"command","command":"theirs"}]}',
  '{ "matcher": "A, B ]",\n "hooks": [] }',
  '{"hooks":[{"type":"command","command":"same"}]}',
  '{}',
);

const property = (key: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(gap, value).map(([blank, text]) => `"${key}"${blank}:${blank}${text}`);

/** A subset of properties, each once. */
const object = (properties: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.subarray(properties.map((_, place) => place)),
      fc.tuple(...properties),
      fc.array(gap, { minLength: 9, maxLength: 9 }),
    )
    .map(([chosen, texts, gaps]) => {
      const members = chosen.map((place, number) => `${gaps[number]}${texts[place]}${gaps[number + 3]}`);
      return `{${members.join(',')}${gaps[8]}}`;
    });

const groups = separated(group, '[', ']');
const hooks = object([property('Stop', groups), property('PreToolUse', groups), property('Odd', groups)]);
const settings = fc
  .tuple(
    gap,
    object([
      property('model', fc.constant('"opus"')),
      property('hooks', hooks),
      property('env', fc.constant('{"A": "// no"}')),
    ]),
    gap,
  )
  .map((parts) => parts.join(''));

const entry = (command: string): NativeHooks[string][number] => ({ hooks: [{ type: 'command', command }] });
const wanted: fc.Arbitrary<NativeHooks> = fc.dictionary(
  fc.constantFrom('Stop', 'PreToolUse', 'SessionStart'),
  fc.array(fc.constantFrom('a', 'b', 'same', 'c // d').map(entry), { minLength: 1, maxLength: 3 }),
);

const merge = (text: string, desired: NativeHooks, before?: Merged): Merged => {
  const request: MergeRequest = {
    path: 'x',
    text,
    desired,
    wantsVersion: false,
    owned: before?.entries ?? [],
    madeKeys: before?.madeKeys ?? [],
    transform: (json) => json,
  };
  const merged = mergeHooks(request);
  if (!merged.ok) throw new Error(merged.error.message);
  return merged.value;
};

type Hooks = Record<string, unknown[]>;

const hooksOf = (text: string): Hooks => (parseJsonc(text) as { hooks?: Hooks }).hooks ?? {};

/** Their entries first, then ours, event by event; identical ones of theirs stand for ours. */
const expectedHooks = (theirs: Hooks, desired: NativeHooks): Hooks => {
  const result: Hooks = { ...theirs };
  for (const [event, entries] of Object.entries(desired)) {
    const known = new Set((theirs[event] ?? []).map((item) => JSON.stringify(item)));
    const added = entries.filter((item) => !known.has(JSON.stringify(item)));
    if (added.length > 0) result[event] = [...(theirs[event] ?? []), ...added];
  }
  return result;
};

const comments = (of: string): number => of.split('// c').length + of.split('/* c').length;

test(
  'in any layout, merging adds ours behind theirs, changing replaces ours, retracting leaves theirs',
  { timeout },
  () => {
    fc.assert(
      fc.property(settings, wanted, wanted, (text, first, second) => {
        const theirs = hooksOf(text);
        const one = merge(text, first);
        expect(hooksOf(one.text)).toEqual(expectedHooks(theirs, first));
        expect(merge(one.text, first, one).text).toBe(one.text);
        const two = merge(one.text, second, one);
        expect(hooksOf(two.text)).toEqual(expectedHooks(theirs, second));
        const none = merge(two.text, {}, two);
        expect(parseJsonc(none.text)).toEqual(parseJsonc(text));
        expect(comments(none.text.replaceAll('c // d', ''))).toBe(comments(text));
      }),
      { numRuns },
    );
  },
);

const tomlLine = fc.constantFrom(
  'a = 1',
  'b = "x # y"',
  "c = '''\n[no]\nnotify = 2\n'''",
  'd = [ 1, # e\n  2 ]',
  '# comment',
  '',
  'e.notify = "x"',
  'f = { notify = [] } # g',
  'h = """\n\\"""i"""""',
  '"j=" = 1979-05-27T07:32:00Z',
);
const toml = fc
  .tuple(
    fc.uniqueArray(tomlLine, { maxLength: 6 }),
    fc.constantFrom('', '[t]\nnotify = 1', '# about t\n[t]', '[[u]]\nx = 1'),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\n'),
  )
  .map(([lines, table, newline, end]) =>
    ([...lines, ...(table === '' ? [] : [table])].join('\n') + end).replaceAll('\n', newline),
  );

const argv = fc.array(fc.constantFrom('x', '', '"', '\\', 'ü', '# ]', '\n'), { minLength: 1, maxLength: 3 });

const run = (from: string, list: readonly string[] | undefined, owned: Merged['entries']): Merged => {
  const desired = list && { argv: list, line: printNotify(list) };
  const merged = mergeNotify({ path: 'x', text: from, desired, owned });
  if (!merged.ok) throw new Error(`${merged.error.message} in ${from}`);
  return merged.value;
};

test('in any TOML, only the notify line comes, changes and goes', { timeout }, () => {
  fc.assert(
    fc.property(toml, argv, argv, (text, first, second) => {
      const one = run(text, first, []);
      expect(parseToml(one.text)).toEqual({ ...parseToml(text), notify: first });
      const two = run(one.text, second, one.entries);
      expect(parseToml(two.text)).toEqual({ ...parseToml(text), notify: second });
      expect(run(two.text, undefined, two.entries).text).toBe(text);
    }),
    { numRuns },
  );
});

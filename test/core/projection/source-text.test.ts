import { describe, expect, test } from 'vitest';
import { project, validate } from '../../../src/core/projection/project.ts';

const findings = (source: string): { code: string; line?: number; column?: number; message: string }[] =>
  validate([{ id: 'h', source }]).map(({ code, line, column, message }) => ({
    code,
    message,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  }));

describe('source text', () => {
  test.each([
    ['a comment', '{\n  // why\n  "events": {}\n}', 2, 3, 'comment'],
    ['a block comment', '{ /* why */ "events": {} }', 1, 3, 'comment'],
    ['a trailing comma', '{"events": {\n  "stop": [],\n}}', 3, 1, 'trailing comma'],
    ['a duplicate key', '{"events": {\n  "stop": [],\n  "stop": []\n}}', 3, 3, '"stop" is there twice'],
    [
      'a duplicate key in other spelling',
      '{"events": {"stop": [], "st\\u006fp": []}}',
      1,
      25,
      '"stop" is there twice',
    ],
    ['a duplicate __proto__', '{"__proto__": 1, "__proto__": 2}', 1, 18, '"__proto__" is there twice'],
    ['an open string', '{"events": "x', 1, 12, 'not closed'],
    ['a raw line break in a string', '{"a": "x\ny"}', 1, 9, 'line break'],
    ['an unknown escape', String.raw`{"a": "C:\x"}`, 1, 10, 'escape'],
    ['single quotes', "{'a': 1}", 1, 2, 'double quotes'],
    ['a bare placeholder', '{"a": {{X}}}', 1, 8, 'double quotes'],
    ['nothing at all', '', 1, 1, 'ends'],
    ['a missing colon', '{"a" 1}', 1, 6, "':'"],
    ['a missing comma', '[1 2]', 1, 4, "','"],
    ['more after the end', '{} {}', 1, 4, 'end of the text'],
    ['a leading zero', '{"a": 01}', 1, 8, "','"],
    ['NaN', '{"a": NaN}', 1, 7, '"NaN"'],
    ['Windows line ends', '{\r\n  "a": x\r\n}', 2, 8, '"x"'],
  ])('%s is HOOK_JSON_INVALID with line and column', (_, source, line, column, word) => {
    const [finding, ...others] = findings(source);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: 'HOOK_JSON_INVALID', line, column });
    expect(finding?.message).toContain(word);
  });

  test('a byte order mark is accepted and does not shift columns', () => {
    expect(findings('\uFEFF{"events": {}}')).toEqual([]);
    expect(findings('\uFEFF{"events": []}')).toMatchObject([
      { code: 'HOOK_EVENTS_INVALID', line: 1, column: 12 },
    ]);
  });

  test('findings carry the place of the value, or of the key that is wrong', () => {
    const source =
      '{\n  "events": {\n    "stop": [\n      {"type": "command", "command": "x",\n       "timeoutSec": 0,\n       "timout": 1}\n    ],\n    "nope": []\n  }\n}';
    expect(findings(source)).toMatchObject([
      { code: 'HOOK_TIMEOUT_INVALID', line: 5, column: 22 },
      { code: 'HOOK_FIELD_UNKNOWN', line: 6, column: 8 },
      { code: 'HOOK_EVENT_UNKNOWN', line: 8, column: 5 },
    ]);
  });

  test('what a provider refuses carries line and column as well', () => {
    const source = '{"events":\n{"notification": [{"type": "command", "command": "x"}]}}';
    const { diagnostics } = project([{ id: 'h', source }], ['codex']);
    expect(diagnostics).toMatchObject([{ code: 'HOOK_EVENT_UNSUPPORTED', line: 2, column: 19 }]);
  });

  test('pointers escape ~ and /', () => {
    expect(validate([{ id: 'h', source: '{"events": {"a/b~c": []}}' }])).toMatchObject([
      { pointer: '/events/a~1b~0c', line: 1, column: 13 },
    ]);
  });

  test('a hundred thousand open brackets are a finding, not a crash', () => {
    expect(findings('['.repeat(100_000))).toMatchObject([{ code: 'HOOK_JSON_INVALID', column: 100_001 }]);
    const deep = `{"events": {"stop": ${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    expect(findings(deep)).toMatchObject([{ code: 'HOOK_HANDLER_INVALID' }]);
  });
});

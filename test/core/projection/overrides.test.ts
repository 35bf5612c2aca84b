import { describe, expect, test } from 'vitest';
import { project, validate } from '../../../src/core/projection/project.ts';

const document = { mode: 'strict', events: { pre_tool_use: [{ type: 'command', command: 'x' }] } };

const override = (copilot: unknown): ReturnType<typeof validate> =>
  validate([{ id: 'h', document, overrides: { copilot } }]);

describe('an override file', () => {
  test.each([
    ['no YAML', 'version: 1\n\ttargetPath: [\n', 2],
    ['a list', '- version: 1\n', 1],
    ['empty', '', 1],
    ['a comment alone', '# later\n', 1],
    ['without a version', 'targetPath: a.json\n', 1],
    ['of version 2', 'enabled: true\nversion: 2\n', 2],
    ['with the version as a string', 'version: "1"\n', 1],
    ['with an unknown key', 'version: 1\ntargetpath: a.json\n', 2],
    ['with __proto__', 'version: 1\n__proto__:\n  targetPath: a.json\n', 2],
    ['with a key twice', 'version: 1\nversion: 1\n', 2],
    ['with two documents', 'version: 1\n---\nversion: 1\n', 2],
    ['with enabled: "no"', 'version: 1\nenabled: "no"\n', 2],
    ['with a number as target', 'version: 1\ntargetPath: 5\n', 2],
    ['with no target', 'version: 1\ntargetPath:\n', 2],
    ['with an alias as target', 'version: &v 1\ntargetPath: *v\n', 2],
    ['with an absolute target', 'version: 1\ntargetPath: /etc/passwd\n', 2],
    ['with a drive letter', 'version: 1\ntargetPath: C:/x.json\n', 2],
    ['with a target above the repository', 'version: 1\ntargetPath: ../x.json\n', 2],
    ['with a target in the .git of a submodule', 'version: 1\ntargetPath: sub/.git/x.json\n', 2],
    ['with .. inside the target', 'version: 1\ntargetPath: a/../../b.json\n', 2],
    ['with a backslash in the target', 'version: 1\ntargetPath: a\\b.json\n', 2],
    ['with the folder itself as target', 'version: 1\ntargetPath: .\n', 2],
    ['with a folder as target', 'version: 1\ntargetPath: out/\n', 2],
    ['with a blank target', 'version: 1\ntargetPath: " "\n', 2],
    ['with a home folder as target', 'version: 1\ntargetPath: ~/x.json\n', 2],
    ['with a target in .git', 'version: 1\ntargetPath: .git/hooks/pre-commit\n', 2],
    ['with a target in .harness', 'version: 1\ntargetPath: ./.harness/manifest.json\n', 2],
    ['with a control character in the target', 'version: 1\ntargetPath: "a\\u0000b.json"\n', 2],
  ])('%s is HOOK_OVERRIDE_INVALID on its line', (_, text, line) => {
    const found = override(text);
    expect(found.map(({ code }) => code)).toEqual(['HOOK_OVERRIDE_INVALID']);
    expect(found[0]).toMatchObject({
      entityId: 'h',
      provider: 'copilot',
      line,
      column: expect.any(Number) as number,
    });
  });

  test('ten thousand open brackets are a finding, not a crash', () => {
    expect(override(`version: ${'['.repeat(10_000)}`)).toMatchObject([{ code: 'HOOK_OVERRIDE_INVALID' }]);
  });

  test.each([null, 5, true, [], { version: 1, x: 1 }, { version: 1, enabled: 1 }, {}])(
    '%j as content is refused',
    (value) => {
      expect(override(value)).toMatchObject([{ code: 'HOOK_OVERRIDE_INVALID' }]);
    },
  );

  test('JSON, comments, a byte order mark and an explicit enabled are fine', () => {
    for (const text of [
      '{"version": 1}',
      '# a\nversion: 1 # b\nenabled: true\n',
      '\uFEFFversion: 1\n',
      '%YAML 1.2\n---\nversion: 1\n',
    ]) {
      expect(override(text)).toEqual([]);
    }
  });

  test('is checked for providers that are not asked for, too', () => {
    const { ok } = project([{ id: 'h', document, overrides: { copilot: { version: 3 } } }], ['claude']);
    expect(ok).toBe(false);
  });

  test('a target is normalised: ./out//h.json is out/h.json', () => {
    const { files } = project(
      [{ id: 'h', document, overrides: { copilot: { version: 1, targetPath: ' ./out//h.json ' } } }],
      ['copilot'],
    );
    expect(files.map(({ path }) => path)).toEqual(['out/h.json']);
  });

  test('a hook that gives a provider nothing takes no part in a target conflict', () => {
    const done = { mode: 'best_effort', events: { turn_complete: [{ type: 'notify', command: 'x' }] } };
    const { ok, files } = project(
      [
        { id: 'a', document, overrides: { copilot: { version: 1, targetPath: 'one.json' } } },
        { id: 'b', document: done },
      ],
      ['copilot'],
    );
    expect(ok).toBe(true);
    expect(files.map(({ path }) => path)).toEqual(['one.json']);
  });

  test.each([
    ['a', 'a/b.json'],
    ['a/b.json', 'A'],
    ['a/b.json', 'A/B.JSON'],
  ])('%s for one provider and %s for another collide', (first, second) => {
    const overrides = {
      claude: { version: 1, targetPath: first },
      copilot: { version: 1, targetPath: second },
    };
    const { ok, diagnostics } = project([{ id: 'h', document, overrides }], ['claude', 'copilot']);
    expect(ok).toBe(false);
    expect(diagnostics.map(({ code }) => code)).toEqual(['OUTPUT_PATH_COLLISION']);
  });

  test('paths that only begin alike do not collide', () => {
    const overrides = {
      claude: { version: 1, targetPath: 'a' },
      copilot: { version: 1, targetPath: 'ab/c' },
    };
    expect(project([{ id: 'h', document, overrides }], ['claude', 'copilot']).ok).toBe(true);
  });
});

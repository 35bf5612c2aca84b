import { describe, expect, test } from 'vitest';
import { command, notify, ScratchRepository } from './scratch-repository.ts';

const SETTINGS = '.claude/settings.json';
const CURSOR = '.cursor/hooks.json';
const CODEX = '.codex/config.toml';

/** The user's settings, in a style of their own: four blanks, no final newline, hooks of an event we do not know. */
const THEIRS = `{
    "model": "opus",   "permissions": { "allow": ["Bash(ls)"] },
    "hooks": {
        "MessageDisplay": [ { "hooks": [ { "type": "command", "command": "show" } ] } ],
        "PreToolUse": [
            {
                "matcher": "Edit",
                "hooks": [{ "type": "command", "command": "theirs" }]
            }
        ]
    },
    "env": {}
}`;

const apply = async (repository: ScratchRepository): Promise<void> => {
  expect(await repository.run('apply')).toMatchObject({ exitCode: 0 });
};

describe('settings.json that a person owns', () => {
  test('keeps their hooks, unknown events, other settings and layout byte for byte; ours come after theirs', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('pre_tool_use', 'ours', { matcher: 'Edit' }) });
    repository.write(SETTINGS, THEIRS);
    await apply(repository);
    const expected = THEIRS.replace(
      `"theirs" }]
            }`,
      `"theirs" }]
            },
            {
                "matcher": "Edit",
                "hooks": [
                    {
                        "type": "command",
                        "command": "ours"
                    }
                ]
            }`,
    );
    expect(repository.read(SETTINGS)).toBe(expected);
  });

  test('is as it was, byte for byte, when the hook is gone', async () => {
    const repository = new ScratchRepository();
    for (const theirs of [
      THEIRS,
      '{}',
      '{}\n',
      '{"a":1}',
      '{ "a": 1 }\r\n',
      '{\r\n\t"a": 1\r\n}\r\n',
      '{"hooks":{}}',
      '{"hooks": {"Stop": []}}',
      '\uFEFF{\n  "a": 1\n}\n',
    ]) {
      repository.set(['claude'], {
        h: command('stop', 'a'),
        g: {
          mode: 'best_effort',
          events: {
            pre_tool_use: [
              { type: 'command', command: 'b' },
              { type: 'command', command: 'c', matcher: 'X' },
            ],
          },
        },
      });
      repository.write(SETTINGS, theirs);
      await apply(repository);
      expect(repository.read(SETTINGS)).not.toBe(theirs);
      repository.set(['claude'], {});
      await apply(repository);
      expect(repository.read(SETTINGS)).toBe(theirs);
    }
  });

  test('a second apply changes no byte of anything', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude', 'copilot', 'codex', 'cursor'], {
      h: command('pre_tool_use', 'x'),
      n: { ...notify('y'), mode: 'best_effort' },
    });
    repository.write(SETTINGS, THEIRS);
    repository.write(CURSOR, '{"hooks":{}}');
    repository.write(CODEX, '# mine\n[features]\nx = 1\n');
    await apply(repository);
    const before = repository.snapshot();
    const { operations } = await repository.json('apply');
    expect(operations.map(({ action }) => action)).toEqual(['noop', 'noop', 'noop', 'noop']);
    expect(repository.snapshot()).toEqual(before);
  });

  test('an edited command leaves one entry, the new one, in its place', async () => {
    const repository = new ScratchRepository();
    repository.write(
      SETTINGS,
      '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}',
    );
    repository.set(['claude'], { h: command('stop', 'old') });
    await apply(repository);
    repository.set(['claude'], { h: command('stop', 'new') });
    await apply(repository);
    const { hooks } = JSON.parse(repository.read(SETTINGS)) as {
      hooks: { Stop: { hooks: { command: string }[] }[] };
    };
    expect(hooks.Stop.map((group) => group.hooks[0]?.command)).toEqual(['theirs', 'new']);
  });

  test('a deleted source takes its own entries out, never one that merely looks like it', async () => {
    const repository = new ScratchRepository();
    const theirs =
      '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "node h.js --harness h"}]}]}}';
    repository.write(SETTINGS, theirs);
    repository.set(['claude'], { h: command('stop', 'node h.js') });
    await apply(repository);
    repository.remove('.harness/src/hooks/h.json');
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('HOOK_SOURCE_MISSING');
    expect(result.stderr).toContain('or run: harness remove hook h\n');
    expect(repository.read(SETTINGS)).toBe(theirs);
  });

  test('an identical entry of theirs is neither doubled nor taken out later', async () => {
    const repository = new ScratchRepository();
    const theirs = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "same"}]}]}}';
    repository.write(SETTINGS, theirs);
    repository.set(['claude'], { h: command('stop', 'same') });
    await apply(repository);
    expect(repository.read(SETTINGS)).toBe(theirs);
    repository.set(['claude'], {});
    await apply(repository);
    expect(repository.read(SETTINGS)).toBe(theirs);
  });

  test('reformatting the file does not make our entries foreign', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x', { env: { A: '1' }, timeout: 5 }) });
    repository.write(SETTINGS, '{"a": 1}');
    await apply(repository);
    repository.write(SETTINGS, JSON.stringify(JSON.parse(repository.read(SETTINGS)), undefined, '\t'));
    repository.set(['claude'], {});
    await apply(repository);
    expect(JSON.parse(repository.read(SETTINGS))).toEqual({ a: 1 });
  });

  test('no marker of ours is in an entry', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude', 'copilot', 'cursor'], { 'marker-id': command('pre_tool_use', 'x') });
    await apply(repository);
    for (const path of [SETTINGS, CURSOR, '.github/hooks/harness.generated.json'])
      expect(repository.read(path)).not.toMatch(/marker-id|managed/);
  });

  test('a file that we made goes with its last entry, unless somebody wrote into it', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    await apply(repository);
    repository.set(['claude'], {});
    await apply(repository);
    expect(repository.has(SETTINGS)).toBe(false);
    repository.set(['claude'], { h: command('stop', 'x') });
    await apply(repository);
    repository.write(SETTINGS, repository.read(SETTINGS).replace('{', '{\n  "model": "opus",'));
    repository.set(['claude'], {});
    await apply(repository);
    expect(JSON.parse(repository.read(SETTINGS))).toEqual({ model: 'opus' });
  });

  test('comments stay, with a warning that Claude Code ignores such a file', async () => {
    const repository = new ScratchRepository();
    const theirs = `{
  // mine
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "a" }] } // keep
    ] /* end */
  }
}
`;
    repository.write(SETTINGS, theirs);
    repository.set(['claude'], { h: command('stop', 'x'), g: command('session_end', 'y') });
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('TARGET_COMMENTS');
    const merged = repository.read(SETTINGS);
    for (const comment of ['// mine', '// keep', '/* end */']) expect(merged).toContain(comment);
    expect(merged).toContain('"SessionEnd"');
    repository.set(['claude'], {});
    await apply(repository);
    expect(repository.read(SETTINGS)).toBe(theirs);
  });

  test('disableAllHooks is left alone, with a warning', async () => {
    const repository = new ScratchRepository();
    repository.write(SETTINGS, '{"disableAllHooks": true}');
    repository.set(['claude'], { h: command('stop', 'x') });
    expect((await repository.run('apply')).stderr).toContain('TARGET_HOOKS_DISABLED');
    expect(JSON.parse(repository.read(SETTINGS))).toMatchObject({ disableAllHooks: true });
  });

  test.each([
    ['a trailing comma', '{"a": 1,}', 'line 1'],
    ['an array', '[]', 'no JSON object'],
    ['nothing', '', 'line 1'],
    ['an open brace', '{\n  "a": 1', 'line 2'],
    ['hooks as a list', '{"hooks": []}', 'hooks is no object'],
    ['an event as an object', '{"hooks": {"Stop": {}}}', 'hooks.Stop is no list'],
    ['hooks twice', '{"hooks": {}, "hooks": {}}', '"hooks" is there twice'],
    ['too many brackets', '['.repeat(100_000), 'nested too deeply'],
  ])('%s is an error, and the file is untouched', async (_, theirs, part) => {
    const repository = new ScratchRepository();
    repository.set(['claude', 'cursor'], { h: command('stop', 'x') });
    repository.write(SETTINGS, theirs);
    const before = repository.snapshot();
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('TARGET_INVALID');
    expect(result.stderr).toContain(part);
    expect(repository.snapshot()).toEqual(before);
  });

  test('bytes that are no UTF-8 are refused', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    repository.write(SETTINGS, '');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(repository.path(SETTINGS), Buffer.from([0x7b, 0xff, 0x7d]));
    expect((await repository.run('apply')).stderr).toContain('no UTF-8');
  });

  test('a bad entry of theirs that would void the whole file stops the write', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    repository.write(SETTINGS, '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}');
    const before = repository.snapshot();
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('OUTPUT_SCHEMA_INVALID');
    expect(result.stderr).toContain('hooks.PreToolUse[0].hooks[0].command');
    expect(repository.snapshot()).toEqual(before);
  });
});

describe('.cursor/hooks.json that a person owns', () => {
  test('gets the version that Cursor asks for, and loses it with our entries', async () => {
    const repository = new ScratchRepository();
    repository.set(['cursor'], { h: command('stop', 'x') });
    repository.write(CURSOR, '{"hooks": {}}');
    await apply(repository);
    expect(JSON.parse(repository.read(CURSOR))).toEqual({ version: 1, hooks: { stop: [{ command: 'x' }] } });
  });

  test('escapes only our strings against Cursor’s comment stripping', async () => {
    const repository = new ScratchRepository();
    repository.set(['cursor'], { h: command('stop', 'curl https://x/y') });
    repository.write(CURSOR, '{"version": 1, "hooks": {"stop": [{"command": "a/b"}]}}');
    await apply(repository);
    expect(repository.read(CURSOR)).toBe(
      String.raw`{"version": 1, "hooks": {"stop": [{"command": "a/b"}, {"command":"curl https:\/\/x\/y"}]}}`,
    );
    const before = repository.read(CURSOR);
    await apply(repository);
    expect(repository.read(CURSOR)).toBe(before);
  });

  test.each([
    ['{"version": "1", "hooks": {}}', 'version'],
    ['{"version": 1, "hooks": {"onSave": []}}', 'hooks.onSave'],
    ['{"version": 1, "hooks": {"stop": [{"command": "x", "matcher": "("}]}}', 'matcher'],
    ['{"version": 1, "hooks": {"stop": [{"command": ""}]}}', 'command'],
    ['{"version": 1, "hooks": {"stop": [{"command": "x", "timeout": 0}]}}', 'timeout'],
  ])('%s is refused, since Cursor would reject the whole file', async (theirs, part) => {
    const repository = new ScratchRepository();
    repository.set(['cursor'], { h: command('stop', 'y') });
    repository.write(CURSOR, theirs);
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain(part);
    expect(repository.read(CURSOR)).toBe(theirs);
  });

  test('stays untouched while only Claude Code is enabled', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    repository.write(CURSOR, '{"version": 1, "hooks": {"nonsense": 5},}');
    await apply(repository);
    expect(repository.read(CURSOR)).toBe('{"version": 1, "hooks": {"nonsense": 5},}');
  });
});

describe('.codex/config.toml that a person owns', () => {
  const LINE = 'notify = ["a", "b c"]';
  const cases: [string, string, string][] = [
    [
      'comments and odd blanks',
      '# mine\nmodel   =  "o3" # why\n\n[features]\nx = 1\n',
      `# mine\nmodel   =  "o3" # why\n${LINE}\n\n[features]\nx = 1\n`,
    ],
    ['a table alone', '[features]\nx = 1\n', `${LINE}\n\n[features]\nx = 1\n`],
    [
      'comments above a table',
      '# licence\n\n# about features\n[features]\n',
      `# licence\n\n${LINE}\n\n# about features\n[features]\n`,
    ],
    [
      'a schema directive',
      '#:schema https://x/y.json\n[features]\n',
      `#:schema https://x/y.json\n${LINE}\n\n[features]\n`,
    ],
    ['no final newline', 'model = "o3"', `model = "o3"\n${LINE}`],
    ['Windows line ends', 'model = "o3"\r\n[a]\r\n', `model = "o3"\r\n${LINE}\r\n[a]\r\n`],
    ['nothing', '', `${LINE}\n`],
    ['a comment alone', '# mine\n', `# mine\n${LINE}\n`],
    ['a byte order mark', '\uFEFFmodel = "o3"\n', `\uFEFFmodel = "o3"\n${LINE}\n`],
    [
      'lists and strings over many lines',
      'a = [ # one\n  "]", # two\n]\nb = """\n[not a table]\nnotify = 1\n"""\nc = \'\'\'it\'\'\'\'\n[t]\n',
      `a = [ # one\n  "]", # two\n]\nb = """\n[not a table]\nnotify = 1\n"""\nc = '''it''''\n${LINE}\n[t]\n`,
    ],
    ['a notify of a table', '[tui]\nnotify = true\n', `${LINE}\n\n[tui]\nnotify = true\n`],
    ['dotted and quoted keys', 'a.notify = 1\n"x = [" = 2\n', `a.notify = 1\n"x = [" = 2\n${LINE}\n`],
    [
      'an inline table',
      'p = { notify = ["z"], q = "}" } # c\n[a]\n',
      `p = { notify = ["z"], q = "}" } # c\n${LINE}\n[a]\n`,
    ],
  ];

  test.each(cases)(
    'with %s gets one line above the first table, and loses it again',
    async (_, theirs, merged) => {
      const repository = new ScratchRepository();
      repository.set(['codex'], { n: notify('a', 'b c') });
      repository.write(CODEX, theirs);
      await apply(repository);
      expect(repository.read(CODEX)).toBe(merged);
      repository.set(['codex'], { n: notify('other') });
      await apply(repository);
      expect(repository.read(CODEX)).toBe(merged.replace(LINE, 'notify = ["other"]'));
      repository.set(['codex'], {});
      await apply(repository);
      expect(repository.read(CODEX)).toBe(theirs);
    },
  );

  test.each([
    'notify = ["mine"] # keep\n[a]\n',
    'notify = [\n  "mine", # one\n]\n',
    "'notify' = ['mine']\n",
    'notify = 99999999999999999999\n',
    'notify.x = 1\n',
    '[notify]\nx = 1\n',
  ])('a notify of their own is never replaced: %j', async (theirs) => {
    const repository = new ScratchRepository();
    repository.set(['codex', 'claude'], {
      n: { ...notify('a'), mode: 'best_effort' },
      h: command('stop', 'x'),
    });
    repository.write(CODEX, theirs);
    const before = repository.snapshot();
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('OUTPUT_COLLISION_UNMANAGED');
    expect(repository.snapshot()).toEqual(before);
  });

  test('the same notify of their own is fine, and stays when ours goes', async () => {
    const repository = new ScratchRepository();
    const theirs = "notify = [ 'a' ]   # mine\n";
    repository.set(['codex'], { n: notify('a') });
    repository.write(CODEX, theirs);
    await apply(repository);
    repository.set(['codex'], {});
    await apply(repository);
    expect(repository.read(CODEX)).toBe(theirs);
  });

  test('a comment behind our line survives a change of the command', async () => {
    const repository = new ScratchRepository();
    repository.set(['codex'], { n: notify('a') });
    repository.write(CODEX, 'x = 1\n');
    await apply(repository);
    repository.write(CODEX, repository.read(CODEX).replace('"a"]', '"a"] # tuned'));
    repository.set(['codex'], { n: notify('b') });
    await apply(repository);
    expect(repository.read(CODEX)).toBe('x = 1\nnotify = ["b"] # tuned\n');
  });

  test('a file that is no TOML is an error with line and column', async () => {
    const repository = new ScratchRepository();
    repository.set(['codex'], { n: notify('a') });
    repository.write(CODEX, 'a = 1\nb = \n');
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/^\.codex\/config\.toml:2:\d+: error TARGET_INVALID/m);
    expect(repository.read(CODEX)).toBe('a = 1\nb = \n');
  });
});

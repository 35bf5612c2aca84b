import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import type { HookEntity } from '../../../src/core/projection/model.ts';
import { project } from '../../../src/core/projection/project.ts';

const contentOf = (provider: string, events: object, mode = 'strict'): string =>
  project([{ id: 'h', document: { mode, events } }], [provider]).files[0]?.content ?? '';

const withHandler = (id: string, handler: object): HookEntity => ({
  id,
  document: { events: { turn_complete: [handler] } },
});

const withCommands = (id: string, ...commands: string[]): HookEntity => ({
  id,
  document: {
    events: {
      stop: commands.map((command) => ({ type: 'command', command })),
      session_start: [{ type: 'command', command: id }],
    },
  },
});

const withMatchers = (id: string, ...matchers: (string | undefined)[]): HookEntity => ({
  id,
  document: {
    events: {
      pre_tool_use: matchers.map((matcher, place) => ({
        type: 'command',
        command: `${id}${place}`,
        ...(matcher !== undefined && { matcher }),
      })),
    },
  },
});

const full = {
  type: 'command',
  matcher: 'Edit|Write',
  env: { B: '2', A: '1' },
  timeoutSec: 30,
  cwd: 'sub',
  command: 'run',
};

test('Claude Code: two-space indent, keys in the table’s order, one final newline', () => {
  expect(contentOf('claude', { pre_tool_use: [full] })).toBe(`{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [
          {
            "type": "command",
            "command": "run",
            "timeout": 30,
            "cwd": "sub",
            "env": {
              "B": "2",
              "A": "1"
            }
          }
        ]
      }
    ]
  }
}
`);
});

test('Copilot: version first, keys in the table’s order', () => {
  const { matcher: _, ...plain } = full;
  expect(contentOf('copilot', { pre_tool_use: [plain] })).toBe(`{
  "version": 1,
  "hooks": {
    "preToolUse": [
      {
        "type": "command",
        "bash": "run",
        "powershell": "run",
        "cwd": "sub",
        "env": {
          "B": "2",
          "A": "1"
        },
        "timeoutSec": 30
      }
    ]
  }
}
`);
});

test('Cursor: loop_limit and failClosed are passed through', () => {
  const handler = {
    type: 'command',
    failClosed: true,
    loop_limit: null,
    timeout: 0.5,
    command: 'run',
    matcher: 'Shell',
  };
  expect(JSON.parse(contentOf('cursor', { stop: [handler] }))).toEqual({
    version: 1,
    hooks: { stop: [{ command: 'run', matcher: 'Shell', timeout: 0.5, loop_limit: null, failClosed: true }] },
  });
});

test('Codex: the line looks as in the seed', () => {
  const events = { turn_complete: [{ type: 'notify', command: ['python3', 'scripts/on_turn_complete.py'] }] };
  expect(contentOf('codex', events)).toBe('notify = ["python3", "scripts/on_turn_complete.py"]\n');
});

test('Codex: every string comes back byte for byte', () => {
  const argv = [
    'a',
    '',
    '  ',
    '"',
    "'",
    '\\',
    '\n\r\t\b\f',
    '\u0000\u001f\u007f\u0085',
    'ünï😀',
    '# no comment',
    '] = [',
    "'''",
    '"""',
  ];
  const content = contentOf('codex', { turn_complete: [{ type: 'notify', command: argv }] });
  expect(parse(content)['notify']).toEqual(argv);
});

test('Codex: "x" and ["sh", "-lc", "x"] are the same notify', () => {
  const { ok, files } = project(
    [
      withHandler('a', { type: 'notify', command: ' x ' }),
      withHandler('b', { type: 'notify', command: ['sh', '-lc', 'x'] }),
      withHandler('c', { type: 'command', osx: 'x' }),
    ],
    ['codex'],
  );
  expect(ok).toBe(true);
  expect(files[0]?.entityIds).toEqual(['a', 'b', 'c']);
});

test('Codex: different notifies conflict in best_effort, too', () => {
  const document = {
    mode: 'best_effort',
    events: {
      turn_complete: [
        { type: 'notify', command: 'x' },
        { type: 'notify', command: 'y' },
      ],
    },
  };
  expect(project([{ id: 'h', document }], ['codex']).ok).toBe(false);
  expect(project([{ id: 'h', document }], ['claude']).ok).toBe(true);
});

test.each(['curl https://x/y', 'eslint src/**/*.ts', 'a /* b */ c', '\\//', 'x // y'])(
  'Cursor reads %j back, although it strips comments from strings as well',
  (command) => {
    const content = contentOf('cursor', {
      stop: [{ type: 'command', command, matcher: command === '\\//' ? 'a//b' : 'x' }],
    });
    const stripped = content.replaceAll(/\/\/.*$/gm, '').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    expect(stripped).toBe(content);
    expect(JSON.parse(stripped)).toMatchObject({ hooks: { stop: [{ command }] } });
  },
);

test('a / that starts no comment stays as it is', () => {
  expect(contentOf('cursor', { stop: [{ type: 'command', command: 'a/b' }] })).toContain('"a/b"');
});

test('non-ASCII stays unescaped, inner blanks stay, outer ones go', () => {
  expect(contentOf('claude', { stop: [{ type: 'command', command: ' écho  "ü 😀"\t' }] })).toContain(
    '"écho  \\"ü 😀\\""',
  );
});

test('events come in the seed’s order, entities in byte order, handlers in file order', () => {
  const entities = [
    withCommands('a', 'a1', 'a2'),
    withCommands('_', '_1'),
    withCommands('B', 'B1'),
    withCommands('a.b', 'ab'),
  ];
  const forwards = project(entities, ['cursor', 'claude']);
  const backwards = project(entities.toReversed(), ['claude', 'cursor']);
  expect(backwards).toEqual(forwards);
  const cursor = JSON.parse(forwards.files[1]?.content ?? '') as {
    hooks: Record<string, { command: string }[]>;
  };
  expect(Object.keys(cursor.hooks)).toEqual(['sessionStart', 'stop']);
  expect(cursor.hooks['stop']?.map(({ command }) => command)).toEqual(['B1', '_1', 'a1', 'a2', 'ab']);
  expect(forwards.files[1]?.entityIds).toEqual(['B', '_', 'a', 'a.b']);
});

test('Claude Code: handlers with one matcher share a group over all hooks, in first-seen order', () => {
  const { files } = project(
    [withMatchers('b', '*', 'Write'), withMatchers('a', 'Write', undefined, ' ')],
    ['claude'],
  );
  const groups = (
    JSON.parse(files[0]?.content ?? '') as {
      hooks: { PreToolUse: { matcher?: string; hooks: { command: string }[] }[] };
    }
  ).hooks.PreToolUse;
  expect(groups.map(({ matcher, hooks }) => [matcher, hooks.map(({ command }) => command)])).toEqual([
    ['Write', ['a0', 'b1']],
    [undefined, ['a1', 'a2', 'b0']],
  ]);
});

test('empty events and empty lists are valid and give no file', () => {
  for (const events of [{}, { notification: [] }, { pre_tool_use: [], error: [] }]) {
    expect(
      project([{ id: 'h', document: { mode: 'strict', events } }], ['claude', 'copilot', 'codex', 'cursor']),
    ).toEqual({
      ok: true,
      files: [],
      skipped: [],
      diagnostics: [],
    });
  }
});

test('keys such as __proto__ are data: they reach env and touch no prototype', () => {
  const source =
    '{"events": {"stop": [{"type": "command", "command": "x", "env": {"__proto__": "p", "constructor": "c"}}]}}';
  const { files } = project([{ id: 'h', source }], ['claude']);
  expect(files[0]?.content).toContain('"__proto__": "p"');
  expect(({} as Record<string, unknown>)['p']).toBeUndefined();
});

test('the input is not changed', () => {
  const document = { mode: 'best_effort', events: { pre_tool_use: [{ ...full, command: ' run ' }] } };
  const before = structuredClone(document);
  project([{ id: 'h', document }], ['claude', 'copilot', 'codex', 'cursor']);
  expect(document).toEqual(before);
});

test('one warning says that Copilot and Cursor read Claude’s file as well', () => {
  const { diagnostics } = project(
    [{ id: 'h', document: { events: { pre_tool_use: [{ type: 'command', command: 'x' }] } } }],
    ['claude', 'copilot', 'cursor'],
  );
  expect(diagnostics.map(({ code }) => code)).toEqual(['HOOK_READ_TWICE']);
  expect(diagnostics[0]?.message).toContain('GitHub Copilot and Cursor also read');
});

test('strings of millions of characters and escapes are projected', () => {
  for (const part of ['a', '\\"', '/', '\\', 'é']) {
    const command = `x${part.repeat(1_000_000)}// z`;
    const { ok, files } = project(
      [{ id: 'h', document: { events: { stop: [{ type: 'command', command }] } } }],
      ['cursor'],
    );
    expect(ok).toBe(true);
    const written = JSON.parse(files[0]?.content ?? '') as { hooks: { stop: { command: string }[] } };
    expect(written.hooks.stop[0]?.command === command).toBe(true);
  }
});

test('a file of Claude Code under another name is not read twice, and nobody is warned', () => {
  const document = { events: { pre_tool_use: [{ type: 'command', command: 'x' }] } };
  const overrides = { claude: { version: 1, targetPath: 'hooks/claude.json' } };
  expect(project([{ id: 'h', document, overrides }], ['claude', 'copilot']).diagnostics).toEqual([]);
});

test('description is no unknown key, at the top or on a handler', () => {
  const document = {
    $schema: 'x',
    description: 'd',
    events: {
      stop: [{ type: 'command', command: 'x', description: 'd' }],
      turn_complete: [{ type: 'notify', command: 'x', description: 'd' }],
    },
  };
  expect(project([{ id: 'h', document }], []).diagnostics).toEqual([]);
});

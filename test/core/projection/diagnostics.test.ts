import { describe, expect, test } from 'vitest';
import { DIAGNOSTICS } from '../../../src/core/projection/diagnostic-table.ts';
import type { DiagnosticCode } from '../../../src/core/projection/diagnostic-table.ts';
import type { HookEntity } from '../../../src/core/projection/model.ts';
import { project } from '../../../src/core/projection/project.ts';

interface Row {
  code: DiagnosticCode;
  entities: HookEntity[];
  providers: string[];
  /** What the message has to name: entity, event, handler number, what was found, what to do. */
  words: string[];
  pointer?: string;
}

const one = (document: unknown, id = 'guard'): HookEntity[] => [{ id, document }];
const handler = (value: unknown, event = 'pre_tool_use'): HookEntity[] =>
  one({ events: { [event]: [{ type: 'command', command: 'ok' }, value] } });
const notify = (value: object): HookEntity[] =>
  one({ events: { turn_complete: [{ type: 'notify', ...value }] } });
const complete = (id: string, command: string, overrides?: HookEntity['overrides']): HookEntity => ({
  id,
  document: { events: { turn_complete: [{ type: 'notify', command }] } },
  ...(overrides && { overrides }),
});
const tool = (id: string, overrides?: HookEntity['overrides']): HookEntity => ({
  id,
  document: { events: { pre_tool_use: [{ type: 'command', command: 'x' }] } },
  ...(overrides && { overrides }),
});

const HANDLER = ["'guard'", "'pre_tool_use'", '#2'];
const NOTIFY = ["'guard'", "'turn_complete'", '#1'];
const at = (field: string): string => `/events/pre_tool_use/1/${field}`;

const ERRORS: Row[] = [
  {
    code: 'HOOK_JSON_INVALID',
    entities: [{ id: 'guard', source: '{"events": {},}' }],
    providers: ['claude'],
    words: ["'guard'", 'line 1', 'trailing comma', 'Remove'],
  },
  {
    code: 'HOOK_MODE_INVALID',
    entities: one({ mode: 'loose', events: {} }),
    providers: ['claude'],
    words: ["'guard'", '"loose"', '"strict"'],
    pointer: '/mode',
  },
  {
    code: 'HOOK_EVENTS_INVALID',
    entities: one({ events: [] }),
    providers: ['claude'],
    words: ["'guard'", 'an empty array', 'object'],
    pointer: '/events',
  },
  {
    code: 'HOOK_EVENT_UNKNOWN',
    entities: one({ events: { preToolUse: [] } }),
    providers: ['claude'],
    words: ["'guard'", "'preToolUse'", "'pre_tool_use'"],
    pointer: '/events/preToolUse',
  },
  {
    code: 'HOOK_EVENT_INVALID',
    entities: one({ events: { stop: {} } }),
    providers: ['claude'],
    words: ["'guard'", "'stop'", 'an object', 'list'],
    pointer: '/events/stop',
  },
  {
    code: 'HOOK_HANDLER_INVALID',
    entities: handler('x'),
    providers: ['claude'],
    words: [...HANDLER, '"x" (a string)', 'object'],
    pointer: '/events/pre_tool_use/1',
  },
  {
    code: 'HOOK_HANDLER_TYPE_INVALID',
    entities: handler({ type: 'prompt' }),
    providers: ['claude'],
    words: [...HANDLER, '"prompt"', '"command"', '"notify"'],
    pointer: at('type'),
  },
  {
    code: 'HOOK_COMMAND_MISSING',
    entities: handler({ type: 'command', bash: ' ' }),
    providers: ['claude'],
    words: [...HANDLER, 'powershell'],
    pointer: '/events/pre_tool_use/1',
  },
  {
    code: 'HOOK_TIMEOUT_INVALID',
    entities: handler({ type: 'command', command: 'x', timeoutSec: '15' }),
    providers: ['claude'],
    words: [...HANDLER, 'timeoutSec is "15" (a string)', 'seconds'],
    pointer: at('timeoutSec'),
  },
  {
    code: 'HOOK_ENV_INVALID',
    entities: handler({ type: 'command', command: 'x', env: { A: 1 } }),
    providers: ['claude'],
    words: [...HANDLER, 'env.A is 1 (a number)', 'string'],
    pointer: at('env'),
  },
  {
    code: 'HOOK_FIELD_INVALID',
    entities: handler({ type: 'command', command: 'x', matcher: 5 }),
    providers: ['claude'],
    words: [...HANDLER, 'matcher is 5', 'string'],
    pointer: at('matcher'),
  },
  {
    code: 'HOOK_FIELD_INVALID',
    entities: handler({ type: 'command', command: 'x', cwd: null }),
    providers: ['claude'],
    words: [...HANDLER, 'cwd is null', 'string'],
    pointer: at('cwd'),
  },
  {
    code: 'HOOK_FIELD_INVALID',
    entities: handler({ type: 'command', command: 'x', loop_limit: 1.5 }),
    providers: ['claude'],
    words: [...HANDLER, 'loop_limit is 1.5'],
    pointer: at('loop_limit'),
  },
  {
    code: 'HOOK_FIELD_INVALID',
    entities: handler({ type: 'command', command: 'x', failClosed: 'yes' }),
    providers: ['claude'],
    words: [...HANDLER, 'failClosed is "yes"'],
    pointer: at('failClosed'),
  },
  {
    code: 'HOOK_MATCHER_INVALID',
    entities: handler({ type: 'command', command: 'x', matcher: '(' }),
    providers: ['claude'],
    words: [...HANDLER, '"("', 'Correct'],
    pointer: at('matcher'),
  },
  {
    code: 'HOOK_NOTIFY_EVENT_INVALID',
    entities: notify({ command: 'x', event: 'done' }),
    providers: ['codex'],
    words: [...NOTIFY, '"done"', '"agent-turn-complete"'],
    pointer: '/events/turn_complete/0/event',
  },
  {
    code: 'HOOK_NOTIFY_COMMAND_INVALID',
    entities: notify({ command: [] }),
    providers: ['codex'],
    words: [...NOTIFY, 'an empty array', 'string'],
    pointer: '/events/turn_complete/0/command',
  },
  {
    code: 'HOOK_NOTIFY_COMMAND_INVALID',
    entities: notify({ command: ['x', '\ud800'] }),
    providers: ['codex'],
    words: [...NOTIFY, 'surrogate', 'TOML'],
  },
  {
    code: 'HOOK_NOTIFY_MATCHER_UNSUPPORTED',
    entities: notify({ command: 'x', matcher: 'Bash' }),
    providers: ['codex'],
    words: [...NOTIFY, '"Bash"', 'Remove'],
    pointer: '/events/turn_complete/0/matcher',
  },
  {
    code: 'HOOK_EVENT_UNSUPPORTED',
    entities: one({ events: { notification: [{ type: 'command', command: 'x' }] } }),
    providers: ['cursor'],
    words: ["'guard'", "'notification'", '#1', 'Cursor', 'best_effort'],
    pointer: '/events/notification/0',
  },
  {
    code: 'HOOK_NOTIFY_CONFLICT',
    entities: [complete('a', 'x'), complete('b', 'y')],
    providers: ['codex'],
    words: ["'b'", "'turn_complete'", '#1', "'a'", '["sh","-lc","y"]', 'Keep one'],
  },
  {
    code: 'HOOK_TARGET_CONFLICT',
    entities: [tool('a', { claude: { version: 1, targetPath: 'one.json' } }), tool('b')],
    providers: ['claude'],
    words: ["'a'", "'b'", 'one.json', '.claude/settings.json', 'targetPath'],
  },
  {
    code: 'CODEX_CONFIG_TARGET_CONFLICT',
    entities: [complete('a', 'x', { codex: { version: 1, targetPath: 'one.toml' } }), complete('b', 'x')],
    providers: ['codex'],
    words: ["'a'", "'b'", 'one.toml', '.codex/config.toml'],
  },
  {
    code: 'OUTPUT_PATH_COLLISION',
    entities: [tool('a', { copilot: { version: 1, targetPath: '.Cursor/hooks.json' } })],
    providers: ['copilot', 'cursor'],
    words: ["'a'", 'copilot', 'cursor', 'targetPath'],
  },
  {
    code: 'HOOK_OVERRIDE_INVALID',
    entities: [tool('a', { claude: { version: 2 } })],
    providers: ['claude'],
    words: ["'a'", 'claude', 'version is 2', 'version: 1'],
    pointer: '/version',
  },
  {
    code: 'HOOK_OVERRIDE_INVALID',
    entities: [tool('a', { copilto: { version: 1 } })],
    providers: ['claude'],
    words: ["'a'", "'copilto'", "'copilot'"],
  },
  {
    code: 'HOOK_ID_INVALID',
    entities: one({ events: {} }, '..'),
    providers: ['claude'],
    words: ['".."', 'letters'],
  },
  {
    code: 'HOOK_ID_DUPLICATE',
    entities: [tool('a'), tool('a')],
    providers: ['claude'],
    words: ["'a'", 'Rename'],
  },
  { code: 'PROVIDER_UNKNOWN', entities: [], providers: ['gemini'], words: ['"gemini"', 'claude'] },
];

const command = (more: object): HookEntity[] => handler({ type: 'command', command: 'x', ...more });

const WARNINGS: Row[] = [
  {
    code: 'HOOK_COMMAND_FIELD_IGNORED',
    entities: command({ bash: 5 }),
    providers: ['claude'],
    words: [...HANDLER, 'bash is 5'],
    pointer: at('bash'),
  },
  {
    code: 'HOOK_TIMEOUT_DIFFERS',
    entities: command({ timeout: 1, timeoutSec: 2 }),
    providers: ['claude'],
    words: [...HANDLER, '1', '2', 'Keep'],
  },
  {
    code: 'HOOK_TIMEOUT_SUSPICIOUS',
    entities: command({ timeoutSec: 30_000 }),
    providers: ['claude'],
    words: [...HANDLER, '30000', 'illiseconds?', '30'],
  },
  {
    code: 'HOOK_FIELD_UNKNOWN',
    entities: command({ timeoutSecs: 3 }),
    providers: ['claude'],
    words: [...HANDLER, "'timeoutSecs'", "'timeoutSec'"],
    pointer: at('timeoutSecs'),
  },
  {
    code: 'HOOK_FIELD_UNKNOWN',
    entities: one({ hooks: {}, events: {} }),
    providers: ['claude'],
    words: ["'guard'", "'hooks'", "'events'"],
    pointer: '/hooks',
  },
  {
    code: 'HOOK_FIELD_UNKNOWN',
    entities: notify({ command: 'x', timeoutSec: 5 }),
    providers: ['claude'],
    words: [...NOTIFY, "'timeoutSec'"],
  },
  {
    code: 'HOOK_POWERSHELL_ONLY',
    entities: handler({ type: 'command', windows: 'x' }),
    providers: ['copilot'],
    words: [...HANDLER, 'Copilot', 'bash'],
  },
  {
    code: 'HOOK_MATCHER_NEVER_MATCHES',
    entities: command({ matcher: 'bash' }),
    providers: ['claude'],
    words: [...HANDLER, "'bash'", "'Bash'"],
  },
  {
    code: 'HOOK_MATCHER_NEVER_MATCHES',
    entities: command({ matcher: 'Bash' }),
    providers: ['cursor'],
    words: [...HANDLER, "'Bash'", "'Shell'"],
  },
  {
    code: 'HOOK_FIELD_IGNORED_BY_PROVIDER',
    entities: command({ cwd: '.' }),
    providers: ['claude'],
    words: [...HANDLER, 'Claude Code', 'cwd', 'cd '],
  },
  {
    code: 'HOOK_FIELD_IGNORED_BY_PROVIDER',
    entities: command({ loop_limit: 3 }),
    providers: ['copilot'],
    words: [...HANDLER, 'GitHub Copilot', 'loop_limit'],
  },
  {
    code: 'HOOK_CURSOR_STDIN',
    entities: command({ command: 'x # note' }),
    providers: ['cursor'],
    words: [...HANDLER, 'script'],
  },
  {
    code: 'HOOK_READ_TWICE',
    entities: command({}),
    providers: ['claude', 'copilot'],
    words: ['GitHub Copilot', '.claude/settings.json', 'pre_tool_use'],
  },
  {
    code: 'HOOK_CODEX_NOTIFY_PROJECT_IGNORED',
    entities: [complete('a', 'x')],
    providers: ['codex'],
    words: ['~/.codex/config.toml', 'notify = ["sh", "-lc", "x"]'],
  },
];

interface Found {
  codes: string[];
  ok: boolean;
  files: number;
  missingWords: string[];
  pointer: string | undefined;
}

const find = ({ entities, providers, words, pointer }: Row, severity: 'error' | 'warning'): Found => {
  const { ok, files, diagnostics } = project(entities, providers);
  const found = diagnostics.filter((finding) => finding.severity === severity);
  const message = found[0]?.message ?? '';
  return {
    codes: found.map(({ code }) => code),
    ok,
    files: severity === 'error' ? files.length : 0,
    missingWords: words.filter((word) => !message.includes(word)),
    pointer: pointer === undefined ? undefined : found[0]?.pointer,
  };
};

const only = ({ code, pointer }: Row, severity: 'error' | 'warning'): Found => ({
  codes: [code],
  ok: severity === 'warning',
  files: 0,
  missingWords: [],
  pointer,
});

describe('every diagnostic has an input that yields exactly it, and a message that says where, what and what to do', () => {
  test.each(ERRORS)('$code: $words', (row) => {
    expect(find(row, 'error')).toEqual(only(row, 'error'));
  });

  const relaxed = WARNINGS.map((row) => ({
    ...row,
    entities: row.entities.map((entity) => ({
      ...entity,
      document: { mode: 'best_effort', ...(entity.document as object) },
    })),
  }));
  test.each(relaxed)('$code: $words', (row) => {
    expect(find(row, 'warning')).toEqual(only(row, 'warning'));
  });

  test('HOOK_MATCHER_IGNORED says that the handler runs every time now', () => {
    const entities = one({
      mode: 'best_effort',
      events: { stop: [{ type: 'command', command: 'x', matcher: 'A' }] },
    });
    const { diagnostics, files } = project(entities, ['claude']);
    expect(diagnostics).toMatchObject([{ code: 'HOOK_MATCHER_IGNORED', event: 'stop', handler: 0 }]);
    expect(diagnostics[0]?.message).toContain('every time');
    expect(files[0]?.content).not.toContain('matcher');
  });

  test('no code is left without a test', () => {
    const tested = new Set([...ERRORS, ...WARNINGS].map(({ code }) => code)).add('HOOK_MATCHER_IGNORED');
    expect(Object.keys(DIAGNOSTICS).filter((code) => !tested.has(code as DiagnosticCode))).toEqual([]);
  });
});

test('all faults of a document are reported at once, in its order', () => {
  const { diagnostics } = project(
    one({
      events: { nope: [], stop: [{ type: 'x' }, { type: 'command', env: [], command: 'x', timeout: 0 }] },
      extra: 1,
      mode: 'x',
    }),
    ['claude'],
  );
  expect(diagnostics.map(({ code }) => code)).toEqual([
    'HOOK_EVENT_UNKNOWN',
    'HOOK_HANDLER_TYPE_INVALID',
    'HOOK_ENV_INVALID',
    'HOOK_TIMEOUT_INVALID',
    'HOOK_FIELD_UNKNOWN',
    'HOOK_MODE_INVALID',
  ]);
});

test('a fault in one hook does not hide what another one is refused for', () => {
  const { diagnostics } = project(
    [
      ...one({ mode: 'x', events: {} }, 'a'),
      ...one({ events: { notification: [{ type: 'command', command: 'x' }] } }, 'b'),
    ],
    ['cursor'],
  );
  expect(diagnostics.map(({ code }) => code)).toEqual(['HOOK_MODE_INVALID', 'HOOK_EVENT_UNSUPPORTED']);
});

import { describe, expect, test } from 'vitest';
import type { Location } from '../../src/core/lifecycle/state.ts';
import {
  DEFAULT_WORKFLOW,
  type Workflow,
  checkLocation,
  isTerminalState,
  parseWorkflow,
} from '../../src/core/workflow.ts';

const front = (yaml: string, body = ''): string => `---\n${yaml}\n---\n${body}`;

function parsed(text: string): Workflow {
  const workflow = parseWorkflow(text);
  if (!workflow.ok) throw new Error(JSON.stringify(workflow.error, null, 1));
  return workflow.value;
}

function refused(text: string) {
  const workflow = parseWorkflow(text);
  if (workflow.ok) throw new Error(`accepted: ${JSON.stringify(workflow.value)}`);
  return workflow.error;
}

/** `code path:line:column` of each diagnostic. */
function faults(text: string): string[] {
  const { code, diagnostics = [] } = refused(text);
  return [code, ...diagnostics.map((one) => `${one.code} ${one.path}:${one.line}:${one.column}`)];
}

describe('a workflow without settings has the defaults', () => {
  test.each([
    ['empty text', '', ''],
    ['only a prompt', 'Fix the bug.\n', 'Fix the bug.'],
    ['empty front matter', '---\n---\nFix it.', 'Fix it.'],
    ['only comments', front('# nothing', 'Fix it.\n'), 'Fix it.'],
    ['null', front('null', 'x'), 'x'],
    ['empty sections', front('hooks:\nagent: null\ndocker: ~\nnetwork:\nother: {}'), ''],
    ['null fields', front('hooks: {timeout_ms: null, after_run: null}\ngit: {user_name: }'), ''],
    ['a rule further down', 'Text\n---\nhooks: 5\n---\n', 'Text\n---\nhooks: 5\n---'],
    ['four dashes', '----\nhooks: 5\n', '----\nhooks: 5'],
    ['an indented opening', ' ---\nhooks: 5\n---\n', '---\nhooks: 5\n---'],
  ])('%s', (_, text, prompt) => {
    expect(parsed(text)).toEqual({ ...DEFAULT_WORKFLOW, prompt });
  });

  test('and these are the defaults', () => {
    expect(DEFAULT_WORKFLOW).toEqual({
      hooks: { after_create: null, before_run: null, after_run: null, before_remove: null },
      hookTimeoutMs: 60_000,
      agent: { command: null, timeoutMs: 3_600_000, maxAttempts: 5, maxRetryBackoffMs: 300_000 },
      terminalStates: ['Done', 'Canceled', 'Cancelled', 'Closed', 'Duplicate'],
      workspaceRoot: null,
      sandboxHooks: 'sandbox',
      docker: { image: null, env: [] },
      network: 'all',
      git: { userName: 'Symphony', userEmail: 'symphony@localhost' },
      misspelt: [],
      prompt: '',
    });
  });
});

test('every setting arrives', () => {
  const yaml = `
workspace: {root: ~/HarnessWorkspaces/demo}
hooks:
  after_create: npm ci
  before_run: "echo $HOME"
  after_run: |
    rm -rf .next/cache
  before_remove: >-
    echo
    bye
  timeout_ms: 120000
agent: {command: ./agent.sh, timeout_ms: 5000, max_attempts: 3, max_retry_backoff_ms: 0}
tracker: {kind: linear, terminal_states: [Won't do, " Done "]}
sandbox: {hooks: host}
docker: {image: "ghcr.io/acme/agent:1.2@sha256:abc", env: [NPM_CONFIG_CACHE, _x]}
network: [API.example.com, "*.npmjs.org", localhost, api.example.com]
git: {user_name: Ann O'Neil, user_email: ann@example.com}
later: {anything: [1, 2]}`;
  expect(parsed(front(yaml, '\n# Task\n\nDo it.\n'))).toEqual({
    hooks: {
      after_create: 'npm ci',
      before_run: 'echo $HOME',
      after_run: 'rm -rf .next/cache\n',
      before_remove: 'echo bye',
    },
    hookTimeoutMs: 120_000,
    agent: { command: './agent.sh', timeoutMs: 5000, maxAttempts: 3, maxRetryBackoffMs: 0 },
    terminalStates: ["Won't do", 'Done'],
    workspaceRoot: '~/HarnessWorkspaces/demo',
    sandboxHooks: 'host',
    docker: { image: 'ghcr.io/acme/agent:1.2@sha256:abc', env: ['NPM_CONFIG_CACHE', '_x'] },
    network: { hosts: ['api.example.com', '*.npmjs.org', 'localhost'] },
    git: { userName: "Ann O'Neil", userEmail: 'ann@example.com' },
    misspelt: [],
    prompt: '# Task\n\nDo it.',
  });
});

describe('the text of a hook', () => {
  test.each([
    ['a literal block keeps its lines', 'before_run: |\n    a  b\n      c\n\n    d', 'a  b\n  c\n\nd\n'],
    ['a stripped block has no last line break', 'before_run: |-\n    a', 'a'],
    ['a kept block has all line breaks', 'before_run: |+\n    a\n\n', 'a\n\n\n'],
    ['tabs inside a block are kept', 'before_run: |\n    a\tb\n    \tc', 'a\tb\n\tc\n'],
    ['variables are not expanded', 'before_run: echo $VAR ${X} `y` $(z)', 'echo $VAR ${X} `y` $(z)'],
    ['an indented --- is text', 'before_run: |\n    cat <<E\n    ---\n    E', 'cat <<E\n---\nE\n'],
    ['# inside a block is text', 'before_run: |\n    # first\n    a #b', '# first\na #b\n'],
    ['a lone CR is kept', 'before_run: |\n    a\rb', 'a\rb\n'],
    ['an escaped CRLF becomes LF', 'before_run: "a\\r\\nb"', 'a\nb'],
    ['emoji and CJK are kept', 'before_run: echo 🙂 日本', 'echo 🙂 日本'],
    ['surrounding blanks are kept', 'before_run: "  a  "', '  a  '],
    ['words that look like YAML 1.1 booleans are text', 'before_run: yes', 'yes'],
    ['blank means none', 'before_run: " \\n\\t "', null],
    ['null means none', 'before_run: null', null],
  ])('%s', (_, yaml, script) => {
    expect(parsed(front(`hooks:\n  ${yaml}`)).hooks.before_run).toBe(script);
  });

  test('is the same from a file with BOM and CRLF', () => {
    const text = front('hooks:\n  before_run: |\n    a\n    b\n  timeout_ms: 5', 'Hi\nyou');
    expect(parsed(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(parsed(text));
  });

  test('comes through an anchor', () => {
    const workflow = parsed(front('x: &s |\n  npm ci\nhooks: {after_create: *s, before_run: *s}'));
    expect(workflow.hooks).toMatchObject({ after_create: 'npm ci\n', before_run: 'npm ci\n' });
  });

  test('comes through an anchored section', () => {
    expect(parsed(front('x: &h {before_run: a}\nhooks: *h')).hooks.before_run).toBe('a');
  });
});

test.each(['---  ', '---\t', '---'])('front matter may open and close with %j', (line) => {
  expect(parsed(`${line}\nhooks: {before_run: a}\n${line}\nx`)).toMatchObject({
    hooks: { before_run: 'a' },
    prompt: 'x',
  });
});

describe('timeout_ms', () => {
  test.each([
    ['1', 1],
    ['3600000', 3_600_000],
    ['"120000"', 120_000],
    ['1e3', 1000],
    ['0x10', 16],
  ])('accepts %s', (yaml, timeoutMs) => {
    expect(parsed(front(`hooks: {timeout_ms: ${yaml}}`)).hookTimeoutMs).toBe(timeoutMs);
  });

  test.each([
    '0',
    '-1',
    '1.5',
    '"1.5"',
    '"60s"',
    '60s',
    '.inf',
    '.nan',
    'true',
    'no',
    '3600001',
    '[5]',
    '{a: 1}',
    '""',
    '" 5"',
    '1_000',
    '"0"',
    '"-5"',
    '"1e3"',
  ])('refuses %s and points to it', (yaml) => {
    expect(faults(front(`hooks:\n  timeout_ms: ${yaml}`))).toEqual([
      'workflow_invalid',
      'invalid_value hooks.timeout_ms:3:15',
    ]);
  });
});

describe('a wrong value is reported with its path and place', () => {
  test.each([
    ['hooks: [a]', 'invalid_value hooks:2:8'],
    ['hooks: 5', 'invalid_value hooks:2:8'],
    ['hooks: npm ci', 'invalid_value hooks:2:8'],
    ['hooks:\n  - a', 'invalid_value hooks:3:3'],
    ['agent: true', 'invalid_value agent:2:8'],
    ['hooks:\n  before_run: 5', 'invalid_value hooks.before_run:3:15'],
    ['hooks:\n  before_run: [a, b]', 'invalid_value hooks.before_run:3:15'],
    ['hooks:\n  before_run: {a: b}', 'invalid_value hooks.before_run:3:15'],
    ['hooks:\n  before_run: true', 'invalid_value hooks.before_run:3:15'],
    ['hooks:\n  before_run: "a\\0b"', 'invalid_value hooks.before_run:3:15'],
    ['hooks:\n  befor_run: a', 'unknown_name hooks.befor_run:3:3'],
    ['hooks:\n  <<: {before_run: a}', 'unknown_name hooks.<<:3:3'],
    ['hooks:\n  __proto__: a', 'unknown_name hooks.__proto__:3:3'],
    ['hooks:\n  ? [a]\n  : b', 'unknown_name hooks.null:3:5'],
    ['agent: {max_attempts: 0}', 'invalid_value agent.max_attempts:2:23'],
    ['agent: {timeout_ms: 86400001}', 'invalid_value agent.timeout_ms:2:21'],
    ['agent: {max_retry_backoff_ms: -1}', 'invalid_value agent.max_retry_backoff_ms:2:31'],
    ['agent: {max_retry_backoff_ms: 1e15}', 'invalid_value agent.max_retry_backoff_ms:2:31'],
    ['tracker: {terminal_states: Done}', 'invalid_value tracker.terminal_states:2:28'],
    ['tracker: {terminal_states: [Done, " "]}', 'invalid_value tracker.terminal_states.1:2:35'],
    ['tracker: {terminal_states: [5]}', 'invalid_value tracker.terminal_states.0:2:29'],
    ['sandbox: {hooks: docker}', 'invalid_value sandbox.hooks:2:18'],
    ['docker: {image: "--privileged"}', 'invalid_value docker.image:2:17'],
    ['docker: {image: "a b"}', 'invalid_value docker.image:2:17'],
    ['docker: {env: [A-B]}', 'invalid_value docker.env.0:2:16'],
    ['docker: {env: A}', 'invalid_value docker.env:2:15'],
    ['network: some', 'invalid_value network:2:10'],
    ['network: {hosts: [a]}', 'invalid_value network:2:10'],
    ['network: [ok.com, "https://x.com"]', 'invalid_value network.1:2:19'],
    ['git: {user_name: "a\\nb"}', 'invalid_value git.user_name:2:18'],
    ['git: {user_name: "."}', 'invalid_value git.user_name:2:18'],
    ['git: {user_email: "a <b>"}', 'invalid_value git.user_email:2:19'],
    ['workspace: {root: [a]}', 'invalid_value workspace.root:2:19'],
    ['x: &x {before_run: 5}\nhooks: *x', 'invalid_value hooks.before_run:2:20'],
    ['a: 1\na: 2', 'duplicate_key a:3:1'],
    ['hooks:\n  before_run: a\n  before_run: b', 'duplicate_key hooks.before_run:4:3'],
    ['later: {b: {c: 1, "c": 2}}', 'duplicate_key later.b.c:2:19'],
    [`${'k'.repeat(201)}:\n  c: 1\n  c: 2`, 'duplicate_key c:4:3'],
  ])('%j', (yaml, fault) => {
    expect(faults(front(yaml))).toEqual(['workflow_invalid', fault]);
  });
});

test.each([
  '*',
  'a_b',
  '-a.com',
  'a..b',
  'a.com.',
  'a.com:443',
  '[::1]',
  '*.*.com',
  'a.*.com',
  'bücher.de',
  '',
  'a b',
  `${'a'.repeat(64)}.com`,
])('the network list refuses the host %j', (host) => {
  expect(faults(front(`network: [${JSON.stringify(host)}]`))).toEqual([
    'workflow_invalid',
    'invalid_value network.0:2:11',
  ]);
});

describe('a text that cannot be parsed', () => {
  test.each([
    ['front matter that never ends', '---\nhooks: {}\n', ['not_closed WORKFLOW.md:1:1']],
    ['only an opening line', '---', ['not_closed WORKFLOW.md:1:1']],
    ['an end that is indented', '---\nhooks: {}\n ---\n', ['not_closed WORKFLOW.md:1:1']],
    ['a tab as indentation', front('hooks:\n\tbefore_run: a'), ['yaml_syntax WORKFLOW.md:3:1']],
    ['a second document', front('a: 1\n--- !x\nb: 2'), ['yaml_syntax WORKFLOW.md:3:1']],
    ['a second document after dots', front('a: 1\n...\nb: 2'), ['yaml_syntax WORKFLOW.md:4:1']],
    ['an open quote', front('a: "x'), ['yaml_syntax WORKFLOW.md:3:1']],
    ['an alias without anchor', front('a: 1\nhooks: *no'), ['yaml_syntax WORKFLOW.md:3:8']],
    ['an alias before its anchor', front('a: *x\nb: &x 1'), ['yaml_syntax WORKFLOW.md:2:4']],
    ['two faults', front('a: @x\nb: `y`'), ['yaml_syntax WORKFLOW.md:2:4', 'yaml_syntax WORKFLOW.md:3:4']],
    ['over a mebibyte', 'é'.repeat(524_289), ['too_large WORKFLOW.md:1:1']],
    ['over 256 KiB of front matter', front(`a: ${'x'.repeat(262_144)}`), ['too_large WORKFLOW.md:1:1']],
  ])('%s', (_, text, diagnostics) => {
    expect(faults(text)).toEqual(['workflow_parse_error', ...diagnostics]);
  });

  test('places are the same with BOM and CRLF', () => {
    const text = front('hooks:\n  a: 1\n  timeout_ms: x');
    expect(faults(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(faults(text));
  });
});

test.each([
  ['- a\n- b', 2],
  ['5', 2],
  ['just text', 2],
  ['\n# c\n[a]', 4],
])('front matter %j is not a map', (yaml, line) => {
  expect(faults(front(yaml))).toEqual(['workflow_front_matter_not_a_map', `not_a_map WORKFLOW.md:${line}:1`]);
});

test('all faults are reported at once, in the order of the file', () => {
  const yaml = 'network: x\nhooks:\n  befor_run: a\n  timeout_ms: 0\n  after_run: 5\nnetwork: y\nagent: []';
  expect(faults(front(yaml))).toEqual([
    'workflow_invalid',
    'unknown_name hooks.befor_run:4:3',
    'invalid_value hooks.timeout_ms:5:15',
    'invalid_value hooks.after_run:6:14',
    'duplicate_key network:7:1',
    'invalid_value network:7:10',
    'invalid_value agent:8:8',
  ]);
});

describe('a message', () => {
  test.each([
    ['hooks: {timeout_ms: "60s"}', 'hooks.timeout_ms is "60s": it must be a whole number from 1 to 3600000.'],
    ['hooks: {timeout_ms: .inf}', 'hooks.timeout_ms is Infinity: it must be'],
    ['hooks: {before_run: [a]}', 'hooks.before_run is a list: it must be the text of a script'],
    ['hooks: [a]', 'hooks is a list: it must be a map.'],
    ['hooks: {before-run: a}', 'hooks.before-run is not a hook (did you mean before_run?).'],
    ['hooks: {beforeRun: a}', 'did you mean before_run'],
    ['hooks: {pre_run: a}', 'the names are after_create, before_run, after_run, before_remove, timeout_ms'],
    ['hooks: {timeout: 5}', 'did you mean timeout_ms'],
    ['network: [a b]', 'network.0 is "a b": it must be a host name such as'],
  ])('of %s says: %s', (yaml, message) => {
    const { detail, diagnostics } = refused(front(yaml));
    expect(diagnostics?.[0]?.message).toContain(message);
    expect(detail).toContain(message);
    expect(detail).toMatch(/^WORKFLOW\.md:\d+:\d+: /);
  });
});

describe('a hostile text is refused within seconds:', () => {
  const bomb = Array.from(
    { length: 12 },
    (_, n) =>
      `a${n}: &a${n} [${Array(9)
        .fill(n ? `*a${n - 1}` : 'x')
        .join(', ')}]`,
  );
  test.each([
    ['deep lists', front(`a: ${'['.repeat(200_000)}`)],
    ['deep maps', front(`a: ${'{a: '.repeat(60_000)}`)],
    ['deep keys', front('? '.repeat(100_000))],
    ['deep keys that parse', front(`hooks: ${'{? '.repeat(100)}x${'}'.repeat(100)}`)],
    ['a bomb of aliases in the hooks', front(`${bomb.join('\n')}\nhooks: *a11`)],
    [
      'wide aliases',
      front(`a: &a [${'x,'.repeat(9_000)}]\ndocker: {env: *a}\ntracker: {terminal_states: *a}`),
    ],
    ['an alias of itself', front('hooks: &a {before_run: *a}')],
    [
      'many unknown hooks',
      front(`hooks:\n${Array.from({ length: 9000 }, (_, n) => `  k${n}: 1`).join('\n')}`),
    ],
    ['a long name', front(`hooks: {${'before'.repeat(30_000)}: a}`)],
  ])('%s', (_, text) => {
    expect(refused(text).diagnostics?.length).toBeLessThanOrEqual(100);
  });

  test('thousands of anchors that nobody reads are fine', () => {
    const yaml = Array.from({ length: 8000 }, (_, n) => `- &a${n} x\n- *a${n}`).join('\n');
    expect(parsed(front(`later:\n${yaml}\nhooks: {before_run: a}`)).hooks.before_run).toBe('a');
  });
});

function placesAtFault(yaml: string, location: Location): string {
  const text = front(yaml);
  const result = checkLocation(parsed(text), location, text);
  if (result.ok) return 'ok';
  const places = result.error.diagnostics?.map((one) => `${one.path}:${one.line}:${one.column}`);
  return [result.error.code, ...(places ?? [])].join(' ');
}

describe('the location', () => {
  test.each<[string, Location, string]>([
    ['{}', 'host', 'ok'],
    ['{}', 'cloudflare', 'ok'],
    ['{}', 'docker', 'workflow_invalid docker.image:2:1'],
    ['docker:\n  env: []', 'docker', 'workflow_invalid docker.image:3:3'],
    ['docker: {image: node}', 'docker', 'ok'],
    ['docker: {image: node}', 'host', 'ok'],
    ['docker: {image: " "}', 'docker', 'workflow_invalid docker.image:2:17'],
    ['docker: {image: node}\nsandbox: {hooks: host}', 'docker', 'ok'],
    ['sandbox:\n  hooks: host', 'host', 'workflow_invalid sandbox.hooks:3:10'],
    ['sandbox:\n  hooks: host', 'cloudflare', 'workflow_invalid sandbox.hooks:3:10'],
    ['sandbox: {hooks: host}', 'docker', 'workflow_invalid docker.image:2:1'],
  ])('of %j in %s: %s', (yaml, location, outcome) => {
    expect(placesAtFault(yaml, location)).toBe(outcome);
  });

  test('is checked without the text too, with the first line as the place', () => {
    expect(checkLocation(DEFAULT_WORKFLOW, 'docker')).toMatchObject({
      ok: false,
      error: { code: 'workflow_invalid', diagnostics: [{ path: 'docker.image', line: 1, column: 1 }] },
    });
  });
});

test.each([
  ['Done', true],
  [' done\n', true],
  ['DONE', true],
  ['CANCELLED', true],
  ['closed', true],
  ['DUPLİCATE', false],
  ['', false],
  ['Do ne', false],
  ['In Progress', false],
])('the state %j is terminal by default: %s', (state, terminal) => {
  expect(isTerminalState(state, DEFAULT_WORKFLOW.terminalStates)).toBe(terminal);
});

test('no state is terminal when the list is empty', () => {
  const { terminalStates } = parsed(front('tracker: {terminal_states: []}'));
  expect(isTerminalState('Done', terminalStates)).toBe(false);
});

describe('names that nothing reads', () => {
  test('are told where they are nearly ours', () => {
    const text =
      'hook: {}\nagent: {comand: x, max_attempt: 2}\nworkspce: {root: x}\ntracker: {terminal_state: []}';
    expect(parsed(front(text)).misspelt).toEqual([
      'hook (did you mean hooks?)',
      'workspce (did you mean workspace?)',
      'agent.comand (did you mean command?)',
      'agent.max_attempt (did you mean max_attempts?)',
      'tracker.terminal_state (did you mean terminal_states?)',
    ]);
  });

  test("are nobody's business where they are another tool's", () => {
    const text =
      'id: 1\npolling: {interval_ms: 5}\nserver: {port: 1}\ncodex: {command: x}\ntracker: {kind: linear, active_states: [], api_key: k, project_slug: s}\nagent: {max_turns: 3, max_concurrent_agents: 2}';
    expect(parsed(front(text)).misspelt).toEqual([]);
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  BASE_NAMES,
  CREDENTIAL_NAMES,
  type HookEnvInput,
  buildAgentEnv,
  buildBaseEnv,
  buildHookEnv,
  checkEnvironmentName,
  normaliseTaskField,
} from '../../src/core/hook-env.ts';

const input: HookEnvInput = {
  location: 'host',
  hook: 'before_run',
  workspacePath: '/roots/demo/ABC-1',
  key: 'ABC-1',
  branch: 'symphony/ABC-1',
  task: { id: '10001', identifier: 'ABC-1', title: 'Fix it', state: 'Todo' },
  attempt: 2,
  outcome: 'failed',
  workflowDir: '/home/ann/demo',
  global: { BOTH: 'global', G: '1' },
  project: { BOTH: 'project', P: '2' },
  dockerEnv: ['P', 'ABSENT'],
  gitIdentity: { name: 'Ann', email: 'ann@example.com' },
};

const GIT = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
};
const TASK = {
  SYMPHONY_WORKSPACE: '/roots/demo/ABC-1',
  SYMPHONY_WORKSPACE_KEY: 'ABC-1',
  SYMPHONY_ISSUE_ID: '10001',
  SYMPHONY_ISSUE_IDENTIFIER: 'ABC-1',
  SYMPHONY_ISSUE_TITLE: 'Fix it',
  SYMPHONY_ISSUE_STATE: 'Todo',
  SYMPHONY_ISSUE_BRANCH: 'symphony/ABC-1',
};
const SETTINGS = { BOTH: 'project', G: '1', P: '2' };
const HOOK = { SYMPHONY_HOOK: 'before_run', SYMPHONY_ATTEMPT: '2' };
const DIR = { SYMPHONY_WORKFLOW_DIR: '/home/ann/demo' };

const credentials = Object.fromEntries(CREDENTIAL_NAMES.map((name) => [name, `secret of ${name}`]));

describe('a hook gets exactly', () => {
  test('on the host: git identity, settings, SYMPHONY_* and the workflow folder', () => {
    expect(buildHookEnv(input).env).toEqual({ ...GIT, ...SETTINGS, ...TASK, ...HOOK, ...DIR });
  });

  test('on cloudflare: the same without the workflow folder', () => {
    const { env } = buildHookEnv({ ...input, location: 'cloudflare' });
    expect(env).toEqual({ ...GIT, ...SETTINGS, ...TASK, ...HOOK });
  });

  test('in docker: git identity, the listed names that are set, and SYMPHONY_*', () => {
    const { env } = buildHookEnv({ ...input, location: 'docker' });
    expect(env).toEqual({ ...GIT, P: '2', ...TASK, ...HOOK });
  });

  test('in docker with hooks on the host: what a host hook gets', () => {
    const { env } = buildHookEnv({ ...input, location: 'docker', sandboxHooks: 'host' });
    expect(env).toEqual(buildHookEnv(input).env);
  });

  test('without a workflow folder, none', () => {
    expect(buildHookEnv({ ...input, workflowDir: undefined }).env).not.toHaveProperty(
      'SYMPHONY_WORKFLOW_DIR',
    );
  });
});

test.each([
  ['after_create', undefined, undefined],
  ['before_run', '2', undefined],
  ['after_run', '2', 'failed'],
  ['before_remove', undefined, undefined],
] as const)('%s has SYMPHONY_ATTEMPT %s and SYMPHONY_ATTEMPT_OUTCOME %s', (hook, attempt, outcome) => {
  const { env } = buildHookEnv({ ...input, hook });
  expect(env['SYMPHONY_HOOK']).toBe(hook);
  expect(env['SYMPHONY_ATTEMPT']).toBe(attempt);
  expect(env['SYMPHONY_ATTEMPT_OUTCOME']).toBe(outcome);
});

describe('an agent gets exactly', () => {
  test.each([
    ['host', SETTINGS],
    ['cloudflare', SETTINGS],
    ['docker', { P: '2' }],
  ] as const)('in location %s: a hook’s variables without SYMPHONY_HOOK', (location, settings) => {
    const { env } = buildAgentEnv({ ...input, location });
    expect(env).toEqual({ ...GIT, ...settings, ...TASK, SYMPHONY_ATTEMPT: '2' });
  });

  test.each(['host', 'cloudflare', 'docker'] as const)(
    'in location %s: the credentials that are set',
    (location) => {
      const global = { OPENAI_API_KEY: 'old', LITELLM_API_KEY: 'lite' };
      const { env, unset } = buildAgentEnv({
        ...input,
        location,
        global,
        project: { OPENAI_API_KEY: 'new' },
      });
      expect(env).toMatchObject({ OPENAI_API_KEY: 'new', LITELLM_API_KEY: 'lite' });
      expect(env).not.toHaveProperty('ANTHROPIC_API_KEY');
      expect(unset).toEqual([]);
    },
  );
});

describe('no credential reaches a hook', () => {
  const anyName = fc.constantFrom(...CREDENTIAL_NAMES, 'P', 'SYMPHONY_HOOK', '__proto__', 'constructor');
  const layer = fc
    .array(fc.tuple(anyName, fc.string()))
    .map((entries): Record<string, string> => Object.fromEntries(entries));

  test('from any layer, in any location', () => {
    const changes = fc.record({
      location: fc.constantFrom('host', 'cloudflare', 'docker'),
      hook: fc.constantFrom('after_create', 'before_run', 'after_run', 'before_remove'),
      sandboxHooks: fc.constantFrom('sandbox', 'host'),
      global: layer,
      project: layer,
      dockerEnv: fc.array(anyName),
    });
    fc.assert(
      fc.property(changes, (change) => {
        const { env, unset } = buildHookEnv({ ...input, ...change });
        expect(Object.keys(env).filter((name) => Object.hasOwn(credentials, name))).toEqual([]);
        expect(unset).toEqual([...CREDENTIAL_NAMES]);
        expect(env['SYMPHONY_HOOK']).toBe(change.hook);
        expect(Object.values(env).join('')).not.toContain('\0');
      }),
    );
  });

  test('when all layers set and list them', () => {
    const all = { global: credentials, project: credentials, dockerEnv: [...CREDENTIAL_NAMES] };
    expect(JSON.stringify(buildHookEnv({ ...input, ...all, location: 'docker' }))).not.toContain('secret of');
  });
});

test('reserved and malformed names in a layer are dropped', () => {
  const names = ['SYMPHONY_X', 'SYMPHONY_WORKSPACE', 'EDGE_HARNESS_OPERATION', 'A-B', '1A', '', 'A=B'];
  const project = Object.fromEntries(names.map((name) => [name, 'forged']));
  expect(Object.values(buildHookEnv({ ...input, project }).env)).not.toContain('forged');
  expect(Object.values(buildAgentEnv({ ...input, project }).env)).not.toContain('forged');
});

test('names of Object.prototype are ordinary names', () => {
  const project: Record<string, string> = JSON.parse(
    '{"__proto__": "a", "constructor": "b", "toString": "c"}',
  );
  const { env } = buildHookEnv({ ...input, project });
  expect(Object.getOwnPropertyDescriptor(env, '__proto__')?.value).toBe('a');
  expect(env).toMatchObject({ constructor: 'b', toString: 'c' });
  expect(buildHookEnv({ ...input, location: 'docker', dockerEnv: ['constructor'] }).env).not.toHaveProperty(
    ['constructor'],
    'b',
  );
});

test('settings win over the git identity, and nothing wins over SYMPHONY_*', () => {
  const project = { GIT_AUTHOR_NAME: 'Bob', SYMPHONY_ISSUE_TITLE: 'forged' };
  const { env } = buildHookEnv({ ...input, project });
  expect(env).toMatchObject({
    GIT_AUTHOR_NAME: 'Bob',
    GIT_COMMITTER_NAME: 'Ann',
    SYMPHONY_ISSUE_TITLE: 'Fix it',
  });
});

describe('a task field', () => {
  test.each([
    ['shell syntax is kept as it is', '$(touch /tmp/x) `id` "\'\n', '$(touch /tmp/x) `id` "\'\n'],
    ['NUL is dropped', 'a\0b\0', 'ab'],
    ['4096 bytes stay', 'x'.repeat(4096), 'x'.repeat(4096)],
    ['more is cut', 'x'.repeat(200 * 1024), 'x'.repeat(4096)],
    ['NUL does not count', `${'\0'.repeat(9)}${'x'.repeat(4096)}`, 'x'.repeat(4096)],
    ['an emoji across the cut goes', `${'x'.repeat(4093)}🙂`, 'x'.repeat(4093)],
    ['an emoji up to the cut stays', `${'x'.repeat(4092)}🙂`, `${'x'.repeat(4092)}🙂`],
    ['three-byte characters', '日'.repeat(2000), '日'.repeat(1365)],
    ['half a surrogate pair', 'a\ud83d', 'a\ufffd'],
  ])('%s', (_, value, field) => {
    expect(normaliseTaskField(value)).toBe(field);
    expect(
      buildHookEnv({ ...input, task: { ...input.task, title: value } }).env['SYMPHONY_ISSUE_TITLE'],
    ).toBe(field);
  });

  test('is at most 4096 bytes of UTF-8 and a prefix of the value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1000, maxLength: 5000 }), (value) => {
        const field = normaliseTaskField(value);
        expect(new TextEncoder().encode(field).length).toBeLessThanOrEqual(4096);
        expect(value.toWellFormed().replaceAll('\0', '').startsWith(field)).toBe(true);
      }),
    );
  });
});

test.each(['A', '_', 'a1', 'PATH', 'OPENAI_API_KEY', '__proto__', 'SYMPHONY', 'symphony_x'])(
  'the name %s is accepted',
  (name) => {
    expect(checkEnvironmentName(name)).toEqual({ ok: true, value: name });
  },
);

test.each(['', '1A', 'A-B', 'A B', 'A=B', 'é', 'A\n', 'SYMPHONY_X', 'SYMPHONY_', 'EDGE_HARNESS_OPERATION'])(
  'the name %j is refused, naming it',
  (name) => {
    const result = checkEnvironmentName(name);
    expect(result).toMatchObject({ ok: false, error: { code: 'environment_name_refused' } });
    expect(result.ok ? '' : result.error.detail).toContain(JSON.stringify(name));
  },
);

test('the base set has fixed locale and terminal', () => {
  const base = buildBaseEnv({ path: '/bin', home: '/home/ann', user: 'ann', shell: '/bin/bash', cwd: '/w' });
  expect(base).toEqual({
    PATH: '/bin',
    HOME: '/home/ann',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/bash',
    USER: 'ann',
    PWD: '/w',
  });
  expect(Object.keys(base)).toEqual([...BASE_NAMES]);
});

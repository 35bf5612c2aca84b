/** Section 4's table from inside real processes: each writes its whole environment down with `env -0`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CREDENTIAL_NAMES } from '../../src/core/hook-env.ts';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';

const secret = (from: string, name: string) => `secret-of-${from}-${name}`;
const credentialsOf = (from: string) =>
  Object.fromEntries(CREDENTIAL_NAMES.map((name) => [name, secret(from, name)]));

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({
    environment: { ...credentialsOf('launcher'), LAUNCHER_ONLY: 'not for anybody', SYMPHONY_HOOK: 'forged' },
    profile: (home) => {
      const exports = CREDENTIAL_NAMES.map((name) => `export ${name}=${secret('profile', name)}`);
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, '.bash_profile'), `${exports.join('\n')}\nexport FROM_PROFILE=yes\n`);
    },
  });
  await stack.api.call('PUT', '/v1/environment', {
    ...credentialsOf('global'),
    SHARED: 'global',
    GLOBAL_ONLY: 'line one\nline "two" $HOME',
    GIT_AUTHOR_NAME: 'Set By Global',
  });
});
afterAll(() => stack.stop());

const HOOK_NAMES = ['after_create', 'before_run', 'after_run', 'before_remove'];
const WORKFLOW = `hooks:
${HOOK_NAMES.map((hook) => `  ${hook}: env -0 > "$TRACE.${hook}"`).join('\n')}
agent:
  command: env -0 > "$TRACE.agent"; git commit -q --allow-empty -m x
git:
  user_name: Workflow Name
  user_email: workflow@example.com`;

/** What bash itself exports to its children; not part of what we hand over. */
const OF_BASH = ['_', 'SHLVL', 'OLDPWD', 'FROM_PROFILE'];
/** How the supervisor finds the processes of an operation again. */
const MARKER = 'EDGE_HARNESS_OPERATION';

function environmentOf(project: TestProject, process: string): Record<string, string> {
  const entries = readFileSync(`${project.tracePath}.${process}`, 'utf8').split('\0').filter(Boolean);
  const pairs = entries.map((entry) => [
    entry.slice(0, entry.indexOf('=')),
    entry.slice(entry.indexOf('=') + 1),
  ]);
  return Object.fromEntries(pairs.filter(([name]) => !OF_BASH.includes(name ?? '')));
}

const without = (env: Record<string, string>, ...names: string[]) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));

test.concurrent('hooks and the agent get exactly the base set, the merged settings, git identity and SYMPHONY_*', async () => {
  const project = await stack.project({ workflow: WORKFLOW });
  await stack.api.call('PUT', project.path('/environment'), {
    ...credentialsOf('project'),
    SHARED: 'project',
    EMPTY: '',
  });
  const workspace = await project.run('feat/1', { id: '77', title: 'Ä title', state: 'Todo' });
  await project.setState('77', 'Done');
  await project.status(workspace.key, 'removed');

  const home = join(stack.folder, 'home');
  const common = {
    PATH: expect.stringContaining('/bin'),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: expect.stringMatching(/bash$/),
    USER: expect.any(String),
    PWD: workspace.path,
    GIT_AUTHOR_EMAIL: 'workflow@example.com',
    GIT_COMMITTER_NAME: 'Workflow Name',
    GIT_COMMITTER_EMAIL: 'workflow@example.com',
    GIT_AUTHOR_NAME: 'Set By Global',
    TRACE: project.tracePath,
    SHARED: 'project',
    EMPTY: '',
    GLOBAL_ONLY: 'line one\nline "two" $HOME',
    SYMPHONY_WORKSPACE: workspace.path,
    SYMPHONY_WORKSPACE_KEY: workspace.key,
    SYMPHONY_ISSUE_ID: '77',
    SYMPHONY_ISSUE_IDENTIFIER: 'feat/1',
    SYMPHONY_ISSUE_TITLE: 'Ä title',
    SYMPHONY_ISSUE_STATE: 'Todo',
    SYMPHONY_ISSUE_BRANCH: `symphony/${workspace.key}`,
    [MARKER]: expect.any(String),
  };
  const hook = (name: string) => ({
    ...common,
    SYMPHONY_HOOK: name,
    SYMPHONY_WORKFLOW_DIR: expect.any(String),
  });
  expect(environmentOf(project, 'after_create')).toEqual(hook('after_create'));
  expect(environmentOf(project, 'before_run')).toEqual({ ...hook('before_run'), SYMPHONY_ATTEMPT: '1' });
  expect(environmentOf(project, 'after_run')).toEqual({
    ...hook('after_run'),
    SYMPHONY_ATTEMPT: '1',
    SYMPHONY_ATTEMPT_OUTCOME: 'succeeded',
  });
  expect(environmentOf(project, 'before_remove')).toEqual({
    ...hook('before_remove'),
    SYMPHONY_ISSUE_STATE: 'Done',
  });
  const agent = environmentOf(project, 'agent');
  expect(without(agent, ...CREDENTIAL_NAMES)).toEqual({ ...common, SYMPHONY_ATTEMPT: '1' });
  expect(Object.keys(agent)).toEqual(expect.arrayContaining([...CREDENTIAL_NAMES]));
});

test.concurrent('no credential of the project, the global settings, the launcher or the login profile is in any hook', async () => {
  const project = await stack.project({ workflow: WORKFLOW });
  await stack.api.call('PUT', project.path('/environment'), credentialsOf('project'));
  await project.run('ABC-1', { state: 'Todo' });
  await project.setState('ABC-1', 'Done');
  await project.status('ABC-1', 'removed');
  for (const hook of HOOK_NAMES) {
    const text = readFileSync(`${project.tracePath}.${hook}`, 'latin1');
    expect(text).not.toContain('secret-of-');
    for (const name of CREDENTIAL_NAMES) expect(text).not.toContain(`${name}=`);
  }
});

test.concurrent('SYMPHONY_WORKFLOW_DIR is a folder that holds the WORKFLOW.md in force', async () => {
  const project = await stack.project({
    workflow:
      'hooks:\n  before_run: cp "$SYMPHONY_WORKFLOW_DIR/WORKFLOW.md" "$TRACE.workflow"\nagent:\n  command: "true"',
  });
  await project.run('ABC-1');
  const inForce = await stack.api.get<string>(project.path('/workflow'));
  expect(readFileSync(`${project.tracePath}.workflow`, 'utf8')).toBe(inForce);
});

test.concurrent('names that start with SYMPHONY_ or EDGE_HARNESS_ are refused, and values are never shown', async () => {
  const project = await stack.project();
  for (const name of ['SYMPHONY_HOOK', 'SYMPHONY_NEW', 'EDGE_HARNESS_OPERATION'])
    expect(await project.refusal('PUT', '/environment', { [name]: 'x' })).toMatchObject({
      status: 422,
      code: 'environment_name_refused',
    });
  await stack.api.call('PUT', project.path('/environment'), {
    MY_TOKEN: 'hidden-value',
    OPENAI_API_KEY: 'hidden-value',
  });
  const shown = await stack.api.get<{ names: { name: string; withheld_from_hooks: boolean }[] }>(
    project.path('/environment'),
  );
  expect(JSON.stringify(shown)).not.toContain('hidden-value');
  expect(shown.names).toContainEqual(
    expect.objectContaining({ name: 'OPENAI_API_KEY', withheld_from_hooks: true }),
  );
  expect(shown.names).toContainEqual(
    expect.objectContaining({ name: 'MY_TOKEN', withheld_from_hooks: false }),
  );
});

const TITLE_WORKFLOW = `hooks:
  before_run: printf %s "$SYMPHONY_ISSUE_TITLE" > "$TRACE.title"
agent:
  command: "true"`;

test.concurrent.for([
  [
    'a command substitution',
    (trace: string) => `$(touch ${trace}.pwned)\`touch ${trace}.pwned\`"; touch ${trace}.pwned #`,
  ],
  ['quotes, newlines and globs', () => `'"\\ * ~ \n;|&&>x\t`],
] as const)('a title of %s arrives as written and runs nothing', async ([, build]) => {
  const project = await stack.project({ workflow: TITLE_WORKFLOW });
  const title = build(project.tracePath);
  await project.run('ABC-1', { title });
  expect(readFileSync(`${project.tracePath}.title`, 'utf8')).toBe(title);
  expect(() => readFileSync(`${project.tracePath}.pwned`)).toThrow('ENOENT');
});

test.concurrent('a title of 200 KiB is cut at 4 KiB on a code point, and the hook runs', async () => {
  const project = await stack.project({ workflow: TITLE_WORKFLOW });
  const workspace = await project.run('ABC-1', { title: 'é🙂'.repeat(34_200) });
  expect(workspace.last_attempt?.outcome).toBe('succeeded');
  const title = readFileSync(`${project.tracePath}.title`, 'utf8');
  expect(Buffer.byteLength(title)).toBeGreaterThan(4090);
  expect(Buffer.byteLength(title)).toBeLessThanOrEqual(4096);
  expect('é🙂'.repeat(1000).startsWith(title)).toBe(true);
});

test.concurrent('a title with NUL loses the NUL only', async () => {
  const project = await stack.project({ workflow: TITLE_WORKFLOW });
  const workspace = await project.run('ABC-1', { title: 'before\0after' });
  expect(workspace.last_attempt?.outcome).toBe('succeeded');
  expect(readFileSync(`${project.tracePath}.title`, 'utf8')).toBe('beforeafter');
});

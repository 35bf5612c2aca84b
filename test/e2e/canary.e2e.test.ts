/**
 * A unique value in every secret place, hooks and an agent that hunt for them, and a search through everything that is kept or shown:
 * outputs, logs, events, API answers, errors, the objects' SQLite files, snapshots and the sandbox host's own folders.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CREDENTIAL_NAMES } from '../../src/core/hook-env.ts';
import { type GuardedStack, startGuardedStack } from '../support/guarded-stack.ts';
import { findSecrets, type Haystacks, readTree } from '../support/secret-search.ts';
import type { TestProject } from '../support/stack.ts';

const random = () => randomBytes(12).toString('hex');
/** With characters that every encoding writes in another way. */
const canary = (name: string) => `cnry-${name}-${random()}/+=&%~é${random()}`;
/** For places that take tokens only. */
const plain = (name: string) => `cnry-${name}-${random()}-${random()}`;

const SECRET_NAMES = ['MY_TOKEN', 'APP_SECRET', 'SIGNING_KEY', 'DB_PASSWORD'];
const layer = (of: string) => ({
  ...Object.fromEntries([...CREDENTIAL_NAMES].map((name) => [name, canary(`${of}-${name}`)])),
  ...Object.fromEntries(SECRET_NAMES.map((name) => [`${of}_${name}`, canary(`${of}-${name}`)])),
  [`${of}_FLAGGED`]: canary(`${of}-flagged`),
});
const PROJECT = layer('PROJECT');
const GLOBAL = layer('GLOBAL');
const GIT_TOKEN = plain('git');
const VARS = {
  API_TOKEN: plain('api'),
  ENCRYPTION_KEY: plain('encryption-key'),
  ENCRYPTION_KEY_PREVIOUS: plain('encryption-previous'),
};
/** Not a secret: everybody may see it, and the search has to find it. */
const VISIBLE = `visible-${random()}`;

const DUMP = fileURLToPath(new URL('../support/hostile-dump.ts', import.meta.url));
const HOOKS = ['after_create', 'before_run', 'after_run', 'before_remove'];

const LONG = process.env['TEST_LONG'] !== undefined;

let stack: GuardedStack;
const logged: string[] = [];
const seen: Haystacks = new Map();
/** Made while the service runs. */
const made: Record<string, string> = {};

const see = (place: string, text: string) => seen.set(`${place} #${seen.size}`, Buffer.from(text));

/** One API call, whatever it answers; with a reader that only listens. */
async function ask(method: string, path: string, body?: string, type = 'application/json'): Promise<string> {
  const answer = await fetch(`${stack.stack.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${VARS.API_TOKEN}`, 'content-type': type },
    ...(body === undefined ? {} : { body }),
  });
  const text = `${answer.status} ${JSON.stringify([...answer.headers])}\n${await answer.text()}`;
  see(`${method} ${path}`, text);
  return text;
}

/** Server-sent events until `end`. */
function listen(path: string): { end: () => Promise<void> } {
  const abort = new AbortController();
  const done = (async () => {
    const headers = { authorization: `Bearer ${VARS.API_TOKEN}` };
    let text = '';
    try {
      const answer = await fetch(`${stack.stack.url}${path}`, { headers, signal: abort.signal });
      const decoder = new TextDecoder();
      for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
    } catch {
      // Aborted by `end`.
    }
    see(`events ${path}`, text);
    expect(text).toContain('event: ');
  })();
  return {
    end: () => {
      abort.abort();
      return done;
    },
  };
}

const dump = (role: string) => `"${process.execPath}" "${DUMP}" ${role} "$TRACE.loot" $LOOK_INTO`;
const WORKFLOW = `hooks:
${HOOKS.map((hook) => `  ${hook}: echo "$PLAIN_VALUE"; ${dump(hook)}`).join('\n')}
  timeout_ms: 60000
agent:
  max_attempts: 1
  command: echo "$PLAIN_VALUE"; ${dump('agent')}; echo x >> work.txt; git add work.txt; git commit -qm work; echo y > open.txt`;

const loot = (project: TestProject, role: string, part: string) =>
  readFileSync(`${project.tracePath}.loot.${role}.${part}`);

async function makeToken(scope: string): Promise<void> {
  const { body } = await stack.api.call<{ token: string }>('POST', '/v1/tokens', { name: scope, scope });
  made[`API token ${scope}`] = body.token;
}

/** A whole life of a workspace in the hands of enemies, with somebody watching everything. */
async function live(name: string, isolation?: 'bubblewrap'): Promise<TestProject> {
  const project = await stack.guarded(name, { workflow: WORKFLOW });
  if (isolation !== undefined)
    await stack.api.call('PUT', project.path(), {
      repository: { url: `${stack.host.url}/${name}.git` },
      location: 'host',
      isolation,
    });
  const { PROJECT_FLAGGED, ...values } = PROJECT;
  await stack.api.call('PUT', project.path('/environment'), {
    ...values,
    PROJECT_FLAGGED: { value: PROJECT_FLAGGED, secret: true },
    PLAIN_VALUE: VISIBLE,
    LOOK_INTO: [join(stack.folder, 'state'), join(stack.folder, 'temp')].join(' '),
    ...(isolation === undefined ? {} : { TRACE: '/tmp/trace' }),
  });
  const projectEvents = listen(project.path('/events'));
  await project.dispatch('ABC-1', { title: 'hostile', state: 'Todo' });
  const events = listen(project.path('/workspaces/ABC-1/events'));
  await project.settled('ABC-1');
  if (LONG) await project.run('ABC-1');
  for (const path of [
    '',
    '/environment',
    '/workflow',
    '/workspaces',
    '/workspaces/ABC-1',
    '/workspaces/ABC-1/attempts',
    '/workspaces/ABC-1/attempts/1',
    '/workspaces/ABC-1/attempts/1/log',
    ...(LONG ? ['/workspaces/ABC-1/attempts/2', '/workspaces/ABC-1/attempts/2/log'] : []),
  ])
    await ask('GET', project.path(path));
  await project.dispatch('ABC-1', { agent: 'external' });
  await project.until('ABC-1', 'waits for its caller', ({ phase }) => phase === 'agent_wait');
  const command = JSON.stringify({ command: dump('exec').replaceAll('$TRACE', project.tracePath) });
  expect(await ask('POST', project.path('/workspaces/ABC-1/exec'), command)).toContain('"outcome":"ok"');
  const waiting = project.path(`/workspaces/ABC-1/attempts/${LONG ? 3 : 2}`);
  await ask('POST', `${waiting}/finish`, '{"outcome":"succeeded"}');
  await project.settled('ABC-1');
  await ask('GET', `${waiting}/log`);
  await events.end();
  await projectEvents.end();
  see(`recorded events of ${name}`, JSON.stringify(await project.events('ABC-1')));
  return project;
}

const allSecrets = (): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(PROJECT).map(([name, value]) => [`project ${name}`, value])),
  ...Object.fromEntries(Object.entries(GLOBAL).map(([name, value]) => [`global ${name}`, value])),
  'git token': GIT_TOKEN,
  'git authorization': btoa(`x-access-token:${GIT_TOKEN}`),
  ...VARS,
  'sandbox host token': stack.stack.host.token,
  ...made,
  ...Object.fromEntries(
    [...stack.passage.grants].map((grant, index) => [`grant ${index}`, grant.split('~')[2] ?? '']),
  ),
});
const only = (...names: RegExp[]) =>
  Object.fromEntries(Object.entries(allSecrets()).filter(([name]) => names.some((of) => of.test(name))));

beforeAll(async () => {
  stack = await startGuardedStack(GIT_TOKEN, {
    vars: VARS,
    token: VARS.API_TOKEN,
    onLog: (line) => logged.push(line),
  });
  const { GLOBAL_FLAGGED, ...values } = GLOBAL;
  await stack.api.call('PUT', '/v1/environment', {
    ...values,
    GLOBAL_FLAGGED: { value: GLOBAL_FLAGGED, secret: true },
  });
  for (const scope of ['read', 'dispatch', 'admin']) await makeToken(scope);
});
afterAll(() => stack.stop());

describe('on a plain host', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await live('plain');
  });

  test('nothing that is shown holds a secret, and what is no secret is there', async () => {
    await ask('GET', '/v1/tokens');
    await ask('GET', '/v1/audit');
    await ask('GET', '/v1/environment');
    await ask('GET', '/v1/projects');
    see('worker log', logged.join('\n'));
    expect(findSecrets(allSecrets(), seen)).toEqual([]);
    const places = findSecrets({ VISIBLE }, seen).map((line) => line.replace(/ #.*/, ''));
    expect(places).toEqual(
      expect.arrayContaining([
        `GET ${project.path('/workspaces/ABC-1/attempts/1')}`,
        `GET ${project.path('/workspaces/ABC-1/attempts/1/log')}`,
        `events ${project.path('/workspaces/ABC-1/events')}`,
      ]),
    );
  });

  test('refused requests do not quote what they were sent', async () => {
    const secret = plain('refused');
    const bodies = [
      `{"MY_TOKEN": {"value": "${secret}", "surprise": 1}}`,
      `{"MY_TOKEN": ["${secret}"]}`,
      `{"MY_TOKEN": "${secret}"`,
    ];
    const answers = [
      ...(await Promise.all(bodies.map((body) => ask('PUT', project.path('/environment'), body)))),
      await ask('PUT', project.path('/credential'), `{"kind": "token", "token": "${secret}", "x": 1}`),
      await ask('PUT', project.path('/credential'), `{"kind": "password", "token": "${secret}"}`),
      await ask('PUT', project.path('/credential'), `{"kind": "token", "token": "${secret}`),
      await ask('PUT', project.path(), `{"repository": {"url": "https://x:${secret}@example.com/a.git"}}`),
      await ask('POST', '/session', `{"token": "${secret}"}`),
    ];
    for (const answer of answers) expect(answer).toMatch(/^4\d\d /);
    expect(answers.filter((answer) => answer.includes(secret))).toEqual([]);
  });

  test('the SQLite files and snapshots of the Worker hold no secret in clear', () => {
    const disk = readTree(join(stack.folder, 'state', 'worker'), 'worker');
    expect([...disk.keys()].filter((name) => name.includes('.sqlite')).length).toBeGreaterThan(3);
    expect(findSecrets(allSecrets(), disk)).toEqual([]);
    expect(findSecrets({ VISIBLE }, disk)).not.toEqual([]);
  });

  test("the sandbox host's folders hold no secret", () => {
    const disk = new Map([
      ...readTree(join(stack.folder, 'state', 'host'), 'state'),
      ...readTree(join(stack.folder, 'temp'), 'temp'),
      ...readTree(join(stack.folder, 'home'), 'home'),
    ]);
    expect(findSecrets(allSecrets(), disk)).toEqual([]);
  });

  test('no hook finds an agent credential, in its environment, any process or any file', () => {
    for (const hook of ['after_create', 'before_run', 'after_run'])
      for (const part of ['environment', 'processes', 'files', 'git']) {
        const secrets = only(new RegExp(` (?:${CREDENTIAL_NAMES.join('|')})$`));
        expect(Object.keys(secrets)).toHaveLength(12);
        expect(findSecrets(secrets, new Map([[`${hook} ${part}`, loot(project, hook, part)]]))).toEqual([]);
      }
  });

  test('neither hooks nor the agent find a push token, an API token or the encryption key', () => {
    const secrets = only(/^git/, /^API/, /^ENCRYPTION/);
    for (const role of ['after_create', 'before_run', 'agent', 'after_run'])
      for (const part of ['environment', 'processes', 'files', 'git'])
        expect(findSecrets(secrets, new Map([[`${role} ${part}`, loot(project, role, part)]]))).toEqual([]);
  });

  test('after the removal nothing is left but what is sealed', async () => {
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'removed');
    await ask('GET', project.path('/workspaces/ABC-1'));
    see('events', JSON.stringify(await project.events('ABC-1')));
    expect(findSecrets(allSecrets(), seen)).toEqual([]);
    expect(findSecrets(allSecrets(), readTree(join(stack.folder, 'state'), 'state'))).toEqual([]);
    expect(findSecrets(allSecrets(), readTree(join(stack.folder, 'temp'), 'temp'))).toEqual([]);
    expect(existsSync(`${project.tracePath}.loot.before_remove.environment`)).toBe(true);
    const bytes = [...seen.values()].reduce((sum, { length }) => sum + length, 0);
    console.log(
      `canary: ${Object.keys(allSecrets()).length} secrets in 9 forms, ${seen.size} outputs and answers of ${bytes} bytes, ${readdirSync(stack.folder, { recursive: true }).length} files`,
    );
  });
});

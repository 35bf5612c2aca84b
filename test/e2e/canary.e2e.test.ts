/**
 * A unique value in every secret place, hooks and an agent that hunt for them, and a search through everything that is kept or shown:
 * outputs, logs, events, API answers, errors, the objects' SQLite files, snapshots and the sandbox host's own folders.
 */
import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CREDENTIAL_NAMES } from '../../src/core/hook-env.ts';
import { type GuardedStack, startGuardedStack } from '../support/guarded-stack.ts';
import { type Canary, startCanary } from '../support/canary.ts';
import { buildHostileGit } from '../support/hostile-git.ts';
import { findSecrets, type Haystacks, readTree } from '../support/secret-search.ts';
import type { TestProject } from '../support/stack.ts';
import { tellStory } from '../support/story.ts';

const random = () => randomBytes(12).toString('hex');
/** With characters that every encoding writes in another way. */
const unique = (name: string) => `cnry-${name}-${random()}/+=&%~é${random()}`;
/** For places that take tokens only. */
const plain = (name: string) => `cnry-${name}-${random()}-${random()}`;

const SECRET_NAMES = ['MY_TOKEN', 'APP_SECRET', 'SIGNING_KEY', 'DB_PASSWORD'];
const layer = (of: string) => ({
  ...Object.fromEntries([...CREDENTIAL_NAMES].map((name) => [name, unique(`${of}-${name}`)])),
  ...Object.fromEntries(SECRET_NAMES.map((name) => [`${of}_${name}`, unique(`${of}-${name}`)])),
  [`${of}_FLAGGED`]: unique(`${of}-flagged`),
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

const DUMP_SOURCE = readFileSync(new URL('../support/hostile-dump.ts', import.meta.url), 'utf8');
const HOOKS = ['after_create', 'before_run', 'after_run', 'before_remove'];
const ROLES = ['after_create', 'before_run', 'agent', 'after_run', 'exec'];
const PARTS = ['environment', 'processes', 'files', 'git'];

const LONG = process.env['TEST_LONG'] !== undefined;

let stack: GuardedStack;
let canary: Canary;
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

/** In the repository, for a sandbox need not see this one; a private /tmp hides this Node, too. */
const DUMP = 'dump.mjs';
const dump = (role: string) => `"\${NODE:-node}" ./${DUMP} ${role} "$TRACE.loot" $LOOK_INTO`;
const WORKFLOW = (plant: string) => `hooks:
${HOOKS.map((hook) => `  ${hook}: echo "$PLAIN_VALUE"; ${dump(hook)}`).join('\n')}
  timeout_ms: 60000
agent:
  max_attempts: 1
  command: |
    echo "$PLAIN_VALUE"; ${dump('agent')}
    [ ! -e .git/evil-config ] || exit 0
    echo x >> work.txt; git add work.txt; git commit -qm work; echo y > open.txt
    ${plant.replaceAll('\n', '\n    ')}`;

interface Life {
  name: string;
  project: TestProject;
  path: string;
  /** What each role carried away, before the removal. */
  loot: Map<string, Buffer>;
}

async function makeToken(scope: string): Promise<void> {
  const { body } = await stack.api.call<{ token: string }>('POST', '/v1/tokens', { name: scope, scope });
  made[`API token ${scope}`] = body.token;
}

/** A whole life of a workspace in the hands of enemies, with somebody watching everything. */
async function live(name: string, isolation?: 'bubblewrap'): Promise<Life> {
  const plant = await buildHostileGit(canary, {
    honestUrls: [`${stack.host.url}/`, `${stack.passage.url}/`],
    evilUrl: `${stack.server.url}/evil.git/`,
    evilObjects: join(stack.server.path('evil'), 'objects'),
  });
  const project = await stack.guarded(name, {
    workflow: WORKFLOW(plant),
    files: { [DUMP]: stripTypeScriptTypes(DUMP_SOURCE) },
    ...(isolation ? { isolation } : {}),
  });
  const { PROJECT_FLAGGED, ...values } = PROJECT;
  const trace = isolation === undefined ? project.tracePath : '/tmp/trace';
  await stack.api.call('PUT', project.path('/environment'), {
    ...values,
    PROJECT_FLAGGED: { value: PROJECT_FLAGGED, secret: true },
    PLAIN_VALUE: VISIBLE,
    LOOK_INTO: [join(stack.folder, 'state'), join(stack.folder, 'temp')].join(' '),
    TRACE: trace,
    ...(isolation === undefined ? { NODE: process.execPath } : {}),
  });
  const projectEvents = listen(project.path('/events'));
  await project.dispatch('ABC-1', { title: 'hostile', state: 'Todo' });
  const events = listen(project.path('/workspaces/ABC-1/events'));
  const { path, head, saved } = await project.settled('ABC-1');
  expect(saved.status).toBe('saved');
  expect(await stack.server.sha(name, 'symphony/ABC-1')).toBe(head);
  if (LONG) await project.run('ABC-1');
  for (const shown of [
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
    await ask('GET', project.path(shown));
  await project.dispatch('ABC-1', { agent: 'external' });
  await project.until('ABC-1', 'waits for its caller', ({ phase }) => phase === 'agent_wait');
  const command = JSON.stringify({ command: dump('exec') });
  expect(await ask('POST', project.path('/workspaces/ABC-1/exec'), command)).toContain('"outcome":"ok"');
  const waiting = project.path(`/workspaces/ABC-1/attempts/${LONG ? 3 : 2}`);
  await ask('POST', `${waiting}/finish`, '{"outcome":"succeeded"}');
  await project.settled('ABC-1');
  await ask('GET', `${waiting}/log`);
  await events.end();
  await projectEvents.end();
  see(`recorded events of ${name}`, JSON.stringify(await project.events('ABC-1')));
  const folder = isolation === undefined ? trace : `${stateOf(path ?? '')}/private/tmp/trace`;
  const loot = new Map(
    ROLES.flatMap((role) =>
      PARTS.map((part) => [`${role} ${part}`, readFileSync(`${folder}.loot.${role}.${part}`)] as const),
    ),
  );
  // What an agent wrote down of its own credentials is its own matter; the rest of the disk is searched.
  for (const role of ROLES) for (const part of PARTS) rmSync(`${folder}.loot.${role}.${part}`);
  return { name, project, path: path ?? '', loot };
}

/** The supervisor's folder of a workspace. */
const stateOf = (path: string) => join(dirname(path), '.edge-harness', basename(path));

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
  canary = await startCanary(stack.folder);
  await stack.server.repository('evil', { bare: 'empty' });
  const { GLOBAL_FLAGGED, ...values } = GLOBAL;
  await stack.api.call('PUT', '/v1/environment', {
    ...values,
    GLOBAL_FLAGGED: { value: GLOBAL_FLAGGED, secret: true },
  });
  for (const scope of ['read', 'dispatch', 'admin']) await makeToken(scope);
});
afterAll(async () => {
  await canary.close();
  await stack.stop();
});

let lives: { plain: Life; confined: Life | null };

/** One after the other: on a plain host a hook sees the processes of every other workspace. */
beforeAll(async () => {
  const plainLife = await live('plain');
  lives = { plain: plainLife, confined: hasConfinedNode() ? await live('confined', 'bubblewrap') : null };
  if (lives.confined === null)
    console.log('canary: skipped under bubblewrap, for it, or a Node, is not there');
});

const allLives = (): Life[] => [lives.plain, ...(lives.confined === null ? [] : [lives.confined])];

/** Whether a script under bubblewrap has a Node to hunt with. */
function hasConfinedNode(): boolean {
  const view = ['--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', '--tmpfs', '/tmp'];
  return spawnSync('bwrap', [...view, 'node', '--version'], { timeout: 10_000 }).status === 0;
}

test('nothing that is shown holds a secret, and what is no secret is there', async () => {
  for (const path of ['/v1/tokens', '/v1/audit', '/v1/environment', '/v1/projects']) await ask('GET', path);
  see('worker log', logged.join('\n'));
  expect(findSecrets(allSecrets(), seen)).toEqual([]);
  const places = findSecrets({ VISIBLE }, seen).map((line) => line.replace(/ #.*/, ''));
  for (const { project } of allLives())
    expect(places).toEqual(
      expect.arrayContaining([
        `GET ${project.path('/workspaces/ABC-1/attempts/1')}`,
        `GET ${project.path('/workspaces/ABC-1/attempts/1/log')}`,
        `events ${project.path('/workspaces/ABC-1/events')}`,
      ]),
    );
});

test('refused requests do not quote what they were sent', async () => {
  const { project } = lives.plain;
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

test('the development server hands a snapshot to nobody who does not know the name of its bucket', async () => {
  const keys = [1, 2, 3].flatMap((attempt) =>
    Array.from({ length: 30 }, (_, effect) => `g1-a${attempt}-e${effect}-snapshot`),
  );
  const found = async (bucket: string) => {
    const { id } = lives.plain.project;
    const answers = keys.map(async (key) => {
      const url = `${stack.stack.url}/cdn-cgi/local/r2/public/${bucket}/${id}/ABC-1/${key}`;
      const answer = await fetch(url);
      await answer.body?.cancel();
      return answer.ok;
    });
    return (await Promise.all(answers)).filter(Boolean).length;
  };
  expect(await found('SNAPSHOTS')).toBe(0);
  const name = readFileSync(join(stack.folder, 'state', 'worker', 'snapshots-name'), 'utf8');
  expect(await found(name)).toBeGreaterThan(0);
});

test("the sandbox host's folders hold no secret", () => {
  const disk = new Map([
    ...readTree(join(stack.folder, 'state', 'host'), 'state'),
    ...readTree(join(stack.folder, 'temp'), 'temp'),
    ...readTree(join(stack.folder, 'home'), 'home'),
  ]);
  expect(findSecrets(allSecrets(), disk)).toEqual([]);
});

describe.each([
  ['on a plain host', () => lives.plain],
  ['under bubblewrap', () => lives.confined],
])('%s', (place, lifeThere) => {
  let life: Life;

  beforeEach(({ skip }) => {
    const lived = lifeThere();
    if (lived === null) skip(`nobody lived ${place}`);
    else life = lived;
  });

  const looted = (...roles: string[]): Haystacks =>
    new Map([...life.loot].filter(([name]) => roles.includes(name.split(' ')[0] ?? '')));

  test('no hook finds an agent credential, in its environment, any process or any file', () => {
    const secrets = only(new RegExp(` (?:${CREDENTIAL_NAMES.join('|')})$`));
    expect(Object.keys(secrets)).toHaveLength(12);
    expect(findSecrets(secrets, looted('after_create', 'before_run', 'after_run'))).toEqual([]);
    expect(findSecrets(secrets, looted('agent'))).not.toEqual([]);
  });

  test('neither hooks nor the agent find a push token, an API token or the encryption key', () => {
    expect(findSecrets(only(/^git/, /^API/, /^ENCRYPTION/), looted(...ROLES))).toEqual([]);
  });

  test('nothing of what the agent planted runs, and the branch is at the right remote alone', async () => {
    const { project, path } = life;
    expect(await canary.traces()).toEqual([]);
    await stack.api.call('POST', project.path('/workspaces/ABC-1/save'));
    const { head, saved } = await project.settled('ABC-1');
    expect(saved.status).toBe('saved');
    expect(await stack.server.sha(life.name, 'symphony/ABC-1')).toBe(head);
    expect(await stack.server.git('evil', 'for-each-ref')).toBe('');
    expect(await canary.traces()).toEqual([]);
    // The traps are set: plain git springs them.
    for (const args of [['status'], ['ls-remote', 'origin']])
      await promisify(execFile)('git', args, { cwd: path, env: { PATH: process.env['PATH'] } }).catch(
        () => null,
      );
    expect(await canary.traces()).toEqual(expect.arrayContaining(['filter-process', 'included', 'port']));
    await canary.forget();
  });

  test('after the removal nothing is left but what is sealed', async () => {
    const { project } = life;
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'removed');
    await ask('GET', project.path('/workspaces/ABC-1'));
    const events = await project.events('ABC-1');
    expect(tellStory(events)).toContain('before_remove ok');
    see('events', JSON.stringify(events));
    expect(findSecrets(allSecrets(), seen)).toEqual([]);
    expect(findSecrets(allSecrets(), readTree(join(stack.folder, 'state'), 'state'))).toEqual([]);
    expect(findSecrets(allSecrets(), readTree(join(stack.folder, 'temp'), 'temp'))).toEqual([]);
    expect(await canary.traces()).toEqual([]);
    const bytes = [...seen.values()].reduce((sum, { length }) => sum + length, 0);
    console.log(
      `canary ${place}: ${Object.keys(allSecrets()).length} secrets in 9 forms, ${seen.size} outputs and answers of ${bytes} bytes, ${readdirSync(stack.folder, { recursive: true }).length} files`,
    );
  });
});

test('under bubblewrap neither hooks nor the agent find the sandbox host’s token, or anything of its state', ({
  skip,
}) => {
  if (lives.confined === null) return skip('nobody lived under bubblewrap');
  const loot = new Map(lives.confined.loot);
  expect(findSecrets(only(/^sandbox host/), loot)).toEqual([]);
  for (const [name, bytes] of loot)
    expect([name, bytes.includes(join(stack.folder, 'state', 'host', 'supervisor.log'))]).toEqual([
      name,
      false,
    ]);
});

/** Location docker over the whole stack, on a real engine. Skipped, with the reason, where none answers. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ProjectView } from '../../src/core/api.ts';
import { CREDENTIAL_NAMES } from '../../src/core/hook-env.ts';
import { readProcesses } from '../../src/sandbox/supervisor/process-table.ts';
import { type DockerForTests, findDocker } from '../support/docker-image.ts';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';
import { openTerminal, useTerminal } from '../support/terminal-client.ts';

let stack: TestStack;
let docker: DockerForTests = { reason: 'not asked yet' };

beforeAll(async () => {
  docker = await findDocker();
  if ('reason' in docker) return console.log(`location docker: skipped, ${docker.reason}`);
  stack = await startTestStack();
  await stack.api.call('PUT', '/v1/environment', { SHARED: 'global', LANG: 'C' });
});
afterAll(() => stack?.stop());
beforeEach(({ skip }) => {
  if ('reason' in docker) skip(docker.reason);
});

const HOOKS = ['after_create', 'before_run', 'after_run'];
/** What a process finds around it, as lines of its stdout. */
const FACTS =
  'echo "at $PWD"; echo "folders $(ls -x / -w 0)"; echo "network $(grep -o "^ *[a-z]*[0-9]*:" /proc/net/dev | grep -cv lo:)"; echo "first $(cat /proc/1/comm)"; env | grep -v "^_="';

interface Settings {
  network?: string;
  hooks?: string;
  agent?: string;
  more?: string;
}

async function dockerProject({ network = 'all', hooks, agent, more = '' }: Settings): Promise<TestProject> {
  const image = 'image' in docker ? docker.image : '';
  const project = await stack.project({
    location: 'docker',
    workflow: `hooks:
${hooks ?? HOOKS.map((hook) => `  ${hook}: ${FACTS}`).join('\n')}
agent:
  max_attempts: 1
  command: ${agent ?? `${FACTS}; echo x > work.txt; git add work.txt; git commit -qm work`}
docker:
  image: ${image}
  env: [SHARED, PASSED, LANG]
network: ${network}
${more}`,
  });
  await stack.api.call('PUT', project.path('/environment'), {
    PASSED: 'line one\nline two',
    WITHHELD: 'not listed',
    ...Object.fromEntries(CREDENTIAL_NAMES.map((name) => [name, `value-of-${name}`])),
  });
  return project;
}

/** stdout of each process of an attempt, by its name. */
async function outputs(project: TestProject, number = 1): Promise<Record<string, string>> {
  const { hooks, agent } = await project.attempt('ABC-1', number);
  return Object.fromEntries([
    ...hooks.map(({ hook, stdout }) => [hook, stdout?.text ?? '']),
    ['agent', agent?.stdout?.text ?? ''],
  ]);
}

const namesIn = (output = '') => output.split('\n').flatMap((line) => /^([A-Za-z_]+)=/.exec(line)?.[1] ?? []);
const fact = (output = '', name = '') => new RegExp(`^${name} (.*)$`, 'm').exec(output)?.[1];

/** Of one workspace. */
async function containers(path: string | null): Promise<string[]> {
  const { stdout } = await promisify(execFile)('docker', ['ps', '-aq', '--filter', `volume=${path}`]);
  return stdout.split('\n').filter(Boolean);
}

/** The docker clients that wait for a workspace's containers. */
const findClients = (path: string): number[] =>
  readProcesses().flatMap(({ pid }) => {
    const command = readCommand(pid);
    return command.startsWith('docker\0run\0') && command.includes(`"source=${path}"`) ? [pid] : [];
  });

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('a life in containers', () => {
  let project: TestProject;
  let output: Record<string, string>;
  let path: string | null;

  beforeAll(async () => {
    if ('reason' in docker) return;
    const beforeRemove = '[ "$(grep -c : /proc/net/dev)" = 1 ] && [ "$PWD" = /workspace ]';
    project = await dockerProject({
      hooks: [...HOOKS.map((hook) => `  ${hook}: ${FACTS}`), `  before_remove: '${beforeRemove}'`].join('\n'),
    });
    ({ path } = await project.run('ABC-1', { state: 'Todo' }));
    output = await outputs(project);
  });

  test('what the agent commits in its container arrives at the remote', async () => {
    const { head, saved, last_attempt } = await project.view('ABC-1');
    expect({ saved, last_attempt }).toMatchObject({
      saved: { status: 'saved' },
      last_attempt: { outcome: 'succeeded' },
    });
    expect(await stack.server.sha(project.id, 'symphony/ABC-1')).toBe(head);
  });

  test.each([...HOOKS, 'agent'])(
    '%s runs at /workspace, under an init, with nothing else of the machine',
    (name) => {
      expect(fact(output[name], 'at')).toBe('/workspace');
      expect(fact(output[name], 'first')).toMatch(/docker-init|tini/);
      expect(fact(output[name], 'folders')).not.toMatch(/work |srv|mnt/);
      expect(output[name]).not.toContain(stack.folder);
    },
  );

  test('the agent and the hooks around it have the network, after_create has none', () => {
    const networks = [...HOOKS, 'agent'].map((name) => [name, Number(fact(output[name], 'network')) > 0]);
    expect(Object.fromEntries(networks)).toEqual({
      after_create: false,
      before_run: true,
      after_run: true,
      agent: true,
    });
  });

  test('hooks get the image’s own set, SYMPHONY_*, the listed names and the git identity, nothing else', () => {
    const ofImage = ['HOME', 'HOSTNAME', 'OF_IMAGE', 'PATH', 'PWD', 'SHLVL'];
    const identity = ['AUTHOR', 'COMMITTER'].flatMap((who) => [`GIT_${who}_EMAIL`, `GIT_${who}_NAME`]);
    const task = ['ID', 'IDENTIFIER', 'TITLE', 'STATE', 'BRANCH'].map((name) => `SYMPHONY_ISSUE_${name}`);
    const common = [...task, 'SYMPHONY_WORKSPACE', 'SYMPHONY_WORKSPACE_KEY', 'SHARED', 'PASSED', 'LANG'];
    const hook = [...ofImage, ...identity, ...common, 'SYMPHONY_HOOK'];
    expect(namesIn(output['after_create']).sort()).toEqual(hook.sort());
    expect(namesIn(output['before_run']).sort()).toEqual([...hook, 'SYMPHONY_ATTEMPT'].sort());
    expect(namesIn(output['agent']).sort()).toEqual(
      [...ofImage, ...identity, ...common, 'SYMPHONY_ATTEMPT', ...CREDENTIAL_NAMES].sort(),
    );
    expect(output['before_run']).toContain('\nSYMPHONY_WORKSPACE=/workspace\n');
    // A listed name has the value that was set for it, also where the machine's base set has the name.
    expect(output['before_run']).toContain('\nLANG=C\n');
    expect(output['before_run']).toContain('\nPASSED=line one\nline two\n');
  });

  test('a terminal is a container of its own, which is gone when it is left', async () => {
    const screen = await useTerminal(
      stack.stack,
      project.path('/workspaces/ABC-1'),
      `{ ${FACTS}; } > terminal.txt; cat work.txt`,
    );
    expect(screen).toContain('x\r\n');
    const text = await stack.api.get<string>(project.path('/workspaces/ABC-1/files?path=terminal.txt'));
    expect(fact(text, 'at')).toBe('/workspace');
    expect(Number(fact(text, 'network'))).toBeGreaterThan(0);
    expect(namesIn(text)).not.toContain('PASSED');
    await expect.poll(() => containers(path)).toEqual([]);
  });

  test('a terminal whose page goes away takes its container along', async () => {
    const socket = openTerminal(stack.stack, project.path('/workspaces/ABC-1'));
    await expect.poll(() => containers(path)).toHaveLength(1);
    socket.close();
    await expect.poll(() => containers(path)).toEqual([]);
  });

  test('before_remove runs in a container without a network, and nothing is left', async () => {
    await project.setState('ABC-1', 'Done');
    await project.status('ABC-1', 'removed');
    expect(await project.story('ABC-1')).toContain('before_remove ok');
    expect(existsSync(path ?? '')).toBe(false);
    expect(await containers(path)).toEqual([]);
  });
});

describe.concurrent('in a container', () => {
  test('`network: none` leaves nobody a network', async () => {
    const project = await dockerProject({ network: 'none' });
    await project.run('ABC-1');
    const output = await outputs(project);
    for (const name of [...HOOKS, 'agent']) expect(fact(output[name], 'network')).toBe('0');
  });

  test('a list of hosts as `network` is refused', async () => {
    const project = await dockerProject({});
    const before = await stack.api.get<string>(project.path('/workflow'));
    const text = before.replace('network: all', 'network: [api.example.com]');
    const refused = await stack.api.call<{ code: string }>('PUT', project.path('/workflow'), text, [422]);
    expect(refused.body.code).toBe('workflow_invalid');
  });

  test('a hook past its time and what it left behind are gone with the container', async () => {
    const project = await dockerProject({
      hooks: '  before_run: trap "" TERM; setsid sleep 1000 & sleep 1000\n  timeout_ms: 1500',
    });
    const { path } = await project.run('ABC-1');
    expect(await project.attempt('ABC-1', 1)).toMatchObject({
      outcome: 'failed',
      hooks: [expect.objectContaining({ hook: 'before_run', outcome: 'timeout' })],
    });
    expect(await containers(path)).toEqual([]);
  });

  test('a cancelled agent is gone with its container', async () => {
    const project = await dockerProject({ hooks: '  before_run: "true"', agent: 'touch here; sleep 1000' });
    const { workspace } = await project.dispatch('ABC-1');
    const { path } = await project.until('ABC-1', 'runs its agent', (view) =>
      existsSync(join(view.path ?? '/nowhere', 'here')),
    );
    await stack.api.call('POST', project.path(`/workspaces/${workspace.key}/attempts/1/cancel`));
    expect((await project.settled('ABC-1')).last_attempt?.outcome).toBe('cancelled');
    expect(await containers(path)).toEqual([]);
  });

  test('a docker client that is killed takes its container along', async () => {
    const project = await dockerProject({ hooks: '  before_run: "true"', agent: 'touch here; sleep 1000' });
    await project.dispatch('ABC-1');
    const { path } = await project.until('ABC-1', 'runs its agent', (view) =>
      existsSync(join(view.path ?? '/nowhere', 'here')),
    );
    for (const pid of findClients(path ?? '')) process.kill(pid, 'SIGKILL');
    const { last_attempt } = await project.settled('ABC-1');
    expect(last_attempt?.outcome).toBe('failed');
    await expect.poll(() => containers(path)).toEqual([]);
  });

  test('a script of 150 KB runs, and an exit code comes back', async () => {
    const project = await dockerProject({
      hooks: '  before_run: "true"',
      agent: `|\n    echo long\n    # ${'x'.repeat(150_000)}\n    exit 7`,
    });
    await project.run('ABC-1');
    expect((await project.attempt('ABC-1', 1)).agent).toMatchObject({
      outcome: 'failed',
      exit_code: 7,
      stdout: { text: 'long\n' },
    });
  });

  test('with `sandbox.hooks: host` hooks run on the machine, the agent does not, and the API warns', async () => {
    const project = await dockerProject({ more: 'sandbox:\n  hooks: host' });
    const { warnings } = await stack.api.get<ProjectView>(project.path());
    expect(warnings).toEqual([
      {
        code: 'hooks_on_host',
        message: expect.stringContaining('hooks run outside the sandbox in a directory the agent controls'),
      },
    ]);
    const { path } = await project.run('ABC-1');
    const output = await outputs(project);
    for (const hook of HOOKS) {
      expect(fact(output[hook], 'at')).toBe(path);
      expect(namesIn(output[hook])).toEqual(expect.arrayContaining(['SYMPHONY_WORKFLOW_DIR', 'WITHHELD']));
      expect(namesIn(output[hook])).not.toContain('OPENAI_API_KEY');
    }
    expect(fact(output['agent'], 'at')).toBe('/workspace');
    expect(namesIn(output['agent'])).not.toContain('WITHHELD');
  });
});

test('a sandbox host that is started again finds its containers, and no terminal outlives it', async () => {
  const project = await dockerProject({
    hooks: '  before_run: "true"',
    agent: 'touch here; until [ -e go ]; do sleep 0.1; done; echo done',
  });
  await project.dispatch('ABC-1');
  const { path } = await project.until('ABC-1', 'runs its agent', (view) =>
    existsSync(join(view.path ?? '/nowhere', 'here')),
  );
  const terminal = openTerminal(stack.stack, project.path('/workspaces/ABC-1'));
  terminal.on('message', (data: Buffer) => {
    // A shell at its prompt would end by itself.
    if (data.toString('utf8').includes('"ready"'))
      terminal.send(Buffer.from('touch busy; exec sleep 1000\n'));
  });
  await expect.poll(() => existsSync(join(path ?? '', 'busy'))).toBe(true);
  expect(await containers(path)).toHaveLength(2);
  process.kill(stack.stack.host.pid(), 'SIGKILL');
  writeFileSync(join(path ?? '', 'go'), '');
  expect((await project.settled('ABC-1')).last_attempt?.outcome).toBe('succeeded');
  expect((await project.attempt('ABC-1', 1)).agent?.stdout?.text).toBe('done\n');
  terminal.terminate();
  await expect.poll(() => containers(path)).toEqual([]);
});

/** isolation "bubblewrap" over the whole stack: what hooks, the agent and a person at a terminal see of the machine, and what they can write. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SupervisorClient } from '../../src/sandbox/client.ts';
import { createLoopback } from '../../src/sandbox/loopback.ts';
import { readProcesses } from '../../src/sandbox/supervisor/process-table.ts';
import { startTestStack, type TestProject, type TestStack } from '../support/stack.ts';
import { openTerminal, useTerminal } from '../support/terminal-client.ts';

const HOOKS = ['after_create', 'before_run', 'after_run'];
const OUTSIDE = ['/etc', '/usr', '/var/tmp'];
const NAMESPACES = ['pid', 'mnt', 'ipc'];
/** Arguments of processes on the host, to be found by. */
const NAP = `86411.${process.pid}`;
const DAEMON = `86413.${process.pid}`;
const TERMINAL_NAP = `86412.${process.pid}`;

/** Writes facts as lines into the workspace. The patterns do not match their own command line, or file. */
const PROBE = `{
  for ns in ${NAMESPACES.join(' ')}; do echo "ns-$ns $(readlink /proc/self/ns/$ns)"; done
  grep -lazs "[8]${NAP.slice(1)}" /proc/[0-9]*/cmdline >/dev/null && echo "host process seen"
  cat "$STATE"/supervisor.log >/dev/null && echo "supervisor's state read"
  grep -lazs "[8]${DAEMON.slice(1)}" /proc/[0-9]*/cmdline >/dev/null && echo "daemon of before_run seen"
  grep -rqs "[i]n-the-other-workspace" "$ROOTS" && echo "other workspace read"
  grep -qs in-the-home "$HOME/note" && echo "person's home read"
  for place in $OUTSIDE "$FOLDER" "$ROOTS" "$HOME" "$PWD"; do
    touch "$place/written-by-probe" && echo "writes $place"
  done
  [ -z "$OUTSIDE" ] || { mount -o remount,rw / && echo "root remounted"; }
} >"probe.$1" 2>/dev/null
true
`;

const WORKFLOW = `hooks:
${HOOKS.map((hook) => `  ${hook}: bash ./probe.sh ${hook}${hook === 'before_run' ? '; sleep "$DAEMON" >/dev/null 2>&1 &' : ''}`).join('\n')}
agent:
  max_attempts: 1
  command: bash ./probe.sh agent; echo x > work.txt; git add work.txt; git commit -qm work`;

let stack: TestStack;
let hasBubblewrap = false;
let nap: ChildProcess;

beforeAll(async () => {
  stack = await startTestStack();
  const { url, token } = stack.stack.host;
  const health = await new SupervisorClient(createLoopback(url, token)).health();
  hasBubblewrap = health.kind === 'answer' && health.value.confinements.includes('bubblewrap');
  writeFileSync(join(stack.folder, 'home', 'note'), 'in-the-home');
  nap = spawn('sleep', [NAP], { stdio: 'ignore' });
});
afterAll(async () => {
  nap.kill();
  await stack.stop();
});
beforeEach(({ skip }) => skip(!hasBubblewrap, 'bubblewrap is not there, or may make no namespaces'));

async function live(isolation?: 'bubblewrap'): Promise<[TestProject, string]> {
  const project = await stack.project({
    workflow: WORKFLOW,
    files: { 'probe.sh': PROBE },
    ...(isolation ? { isolation } : {}),
  });
  // A plain host would really have it written there.
  const outside = isolation === undefined ? '' : OUTSIDE.join(' ');
  await stack.api.call('PUT', project.path('/environment'), { ...settings(), OUTSIDE: outside });
  const { path, last_attempt, saved } = await project.run('ABC-1');
  expect({ last_attempt, saved }).toMatchObject({
    last_attempt: { outcome: 'succeeded' },
    saved: { status: 'saved' },
  });
  return [project, path ?? ''];
}

const roots = () => join(stack.folder, 'temp', 'symphony_workspaces');
const settings = () => ({
  FOLDER: stack.folder,
  DAEMON,
  STATE: join(stack.folder, 'state', 'host'),
  ROOTS: roots(),
});

const factsOf = (directory: string, role: string): string[] =>
  readFileSync(join(directory, `probe.${role}`), 'utf8')
    .trimEnd()
    .split('\n');
const namespace = (facts: string[], name: string) => facts.find((fact) => fact.startsWith(`ns-${name} `));
const seen = (facts: string[]) => facts.filter((fact) => !fact.startsWith('ns-'));

describe('under bubblewrap', () => {
  let project: TestProject;
  let directory: string;

  beforeAll(async () => {
    if (!hasBubblewrap) return;
    mkdirSync(join(roots(), 'neighbour'), { recursive: true });
    writeFileSync(join(roots(), 'neighbour', 'file'), 'in-the-other-workspace');
    [project, directory] = await live('bubblewrap');
    const values = Object.entries({ ...settings(), OUTSIDE: OUTSIDE.join(' ') }).map(
      ([name, value]) => `${name}='${value}'`,
    );
    await useTerminal(
      stack.stack,
      project.path('/workspaces/ABC-1'),
      `${values.join(' ')} bash ./probe.sh terminal`,
    );
  });

  test.each([...HOOKS, 'agent', 'terminal'])('%s has namespaces of its own', (role) => {
    const facts = factsOf(directory, role);
    for (const name of NAMESPACES) {
      expect(namespace(facts, name)).toMatch(/\[\d+\]$/);
      expect(namespace(facts, name)).not.toBe(`ns-${name} ${readlinkSync(`/proc/self/ns/${name}`)}`);
    }
  });

  test.each([...HOOKS, 'agent', 'terminal'])(
    '%s sees no process and no file of others, and writes to its workspace and its private home alone',
    (role) => {
      // The way to the workspace lies in its private /tmp: what is written beside it there stays there.
      const privately = [stack.folder, roots(), join(stack.folder, 'home')].map((place) => `writes ${place}`);
      const facts = seen(factsOf(directory, role)).filter((fact) => !privately.includes(fact));
      expect(facts).toEqual([`writes ${directory}`]);
    },
  );

  test('nothing of it was written on the machine but in the workspace', () => {
    for (const place of [...OUTSIDE, stack.folder, join(stack.folder, 'home'), roots()])
      expect(existsSync(join(place, 'written-by-probe'))).toBe(false);
    expect(existsSync(join(directory, 'written-by-probe'))).toBe(true);
  });

  test('a terminal that is hung up takes along what was started in it', async () => {
    const socket = openTerminal(stack.stack, project.path('/workspaces/ABC-1'));
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary && data.toString('utf8').includes('"ready"'))
        socket.send(Buffer.from(`setsid nohup sleep ${TERMINAL_NAP} & disown\n`));
    });
    await expect.poll(() => countProcesses(TERMINAL_NAP)).toBeGreaterThan(0);
    socket.close();
    await expect.poll(() => countProcesses(TERMINAL_NAP)).toBe(0);
  });
});

test('on a plain host the same probe sees and writes what it may not there: the probe is alive', async () => {
  const [, directory] = await live();
  const facts = seen(factsOf(directory, 'agent'));
  expect(facts).toEqual(
    expect.arrayContaining([
      'host process seen',
      "supervisor's state read",
      'other workspace read',
      "person's home read",
      'daemon of before_run seen',
      `writes ${join(stack.folder, 'home')}`,
      `writes ${stack.folder}`,
    ]),
  );
});

const countProcesses = (argument: string): number =>
  readProcesses().filter(({ pid }) => readCommand(pid).startsWith(`sleep\0${argument}\0`)).length;

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** `npm run dev` and `npm run demo` as a person uses them: mistakes on the command line, two servers in one folder, Ctrl-C. */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { ApiClient } from '../../scripts/stack/api-client.ts';
import { findLeftovers } from '../support/leftovers.ts';

vi.setConfig({ testTimeout: 120_000 });

const SCRIPTS = fileURLToPath(new URL('../../scripts', import.meta.url));
const home = realpathSync(mkdtempSync(join(tmpdir(), 'eh-scripts-')));
const groups = new Set<number>();

afterAll(() => {
  for (const group of groups) process.kill(-group, 'SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

const environment = (folder: string, more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  PORT: '0',
  TMPDIR: folder,
  HOST_ROOTS: join(folder, 'workspaces'),
  ...more,
});

function makeFolder(name: string): string {
  const folder = join(home, name);
  mkdirSync(folder);
  return folder;
}

const runDev = (folder: string, argv: string[], more?: Record<string, string>) =>
  spawnSync(process.execPath, [join(SCRIPTS, 'dev.ts'), ...argv], {
    cwd: folder,
    env: environment(folder, more),
    encoding: 'utf8',
  });

interface Running {
  output: () => string;
  /** As Ctrl-C in a terminal: to the whole group, and from npm once more. */
  interrupt(): Promise<number | null>;
}

/** In a group of its own, as a shell starts it; resolved once it has said `ready`. */
async function start(
  script: string,
  folder: string,
  argv: string[],
  ready: string,
  more?: Record<string, string>,
): Promise<Running> {
  const child = spawn(process.execPath, [join(SCRIPTS, script), ...argv], {
    cwd: folder,
    env: environment(folder, more),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = child.pid as number;
  groups.add(group);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      groups.delete(group);
      resolve(code);
    });
  });
  await expect.poll(() => output, { timeout: 60_000 }).toContain(ready);
  const interrupt = () => {
    process.kill(-group, 'SIGINT');
    process.kill(group, 'SIGINT');
    return ended;
  };
  return { output: () => output, interrupt };
}

const urlOf = ({ output }: Running): string => /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0] ?? '';

describe('a mistake on the command line gets one line and the usage', () => {
  const folder = makeFolder('mistakes');
  test.each([
    ['an option of another name', ['--projekt', 'shop'], {}, "Unknown option '--projekt'"],
    ['a repository of no project', ['--repository', '.'], {}, 'name it with --project'],
    ['no project id', ['--project', 'Bad!'], {}, 'small letters'],
    ['no such folder', ['--project', 'shop', '--repository', 'nope'], {}, 'there is no such folder'],
    ['no such file', ['--project', 'shop', '--workflow', 'WORKFLOW.md'], {}, 'there is no such file'],
    ['no number', [], { PORT: 'http' }, 'PORT is "http"'],
    ['no port', [], { PORT: '80000' }, 'PORT is "80000"'],
  ])('%s', (_, argv, more, said) => {
    const { status, stderr } = runDev(folder, argv, more);
    expect(stderr).toContain(said);
    expect(stderr).toContain('usage: npm run dev');
    expect(stderr).not.toContain('    at ');
    expect(status).toBe(2);
  });
});

test('a second server in the same folder is refused; a Ctrl-C ends the first in order, and the next one starts', async () => {
  const folder = makeFolder('dev');
  const first = await start('dev.ts', folder, [], 'Ctrl-C ends it.');
  const second = runDev(folder, []);
  expect(second.stderr).toMatch(/^error: another server works with .*\.edge-harness: end that one first/);
  expect(second.status).toBe(1);
  const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(first.output())?.[1] ?? '';
  const other = runDev(makeFolder('dev-other'), [], { PORT: port });
  expect(other.stderr).toBe(
    `error: port ${port} is in use: end what listens there, or choose another with PORT=…\n`,
  );
  expect(await first.interrupt()).toBe(0);
  expect(first.output()).toContain('ending …');
  expect(await findLeftovers(folder)).toEqual([]);
  const third = await start('dev.ts', folder, [], 'Ctrl-C ends it.');
  expect(await third.interrupt()).toBe(0);
});

test('a Ctrl-C while it starts ends dev in order', async () => {
  const folder = makeFolder('starting');
  const dev = await start('dev.ts', folder, [], '');
  await expect.poll(() => existsSync(join(folder, '.edge-harness', 'host'))).toBe(true);
  expect(await dev.interrupt()).toBe(0);
  expect(dev.output()).toContain('ending …');
  expect(dev.output()).not.toContain('error');
  expect(await findLeftovers(folder)).toEqual([]);
});

test.each([
  ['holds several', 'first-token,second-token', 'token   first-token\n'],
  ['is blank', '', 'token   '],
])('dev starts where API_TOKEN %s', async (_, tokens, said) => {
  const folder = makeFolder(`tokens-${tokens.length}`);
  const dev = await start('dev.ts', folder, ['--project', 'shop'], 'Ctrl-C ends it.', { API_TOKEN: tokens });
  expect(dev.output()).toContain(said);
  const url = urlOf(dev);
  const statuses = tokens.split(',').map(async (token) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${url}/v1/projects`, { headers })).status;
  });
  expect(await Promise.all(statuses)).toEqual(tokens === '' ? [401] : [200, 200]);
  expect(await dev.interrupt()).toBe(0);
});

test('an attempt that a Ctrl-C of dev cut off is lost, not cancelled', async () => {
  const folder = makeFolder('cut-off');
  const file = join(folder, 'WORKFLOW.md');
  const root = join(folder, 'workspaces');
  writeFileSync(
    file,
    `---\nworkspace:\n  root: ${root}\nagent:\n  command: sleep 60\n  max_attempts: 1\n---\n`,
  );
  const argv = ['--project', 'shop', '--workflow', file];
  const token = { API_TOKEN: 'some-token-of-ours' };
  const dev = await start('dev.ts', folder, argv, 'Ctrl-C ends it.', token);
  const api = (running: Running) => new ApiClient(urlOf(running), token.API_TOKEN);
  await api(dev).call('POST', '/v1/projects/shop/dispatch', { task: { identifier: 'ABC-1' } });
  const path = '/v1/projects/shop/workspaces/ABC-1/attempts/1';
  await expect.poll(() => api(dev).get(path)).toMatchObject({ phase: 'agent' });
  expect(await dev.interrupt()).toBe(0);
  const again = await start('dev.ts', folder, argv, 'Ctrl-C ends it.', token);
  await expect
    .poll(() => api(again).get(path))
    .toMatchObject({
      outcome: 'lost',
      failure: { code: 'sandbox_lost', detail: 'The sandbox was ended while the script ran.' },
    });
  expect(await again.interrupt()).toBe(0);
});

test('a WORKFLOW.md that is refused at the start leaves the project with the folder of the last good one', async () => {
  const folder = makeFolder('refused');
  const good = join(folder, 'WORKFLOW.md');
  writeFileSync(good, '---\nworkspace:\n  root: workspaces\n---\nIts root is relative to this file.');
  const dev = await start('dev.ts', folder, ['--project', 'shop', '--workflow', good], 'Ctrl-C ends it.');
  expect(await dev.interrupt()).toBe(0);
  const other = join(makeFolder('refused-other'), 'WORKFLOW.md');
  writeFileSync(other, '---\nagent:\n  timeout_ms: soon\n---\n');
  const { status, stderr } = runDev(folder, ['--project', 'shop', '--workflow', other]);
  expect(stderr).toContain('agent.timeout_ms');
  expect(status).toBe(1);
  const folders = readFileSync(join(folder, '.edge-harness', 'host', 'workflow-folders.json'), 'utf8');
  expect(JSON.parse(folders)).toEqual({ shop: folder });
});

test('what dev says when the WORKFLOW.md that it watches is broken, gone, no file and right again', async () => {
  const folder = makeFolder('watched');
  const file = join(folder, 'WORKFLOW.md');
  writeFileSync(file, 'Work.\n');
  const dev = await start('dev.ts', folder, ['--project', 'shop', '--workflow', file], 'Ctrl-C ends it.');
  writeFileSync(file, '---\nhooks:\n  after_creat: x\n  timeout_ms: 60s\n---\n');
  await expect
    .poll(dev.output)
    .toContain('the last good one stays in force: WORKFLOW.md:3:3: hooks.after_creat is not a hook');
  expect(dev.output()).toMatch(/\n {2}4:\d+: .*timeout_ms/);
  rmSync(file);
  await expect.poll(dev.output).toContain('WORKFLOW.md is gone: the last good one stays in force');
  mkdirSync(file);
  await expect.poll(dev.output).toContain('WORKFLOW.md not applied, save it again: EISDIR');
  rmSync(file, { recursive: true });
  writeFileSync(file, '---\nagent:\n  comand: work\n---\nWork well.\n');
  await expect.poll(dev.output).toContain('WORKFLOW.md applied to shop');
  await expect.poll(dev.output).toContain('agent.comand (did you mean command?)');
  expect(await dev.interrupt()).toBe(0);
});

test.each(['dev', 'dev-docker', 'demo', 'test-container'])('%s -h says how it is used', (script) => {
  const run = spawnSync(process.execPath, [join(SCRIPTS, `${script}.ts`), '-h'], { encoding: 'utf8' });
  expect(run.stdout).toMatch(/^usage: npm run /);
  expect(run.status).toBe(0);
});

test('HOST_ROOTS may be relative', async () => {
  const dev = await start('dev.ts', makeFolder('relative'), [], 'Ctrl-C ends it.', { HOST_ROOTS: 'spaces' });
  expect(dev.output()).toContain(`roots   ${join(home, 'relative', 'spaces')}`);
  expect(await dev.interrupt()).toBe(0);
});

test('without git the demo says so, and leaves nothing', () => {
  const folder = makeFolder('no-git');
  const { status, stderr } = spawnSync(process.execPath, [join(SCRIPTS, 'demo.ts'), '--once'], {
    env: environment(folder, { PATH: folder }),
    encoding: 'utf8',
  });
  expect(stderr).toBe('error: git cannot be started: is it installed, and on the PATH?\n');
  expect(status).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test('a Ctrl-C ends the demo and removes everything', async () => {
  const folder = makeFolder('demo');
  const demo = await start('demo.ts', folder, [], 'dispatched "ABC-1"');
  await demo.interrupt();
  expect(demo.output()).not.toContain('the demo failed');
  expect(readdirSync(folder).filter((name) => name.startsWith('edge-harness-demo-'))).toEqual([]);
  expect(await findLeftovers(folder)).toEqual([]);
});

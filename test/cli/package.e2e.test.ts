/** The packed package, installed into an empty folder, as people get it: no TypeScript loader, no development dependency. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'harness-package-'));
const project = join(home, 'an empty földer');

const harness = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync('npx', ['--no-install', 'harness', ...args], { cwd: project, encoding: 'utf8' });

beforeAll(() => {
  mkdirSync(project);
  execFileSync('npm', ['pack', '--pack-destination', home], { cwd: PACKAGE, stdio: 'ignore' });
  const tarball = readdirSync(home).find((name) => name.endsWith('.tgz')) as string;
  writeFileSync(join(project, 'package.json'), '{"private": true}\n');
  execFileSync('npm', ['install', '--omit=dev', '--ignore-scripts', '--no-audit', join(home, tarball)], {
    cwd: project,
    stdio: 'ignore',
  });
}, 300_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

test(
  'harness runs from the installed package: init, add, plan, apply, validate',
  { timeout: 120_000 },
  () => {
    expect(harness('init', '--providers', 'claude,copilot,codex,cursor')).toMatchObject({ status: 0 });
    expect(harness('add', 'hook', 'h')).toMatchObject({ status: 0 });
    const document = { mode: 'best_effort', events: { stop: [{ type: 'command', command: 'x' }] } };
    writeFileSync(join(project, '.harness/src/hooks/h.json'), JSON.stringify(document));
    writeFileSync(
      join(project, '.harness/src/hooks/h.overrides.claude.yaml'),
      'version: 1\ntargetPath: .claude/settings.local.json\n',
    );
    expect(harness('plan').stdout).toContain('+++ b/.claude/settings.local.json');
    expect(harness('apply')).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(join(project, '.claude/settings.local.json'), 'utf8'))).toEqual({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'x' }] }] },
    });
    expect(harness('validate', '--json')).toMatchObject({ status: 0 });
  },
);

test('nothing else is installed with it', () => {
  const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(installed).toEqual(['edge-harness']);
});

test(
  'a broken override file is named with its line: the YAML parser is in the package',
  { timeout: 60_000 },
  () => {
    writeFileSync(join(project, '.harness/src/hooks/h.overrides.claude.yaml'), 'version: 1\nx: 2\n');
    const { status, stderr } = harness('validate');
    expect(status).toBe(1);
    expect(stderr).toContain('.harness/src/hooks/h.overrides.claude.yaml:2:1: error HOOK_OVERRIDE_INVALID');
    rmSync(join(project, '.harness/src/hooks/h.overrides.claude.yaml'));
  },
);

test('an older Node is told which one is needed', () => {
  const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.20.2"}})';
  const program = join(project, 'node_modules/edge-harness/dist/harness.mjs');
  const { status, stderr } = spawnSync(process.execPath, ['--import', old, program, 'plan'], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('error: harness needs Node 22 or newer; this is Node 20.20.2\n');
  expect(status).toBe(1);
});

test('key, workflow, --version and --help run as well', { timeout: 60_000 }, () => {
  expect(harness('key', 'ABC-1')).toMatchObject({ status: 0, stdout: 'ABC-1\n' });
  writeFileSync(join(project, 'WORKFLOW.md'), '---\nagent: [\n---\n');
  expect(harness('workflow', 'WORKFLOW.md')).toMatchObject({ status: 1 });
  expect(harness('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(harness('nonsense')).toMatchObject({ status: 2 });
});

import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { command, ScratchRepository } from './scratch-repository.ts';

describe('init', () => {
  test('writes a manifest with the providers in the table’s order', async () => {
    const repository = new ScratchRepository();
    expect(await repository.run('init --providers cursor,claude')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(repository.read('.harness/manifest.json'))).toEqual({
      version: 1,
      providers: ['claude', 'cursor'],
      entities: [],
    });
  });

  test('asks a person who gives no flags', async () => {
    const repository = new ScratchRepository();
    const asked: string[] = [];
    const ask = (question: string): Promise<string> =>
      Promise.resolve((asked.push(question), 'codex, copilot'));
    expect(await repository.run('init', { isTty: true, ask })).toMatchObject({ exitCode: 0 });
    expect(asked).toHaveLength(1);
    expect(JSON.parse(repository.read('.harness/manifest.json'))).toMatchObject({
      providers: ['copilot', 'codex'],
    });
  });

  test('asks nobody when no person is there', async () => {
    const repository = new ScratchRepository();
    expect(await repository.run('init')).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(repository.read('.harness/manifest.json'))).toMatchObject({ providers: [] });
  });

  test('a second time changes nothing, and other providers are refused', async () => {
    const repository = new ScratchRepository();
    await repository.run('init --providers claude');
    const before = repository.snapshot();
    expect(await repository.run('init')).toMatchObject({ exitCode: 0 });
    expect(await repository.run('init --providers claude')).toMatchObject({ exitCode: 0 });
    expect(await repository.run('init --providers cursor')).toMatchObject({ exitCode: 1 });
    expect(repository.snapshot()).toEqual(before);
  });

  test('an unknown provider is wrong usage', async () => {
    const result = await new ScratchRepository().run('init --providers gemini');
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("'gemini'");
  });
});

describe('provider', () => {
  test('enable and disable change the manifest, and repeating is no error', async () => {
    const repository = new ScratchRepository();
    await repository.run('init');
    for (const words of ['provider enable codex', 'provider enable claude', 'provider enable codex']) {
      expect(await repository.run(words)).toMatchObject({ exitCode: 0, stderr: '' });
    }
    expect(JSON.parse(repository.read('.harness/manifest.json'))).toMatchObject({
      providers: ['claude', 'codex'],
    });
    for (const words of ['provider disable codex', 'provider disable codex']) {
      expect(await repository.run(words)).toMatchObject({ exitCode: 0, stderr: '' });
    }
    expect(JSON.parse(repository.read('.harness/manifest.json'))).toMatchObject({ providers: ['claude'] });
  });

  test('disabling takes our entries out with the next apply', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude', 'cursor'], { h: command('stop', 'x') });
    await repository.run('apply');
    expect(repository.has('.cursor/hooks.json')).toBe(true);
    await repository.run('provider disable cursor');
    await repository.run('apply');
    expect(repository.has('.cursor/hooks.json')).toBe(false);
    expect(repository.has('.claude/settings.json')).toBe(true);
  });
});

describe('add hook', () => {
  test('scaffolds a source that applies without effect, and registers it', async () => {
    const repository = new ScratchRepository();
    await repository.run('init --providers claude,copilot,codex,cursor');
    const { exitCode, stdout } = await repository.run('add hook my.hook-1');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('It does nothing yet. Put a handler into an event');
    expect(JSON.parse(repository.read('.harness/manifest.json'))).toMatchObject({
      entities: [{ type: 'hook', id: 'my.hook-1' }],
    });
    expect(await repository.run('validate')).toMatchObject({
      exitCode: 0,
      stdout: 'valid    1 hook, 4 providers\n',
      stderr: '',
    });
    expect(await repository.run('apply')).toMatchObject({ exitCode: 0, stdout: 'Nothing to do.\n' });
  });

  test('adopts a source that lies there unregistered, as it is', async () => {
    const repository = new ScratchRepository();
    repository.set([], {});
    repository.write('.harness/src/hooks/h.json', '{"events": {}} ');
    expect(await repository.run('add hook h')).toMatchObject({ exitCode: 0 });
    expect(repository.read('.harness/src/hooks/h.json')).toBe('{"events": {}} ');
    expect(JSON.parse(repository.read('.harness/manifest.json'))).toMatchObject({ entities: [{ id: 'h' }] });
  });

  test('refuses a registered id, and an id that is none', async () => {
    const repository = new ScratchRepository();
    repository.set([], { h: { events: {} } });
    const before = repository.snapshot();
    expect(await repository.run('add hook h')).toMatchObject({ exitCode: 1 });
    for (const id of ['..', 'a/b', 'ü', 'a b'])
      expect(await repository.run(['add', 'hook', id])).toMatchObject({ exitCode: 2 });
    expect(repository.snapshot()).toEqual(before);
  });
});

describe('remove hook', () => {
  test('removes entity, source and override files; apply takes the entries out', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x'), keep: command('stop', 'y') });
    repository.write('.harness/src/hooks/h.overrides.claude.yaml', 'version: 1\n');
    await repository.run('apply');
    expect(await repository.run('remove hook h')).toMatchObject({ exitCode: 0 });
    expect(repository.has('.harness/src/hooks/h.json')).toBe(false);
    expect(repository.has('.harness/src/hooks/h.overrides.claude.yaml')).toBe(false);
    expect(await repository.run('apply')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(repository.read('.claude/settings.json')).not.toContain('"x"');
    expect(repository.read('.claude/settings.json')).toContain('"y"');
  });

  test('--no-delete-source keeps the file, which is a warning from then on', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    expect(await repository.run('remove hook h --no-delete-source')).toMatchObject({ exitCode: 0 });
    expect(repository.has('.harness/src/hooks/h.json')).toBe(true);
    const { ok, diagnostics } = await repository.json('validate');
    expect(ok).toBe(true);
    expect(diagnostics).toMatchObject([
      { code: 'HOOK_SOURCE_UNREGISTERED', severity: 'warning', path: '.harness/src/hooks/h.json' },
    ]);
  });

  test('an id that is not registered is refused, and the known ones are named', async () => {
    const repository = new ScratchRepository();
    repository.set([], { h: { events: {} } });
    const result = await repository.run('remove hook g');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('The registered hooks: h.');
  });
});

describe('any command', () => {
  test.each([
    ['', 'No command'],
    ['aply', "'aply'"],
    ['add', "'add'"],
    ['add hook', "'harness add hook' takes <hook-id>, but got nothing."],
    ['add hook a b', "takes <hook-id>, but got 'a' 'b'."],
    ['provider enable', '<provider>'],
    ['provider enable gemini', "'gemini'"],
    ['apply --force', "Unknown option '--force'.\nUsage: harness apply\n"],
    ['plan extra', "takes nothing, but got 'extra'."],
  ])('harness %s is wrong usage: exit code 2, and the right usage is shown', async (words, part) => {
    const repository = new ScratchRepository();
    repository.set([], {});
    const result = await repository.run(words.split(' ').filter((word) => word !== ''));
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toContain(part);
  });

  test('--json gives one document on standard output, also when the command is refused', async () => {
    const repository = new ScratchRepository();
    for (const words of [
      'apply',
      'plan',
      'validate',
      'add hook h',
      'remove hook h',
      'provider enable claude',
      'provider enable nope',
      'nonsense',
    ]) {
      const { exitCode, stdout, stderr } = await repository.run(`${words} --json`);
      expect(exitCode).toBeGreaterThan(0);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, diagnostics: [{ severity: 'error' }] });
    }
  });

  test('works from any folder below the root', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    const cwd = repository.path('deep/er still');
    mkdirSync(cwd, { recursive: true });
    expect(await repository.run('apply', { cwd })).toMatchObject({ exitCode: 0 });
    expect(repository.has('.claude/settings.json')).toBe(true);
  });

  test('without a manifest says to run init', async () => {
    const result = await new ScratchRepository().run('apply');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('harness init');
  });

  test.each([
    ['{"version": 1,\n}', 'line 2, column 1'],
    ['[]', 'object'],
    ['{"version": 2, "providers": [], "entities": []}', 'version is 2'],
    ['{"version": 1, "providers": ["x"], "entities": []}', '"x"'],
    ['{"version": 1, "providers": [], "entities": [{"type": "hook", "id": "../x"}]}', '../x'],
    [
      '{"version": 1, "providers": [], "entities": [{"type": "hook", "id": "a"}, {"type": "hook", "id": "a"}]}',
      'twice',
    ],
    ['<<<<<<< HEAD\n', 'line 1'],
  ])('a broken manifest is named with what is wrong: %j', async (text, part) => {
    const repository = new ScratchRepository();
    repository.write('.harness/manifest.json', text);
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('MANIFEST_INVALID');
    expect(result.stderr).toContain(part);
  });

  test('colour is for a terminal without NO_COLOR', async () => {
    const repository = new ScratchRepository();
    const escape = '\u001B[';
    expect((await repository.run('apply', { isTty: true })).stderr).toContain(escape);
    expect((await repository.run('apply', { isTty: true, env: { NO_COLOR: '1' } })).stderr).not.toContain(
      escape,
    );
    expect((await repository.run('apply')).stderr).not.toContain(escape);
  });

  test('text from files does not steer the terminal', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: { mode: '\u001B[31mred', events: {} } });
    const { stderr } = await repository.run('validate');
    expect(stderr).toContain('HOOK_MODE_INVALID');
    expect(stderr).not.toContain('\u001B');
  });

  test('--help lists every command, --version is that of the package', async () => {
    const repository = new ScratchRepository();
    const { exitCode, stdout } = await repository.run('--help');
    expect(exitCode).toBe(0);
    for (const words of [
      'init',
      'provider enable',
      'add hook',
      'plan',
      'apply',
      'remove hook',
      'validate',
      'key',
      'workflow',
    ]) {
      expect(stdout).toContain(`harness ${words}`);
    }
    expect((await repository.run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

test('key prints the workspace key of an identifier', async () => {
  const repository = new ScratchRepository();
  expect(await repository.run('key ABC-1')).toMatchObject({ exitCode: 0, stdout: 'ABC-1\n' });
  expect((await repository.run(['key', 'a/b'])).stdout).toMatch(/^a_b--[0-9a-f]{16}\n$/);
  expect(await repository.run(['key', ''])).toMatchObject({ exitCode: 1 });
});

test('workflow checks a WORKFLOW.md and names file and line', async () => {
  const repository = new ScratchRepository();
  repository.write('WORKFLOW.md', 'Do it.\n');
  expect(await repository.run('workflow WORKFLOW.md')).toMatchObject({ exitCode: 0 });
  repository.write('WORKFLOW.md', '---\nagent: {comand: x}\n---\n');
  expect(await repository.run('workflow WORKFLOW.md')).toMatchObject({
    exitCode: 0,
    stderr: 'WORKFLOW.md: warning workflow_misspelt: Nothing reads agent.comand (did you mean command?).\n',
  });
  repository.write('WORKFLOW.md', '---\nagent: [\n---\nDo it.\n');
  const result = await repository.run('workflow WORKFLOW.md');
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toMatch(/^WORKFLOW\.md:\d+:\d+: error/);
  expect(await repository.run('workflow none.md')).toMatchObject({ exitCode: 1 });
});

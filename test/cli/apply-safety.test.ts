import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FileError } from '../../src/cli/io.ts';
import type { FilePort } from '../../src/cli/io.ts';
import { nodeFiles } from '../../src/cli/node-io.ts';
import { command, notify, ScratchRepository } from './scratch-repository.ts';

const SETTINGS = '.claude/settings.json';
const GENERATED = '.github/hooks/harness.generated.json';
const HARNESS = fileURLToPath(new URL('../../src/cli/harness.ts', import.meta.url));
const KILLED = fileURLToPath(new URL('killed-apply.ts', import.meta.url));

const ALL = ['claude', 'copilot', 'codex', 'cursor'];

/** A user's files, and an apply that has already been: the next one creates, updates and deletes. */
const prepared = async (): Promise<ScratchRepository> => {
  const repository = new ScratchRepository();
  repository.write(SETTINGS, '{\n  "model": "opus"\n}\n');
  repository.write('.codex/config.toml', '# mine\nmodel = "o3"\n');
  repository.set(['claude', 'copilot', 'codex'], {
    h: command('pre_tool_use', 'old'),
    n: { ...notify('a'), mode: 'best_effort' },
  });
  await repository.run('apply');
  repository.set(['claude', 'codex', 'cursor'], {
    h: command('pre_tool_use', 'new'),
    n: { ...notify('b'), mode: 'best_effort' },
  });
  return repository;
};

describe('apply is all or nothing', () => {
  test(
    'killed at any change to the disk, the next validate tells the truth and the next apply finishes',
    { timeout: 120_000 },
    async () => {
      const expected = await prepared();
      await expected.run('apply');
      let kills = 0;
      for (let at = 0; ; at += 1) {
        const repository = await prepared();
        const { signal } = spawnSync(process.execPath, [KILLED, `${at}`], { cwd: repository.root });
        if (signal === null) break;
        kills += 1;
        const started = repository.read('.harness/managed-index.json').includes('"pending"');
        const { ok, diagnostics } = await repository.json('validate');
        expect(ok).toBe(true);
        expect(diagnostics.some(({ code }) => code === 'APPLY_INTERRUPTED')).toBe(started);
        expect(diagnostics.some(({ code }) => code === 'OUTPUT_DRIFT')).toBe(false);
        expect(await repository.run('apply')).toMatchObject({ exitCode: 0 });
        expect(repository.snapshot()).toEqual(expected.snapshot());
      }
      expect(kills).toBeGreaterThan(8);
    },
  );

  test('killed and then retracted, nothing of ours is left', { timeout: 120_000 }, async () => {
    for (const at of [3, 6, 8]) {
      const repository = await prepared();
      spawnSync(process.execPath, [KILLED, `${at}`], { cwd: repository.root });
      repository.set(ALL, {});
      expect(await repository.run('apply')).toMatchObject({ exitCode: 0 });
      expect(repository.read(SETTINGS)).toBe('{\n  "model": "opus"\n}\n');
      expect(repository.read('.codex/config.toml')).toBe('# mine\nmodel = "o3"\n');
      expect(repository.has(GENERATED)).toBe(false);
      expect(repository.has('.cursor/hooks.json')).toBe(false);
    }
  });

  test('a machine that refuses any one change leaves everything as it was', async () => {
    for (let at = 0; ; at += 1) {
      const repository = await prepared();
      const before = repository.snapshot();
      let left = at;
      const refuse = (path: string): void => {
        if (path.endsWith('.harness/lock')) return; // without a lock it goes on
        left -= 1;
        if (left === -1) throw new FileError('write', path, 'no space left on the device');
      };
      const files: FilePort = {
        ...nodeFiles,
        writeNew: (path, ...rest) => (refuse(path), nodeFiles.writeNew(path, ...rest)),
        rename: (from, to) => (refuse(to), nodeFiles.rename(from, to)),
      };
      const { exitCode, stderr } = await repository.run('apply', { files });
      if (exitCode === 0) break;
      expect(stderr).toContain('no space left');
      const { '.harness/managed-index.json.harness-tmp': _, ...after } = repository.snapshot();
      expect(withoutIndex(after)).toEqual(withoutIndex(before));
      expect(await repository.run('apply')).toMatchObject({ exitCode: 0 });
    }
  });

  test('one error in one hook, and no file is written for any', async () => {
    const repository = new ScratchRepository();
    repository.set(ALL, { good: command('pre_tool_use', 'x'), bad: { events: { nope: [] } } });
    const before = repository.snapshot();
    expect(await repository.run('apply')).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('Nothing was written.') as string,
    });
    expect(repository.snapshot()).toEqual(before);
  });

  test('permissions of a file stay', async () => {
    const repository = await prepared();
    chmodSync(repository.path(SETTINGS), 0o640);
    await repository.run('apply');
    expect(statSync(repository.path(SETTINGS)).mode & 0o777).toBe(0o640);
  });
});

const withoutIndex = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name !== '.harness/managed-index.json'));

describe('nothing is written outside the repository', () => {
  test.each(['.claude', SETTINGS])(
    'a link at %s is refused, and what it leads to is untouched',
    async (at) => {
      const repository = new ScratchRepository();
      const outside = new ScratchRepository();
      outside.write('settings.json', '{}');
      repository.set(['claude'], { h: command('stop', 'x') });
      if (at === SETTINGS) mkdirSync(repository.path('.claude'));
      symlinkSync(at === SETTINGS ? outside.path('settings.json') : outside.root, repository.path(at));
      const result = await repository.run('apply');
      expect(result.exitCode).toBe(1);
      expect(result.stderr).toContain('OUTPUT_PATH_LINK');
      expect(outside.snapshot()).toEqual({ 'settings.json': '{}' });
    },
  );

  test('a link in the place of .harness is refused by every command that writes', async () => {
    const repository = new ScratchRepository();
    const outside = new ScratchRepository();
    outside.set(['claude'], { h: command('stop', 'x') });
    symlinkSync(outside.path('.harness'), repository.path('.harness'));
    const before = outside.snapshot();
    for (const words of ['apply', 'add hook g', 'remove hook h', 'provider enable codex']) {
      expect(await repository.run(words)).toMatchObject({ exitCode: 1 });
    }
    expect(outside.snapshot()).toEqual(before);
    expect(repository.has(SETTINGS)).toBe(false);
  });

  test('a link planted at the temporary name is replaced, not followed', async () => {
    const repository = new ScratchRepository();
    const outside = new ScratchRepository();
    outside.write('target', 'theirs');
    repository.set(['claude'], { h: command('stop', 'x') });
    mkdirSync(repository.path('.claude'));
    symlinkSync(outside.path('target'), repository.path(`${SETTINGS}.harness-tmp`));
    expect(await repository.run('apply')).toMatchObject({ exitCode: 0 });
    expect(outside.read('target')).toBe('theirs');
  });

  test.each(['../x.json', '/etc/x.json', 'a/../../x.json', '.git/config', '.harness/manifest.json'])(
    'targetPath %s is refused',
    async (targetPath) => {
      const repository = new ScratchRepository();
      repository.set(['claude'], { h: command('stop', 'x') });
      repository.write(
        '.harness/src/hooks/h.overrides.claude.yaml',
        `version: 1\ntargetPath: ${targetPath}\n`,
      );
      const before = repository.snapshot();
      const result = await repository.run('apply');
      expect(result.exitCode).toBe(1);
      expect(result.stderr).toContain(
        '.harness/src/hooks/h.overrides.claude.yaml:2:13: error HOOK_OVERRIDE_INVALID',
      );
      expect(repository.snapshot()).toEqual(before);
    },
  );

  test.each(['../victim', '/etc/passwd', '.git/config', 'a/../b'])(
    'an index that claims %s is refused',
    async (path) => {
      const repository = new ScratchRepository();
      repository.set([], {});
      const file = {
        path,
        provider: 'copilot',
        ownership: 'whole',
        hash: '',
        created: true,
        entries: [],
        madeKeys: [],
      };
      repository.write('.harness/managed-index.json', { version: 1, files: [file] });
      const result = await repository.run('apply');
      expect(result.exitCode).toBe(1);
      expect(result.stderr).toContain('MANAGED_INDEX_INVALID');
    },
  );

  test('a pipe in the place of a source is a source without text', { timeout: 20_000 }, async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    repository.remove('.harness/src/hooks/h.json');
    spawnSync('mkfifo', [repository.path('.harness/src/hooks/h.json')]);
    const { signal, stdout } = spawnSync(process.execPath, [HARNESS, 'apply', '--json'], {
      cwd: repository.root,
      encoding: 'utf8',
      timeout: 10_000,
    });
    expect(signal).toBeNull();
    expect(stdout).toContain('HOOK_JSON_INVALID');
  });

  test('a folder in the way is named', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    mkdirSync(repository.path(SETTINGS), { recursive: true });
    expect((await repository.run('apply')).stderr).toContain(`${SETTINGS} is no file`);
  });
});

describe('files that are wholly ours', () => {
  test('one that somebody else made is a collision, untouched', async () => {
    const repository = new ScratchRepository();
    repository.set(['copilot'], { h: command('pre_tool_use', 'x') });
    repository.write(GENERATED, '{}');
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toContain('OUTPUT_COLLISION_UNMANAGED');
    expect(repository.read(GENERATED)).toBe('{}');
  });

  test('an override’s target that exists is a collision, too', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    repository.write('.harness/src/hooks/h.overrides.claude.yaml', 'version: 1\ntargetPath: package.json\n');
    repository.write('package.json', '{}');
    expect((await repository.run('apply')).stderr).toContain('OUTPUT_COLLISION_UNMANAGED');
    expect(repository.read('package.json')).toBe('{}');
  });

  test('drift is named by plan, and apply writes the file anew', async () => {
    const repository = new ScratchRepository();
    repository.set(['copilot'], { h: command('pre_tool_use', 'x') });
    await repository.run('apply');
    const ours = repository.read(GENERATED);
    repository.write(GENERATED, ours.replace('"x"', '"y"'));
    const { operations, diagnostics } = await repository.json('plan');
    expect(operations).toMatchObject([
      { action: 'update', drift: expect.stringContaining('changed') as string },
    ]);
    expect(diagnostics).toMatchObject([{ code: 'OUTPUT_DRIFT', severity: 'warning' }]);
    await repository.run('apply');
    expect(repository.read(GENERATED)).toBe(ours);
  });

  test('a changed one is not deleted: only content with our hash is', async () => {
    const repository = new ScratchRepository();
    repository.set(['copilot'], { h: command('pre_tool_use', 'x') });
    await repository.run('apply');
    repository.write(GENERATED, 'theirs now');
    repository.set(['copilot'], {});
    const result = await repository.run('apply');
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain('OUTPUT_LEFT');
    expect(repository.read(GENERATED)).toBe('theirs now');
    expect((await repository.run('apply')).stderr).not.toContain('OUTPUT_LEFT');
  });

  test('moves with targetPath, and the old file goes', async () => {
    const repository = new ScratchRepository();
    repository.set(['copilot'], { h: command('pre_tool_use', 'x') });
    await repository.run('apply');
    repository.write(
      '.harness/src/hooks/h.overrides.copilot.yaml',
      'version: 1\ntargetPath: ".github/hooks/security.generated.json"\n',
    );
    await repository.run('apply');
    expect(repository.has(GENERATED)).toBe(false);
    expect(repository.has('.github/hooks/security.generated.json')).toBe(true);
  });

  test('without the index, a file with the very bytes is taken over instead of refused', async () => {
    const repository = new ScratchRepository();
    repository.set(['copilot'], { h: command('pre_tool_use', 'x') });
    await repository.run('apply');
    const index = repository.read('.harness/managed-index.json');
    repository.remove('.harness/managed-index.json');
    expect(await repository.run('apply')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(repository.read('.harness/managed-index.json')).toBe(index);
  });
});

describe('plan', () => {
  test('shows a unified diff per file and writes nothing', async () => {
    const repository = await prepared();
    const before = repository.snapshot();
    const { operations } = await repository.json('plan');
    expect(operations.map(({ action, path }) => [action, path])).toEqual([
      ['update', SETTINGS],
      ['delete', GENERATED],
      ['update', '.codex/config.toml'],
      ['create', '.cursor/hooks.json'],
    ]);
    expect(operations[2]?.diff).toBe(
      '--- a/.codex/config.toml\n+++ b/.codex/config.toml\n@@ -1,3 +1,3 @@\n # mine\n model = "o3"\n-notify = ["a"]\n+notify = ["b"]\n',
    );
    expect(repository.snapshot()).toEqual(before);
  });

  test('names an entry of ours that somebody changed', async () => {
    const repository = await prepared();
    await repository.run('apply');
    repository.write(SETTINGS, repository.read(SETTINGS).replace('"new"', '"hand-made"'));
    const { operations } = await repository.json('plan');
    expect(operations[0]).toMatchObject({
      action: 'update',
      drift: expect.stringContaining('PreToolUse') as string,
    });
  });
});

describe('validate', () => {
  test('warns about a script that does not exist, and says that Copilot then denies every tool', async () => {
    const repository = new ScratchRepository();
    repository.set(['copilot'], {
      h: command('pre_tool_use', 'node scripts/guard.js --all'),
      g: command('post_tool_use', './there.sh'),
    });
    repository.write('there.sh', '');
    const { diagnostics } = await repository.json('validate');
    expect(diagnostics).toMatchObject([{ code: 'HOOK_SCRIPT_MISSING', entityId: 'h' }]);
    expect(diagnostics[0]?.message).toContain('scripts/guard.js');
    expect(diagnostics[0]?.message).toContain('denies every tool call');
  });

  test.each([
    'node -e 0',
    'node "$DIR/x.js"',
    'python3 -m thing',
    'npx tool.js',
    'make x.sh',
    'bash -c ./x.sh',
    'node $HOME/x.js',
  ])('raises no false alarm about %s', async (text) => {
    const repository = new ScratchRepository();
    repository.set(['copilot'], { h: command('pre_tool_use', text) });
    expect((await repository.json('validate')).diagnostics).toEqual([]);
  });

  test('names override files that belong to nothing', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], { h: command('stop', 'x') });
    repository.write('.harness/src/hooks/gone.overrides.claude.yaml', 'version: 1\n');
    repository.write('.harness/src/hooks/h.overrides.claude.yml', 'version: 1\n');
    repository.write('.harness/src/hooks/h.overrides.gemini.yaml', 'version: 1\n');
    const { ok, diagnostics } = await repository.json('validate');
    expect(ok).toBe(false);
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'HOOK_OVERRIDE_ORPHANED',
      'HOOK_OVERRIDE_ORPHANED',
      'HOOK_OVERRIDE_INVALID',
    ]);
  });

  test('exits with 1 on errors and points to file, line and column', async () => {
    const repository = new ScratchRepository();
    repository.set(['claude'], {});
    repository.write('.harness/manifest.json', {
      version: 1,
      providers: ['claude'],
      entities: [{ type: 'hook', id: 'h' }],
    });
    repository.write(
      '.harness/src/hooks/h.json',
      '{\n  "events": { "stop": [{ "type": "command", "command": "x", "timeoutSec": 0 }] }\n}\n',
    );
    const result = await repository.run('validate');
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(
      /^\.harness\/src\/hooks\/h\.json:2:75: error HOOK_TIMEOUT_INVALID: Hook 'h', event 'stop', handler #1: /,
    );
  });
});

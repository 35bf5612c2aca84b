import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { nodeProcesses } from '../../src/cli/node-io.ts';
import { command, ScratchRepository } from './scratch-repository.ts';

const HARNESS = fileURLToPath(new URL('../../src/cli/harness.ts', import.meta.url));
const SLOW_APPLY = [fileURLToPath(new URL('killed-apply.ts', import.meta.url)), '-1', '25'];
const ALL = ['claude', 'copilot', 'codex', 'cursor'];
const LOCK = '.harness/lock';
const NOBODY = 4_194_305; // above the highest process id of Linux

const hooks = (text: string) =>
  Object.fromEntries(Array.from({ length: 30 }, (_, place) => [`h${place}`, command('pre_tool_use', text)]));

const runAtOnce = (repository: ScratchRepository, commands: string[][]): Promise<unknown[]> =>
  Promise.all(
    commands.map(async (args) => {
      const child = spawn(process.execPath, args, { cwd: repository.root, stdio: 'ignore' });
      const [exitCode] = (await once(child, 'exit')) as [number | null];
      return exitCode;
    }),
  );

test('applies at once end as one of them alone would', { timeout: 120_000 }, async () => {
  const repository = new ScratchRepository();
  repository.write('.claude/settings.json', '{\n  "model": "opus"\n}\n');
  repository.set(ALL, hooks('old'));
  await repository.run('apply');
  repository.set(['claude', 'cursor'], hooks('new'));
  const exitCodes = await runAtOnce(
    repository,
    Array.from({ length: 4 }, () => SLOW_APPLY),
  );
  expect(exitCodes).toEqual([0, 0, 0, 0]);
  const after = repository.snapshot();
  expect(await repository.json('validate')).toMatchObject({
    ok: true,
    diagnostics: [{ code: 'HOOK_READ_TWICE' }],
  });
  expect((await repository.run('apply')).stdout).not.toMatch(/create|update|delete/);
  expect(repository.snapshot()).toEqual(after);
  expect(Object.keys(after).filter((name) => /lock|tmp|github/.test(name))).toEqual([]);
});

test('of hooks that are added at once none is lost', { timeout: 120_000 }, async () => {
  const repository = new ScratchRepository();
  repository.set(ALL, {});
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  await runAtOnce(
    repository,
    ids.map((id) => [HARNESS, 'add', 'hook', id]),
  );
  const { entities } = JSON.parse(repository.read('.harness/manifest.json')) as {
    entities: { id: string }[];
  };
  expect(entities.map(({ id }) => id)).toEqual(ids);
});

test.each([
  ['of a process that is gone', `${NOBODY}\n`],
  ['without a number, as of a process that was killed while it locked', ''],
])('a lock %s is taken over', async (_, text) => {
  const repository = new ScratchRepository();
  repository.set(ALL, { h: command('stop', 'x') });
  repository.write(LOCK, text);
  expect(await repository.run('apply')).toMatchObject({ exitCode: 0 });
  expect(Object.keys(repository.snapshot()).filter((name) => name.startsWith(LOCK))).toEqual([]);
});

test('while another command works, one that writes is refused and leaves its lock; one that reads is not', async () => {
  const repository = new ScratchRepository();
  repository.set(ALL, { h: command('stop', 'x') });
  repository.write(LOCK, `${process.ppid}\n`);
  const before = repository.snapshot();
  const impatient = { processes: { ...nodeProcesses, sleep: () => undefined } };
  for (const words of ['apply', 'add hook b', 'remove hook h', 'provider disable claude']) {
    const { ok, diagnostics } = await repository.json(words, impatient);
    expect({ ok, codes: diagnostics.map(({ code }) => code) }).toEqual({
      ok: false,
      codes: ['REPOSITORY_BUSY'],
    });
  }
  expect(repository.snapshot()).toEqual(before);
  expect(await repository.run('plan', impatient)).toMatchObject({ exitCode: 0 });
  expect(await repository.run('validate', impatient)).toMatchObject({ exitCode: 0 });
});

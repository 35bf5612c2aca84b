import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { ScratchRepository } from './scratch-repository.ts';

const GUARD = 'node scripts/hook-pre-tool.js';

const guard = {
  mode: 'strict',
  events: { pre_tool_use: [{ type: 'command', bash: GUARD, powershell: GUARD, timeoutSec: 15 }] },
};
const policy = {
  mode: 'strict',
  events: {
    pre_tool_use: [{ type: 'command', matcher: 'Bash', command: 'python3 scripts/check_bash_policy.py' }],
  },
};
const complete = { type: 'notify', command: ['python3', 'scripts/on_turn_complete.py'] };
const done = { mode: 'strict', events: { turn_complete: [complete] } };
const all = {
  mode: 'best_effort',
  events: {
    pre_tool_use: [
      { type: 'command', bash: 'node scripts/pre_tool.js', powershell: 'node scripts/pre_tool.js' },
    ],
    turn_complete: [complete],
  },
};

const json = (repository: ScratchRepository, path: string): unknown => JSON.parse(repository.read(path));

test('recipe 1: a guard before every tool, for Claude Code and Copilot', async () => {
  const repository = new ScratchRepository();
  repository.set(['claude', 'copilot'], { guard });
  expect(await repository.run('apply')).toMatchObject({ exitCode: 0 });
  expect(json(repository, '.claude/settings.json')).toEqual({
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: GUARD, timeout: 15 }] }] },
  });
  expect(json(repository, '.github/hooks/harness.generated.json')).toEqual({
    version: 1,
    hooks: { preToolUse: [{ type: 'command', bash: GUARD, powershell: GUARD, timeoutSec: 15 }] },
  });
});

test('recipe 2: a matcher for Claude Code; with Copilot it fails in strict mode and nothing is written', async () => {
  const repository = new ScratchRepository();
  repository.set(['claude'], { policy });
  expect(await repository.run('apply')).toMatchObject({ exitCode: 0 });
  expect(json(repository, '.claude/settings.json')).toEqual({
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'command', command: 'python3 scripts/check_bash_policy.py' }] },
      ],
    },
  });
  const strict = new ScratchRepository();
  strict.set(['claude', 'copilot'], { policy });
  const before = strict.snapshot();
  const result = await strict.run('apply');
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain('.harness/src/hooks/policy.json:1:');
  expect(result.stderr).toContain('HOOK_EVENT_UNSUPPORTED');
  expect(strict.snapshot()).toEqual(before);
});

test('recipe 3: a notification for Codex', async () => {
  const repository = new ScratchRepository();
  repository.set(['codex'], { done });
  const result = await repository.run('apply');
  expect(result.exitCode).toBe(0);
  expect(result.stderr).toContain('HOOK_CODEX_NOTIFY_PROJECT_IGNORED');
  expect(repository.read('.codex/config.toml')).toBe('notify = ["python3", "scripts/on_turn_complete.py"]\n');
});

test('recipe 4: one hook for all, and what is skipped is listed', async () => {
  const repository = new ScratchRepository();
  repository.set(['claude', 'copilot', 'codex', 'cursor'], { all });
  const { ok, operations, skipped } = await repository.json('apply');
  expect(ok).toBe(true);
  expect(operations.map(({ action, path }) => [action, path])).toEqual([
    ['create', '.claude/settings.json'],
    ['create', '.github/hooks/harness.generated.json'],
    ['create', '.codex/config.toml'],
    ['create', '.cursor/hooks.json'],
  ]);
  expect(skipped).toMatchObject([
    { provider: 'codex', event: 'pre_tool_use' },
    { provider: 'claude', event: 'turn_complete' },
    { provider: 'copilot', event: 'turn_complete' },
    { provider: 'cursor', event: 'turn_complete' },
  ]);
  expect(parse(repository.read('.codex/config.toml'))).toEqual({
    notify: ['python3', 'scripts/on_turn_complete.py'],
  });
  expect(json(repository, '.cursor/hooks.json')).toEqual({
    version: 1,
    hooks: { preToolUse: [{ command: 'node scripts/pre_tool.js' }] },
  });
});

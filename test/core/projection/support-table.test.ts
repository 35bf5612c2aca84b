import { describe, expect, test } from 'vitest';
import { CAPABILITIES, capabilityOf } from '../../../src/core/projection/capabilities.ts';
import { CANONICAL_EVENTS, PROVIDERS } from '../../../src/core/projection/events.ts';
import type { CanonicalEvent, Provider } from '../../../src/core/projection/events.ts';
import { project } from '../../../src/core/projection/project.ts';

/** The seed's table, written down once more: event, Claude, Copilot, Codex, Cursor. */
const SEED_TABLE = `
session_start SessionStart sessionStart - sessionStart
session_end SessionEnd sessionEnd - sessionEnd
prompt_submit UserPromptSubmit userPromptSubmitted - beforeSubmitPrompt
pre_tool_use PreToolUse preToolUse - preToolUse
permission_request PermissionRequest - - -
post_tool_use PostToolUse postToolUse - postToolUse
post_tool_failure PostToolUseFailure - - postToolUseFailure
notification Notification - - -
subagent_start SubagentStart - - subagentStart
subagent_stop SubagentStop - - subagentStop
stop Stop - - stop
stop_failure StopFailure - - -
teammate_idle TeammateIdle - - -
task_completed TaskCompleted - - -
instructions_loaded InstructionsLoaded - - -
config_change ConfigChange - - -
worktree_create WorktreeCreate - - -
worktree_remove WorktreeRemove - - -
pre_compact PreCompact - - preCompact
post_compact PostCompact - - -
elicitation Elicitation - - -
elicitation_result ElicitationResult - - -
error - errorOccurred - -
turn_complete - - notify -
`
  .trim()
  .split('\n')
  .map((line) => line.split(' ') as [CanonicalEvent, string, string, string, string]);

const CLAUDE_WITHOUT_MATCHER = [
  'prompt_submit',
  'stop',
  'teammate_idle',
  'task_completed',
  'worktree_create',
  'worktree_remove',
];

const VARIANTS = {
  command: { type: 'command', command: 'x' },
  notify: { type: 'notify', command: ['x'] },
  matcher: { type: 'command', command: 'x', matcher: 'Abc' },
  cwd: { type: 'command', command: 'x', cwd: 'sub' },
  env: { type: 'command', command: 'x', env: { A: '1' } },
} as const;
type Variant = keyof typeof VARIANTS;

type Expected = 'taken' | 'refused' | 'matcher ignored';

const expectedFor = (
  provider: Provider,
  native: string,
  event: CanonicalEvent,
  variant: Variant,
): Expected => {
  if (native === '-') return 'refused';
  if (variant === 'notify') return provider === 'codex' ? 'taken' : 'refused';
  if (variant === 'cwd' || variant === 'env') return provider === 'cursor' ? 'refused' : 'taken';
  if (variant !== 'matcher' || provider === 'cursor') return 'taken';
  const isTaken = provider === 'claude' && !CLAUDE_WITHOUT_MATCHER.includes(event);
  return isTaken ? 'taken' : 'matcher ignored';
};

const ROWS = SEED_TABLE.flatMap(([event, ...natives]) =>
  (['claude', 'copilot', 'codex', 'cursor'] as const).flatMap((provider, column) =>
    (Object.keys(VARIANTS) as Variant[]).map((variant) => {
      const native = natives[column] as string;
      return { event, provider, native, variant, expected: expectedFor(provider, native, event, variant) };
    }),
  ),
);

const run = (mode: string, event: string, variant: Variant, provider: string): ReturnType<typeof project> =>
  project([{ id: 'h', document: { mode, events: { [event]: [VARIANTS[variant]] } } }], [provider]);

describe('the table of events, providers and handler variants', () => {
  test('has a row for each of 24 events, 4 providers and 5 variants', () => {
    expect(ROWS).toHaveLength(24 * 4 * 5);
    expect(SEED_TABLE.map(([event]) => event)).toEqual(CANONICAL_EVENTS);
  });

  const taken = ROWS.filter(({ expected }) => expected === 'taken');
  const refused = ROWS.filter(({ expected }) => expected === 'refused');
  const ignored = ROWS.filter(({ expected }) => expected === 'matcher ignored');

  test.each(taken)('$variant on $event goes to $provider in both modes', ({ event, provider, variant }) => {
    const strict = run('strict', event, variant, provider);
    expect(strict).toMatchObject({ ok: true, skipped: [], files: [{ provider }] });
    expect(strict.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(run('best_effort', event, variant, provider)).toEqual(strict);
  });

  test.each([...refused, ...ignored])(
    '$variant on $event fails for $provider in strict mode',
    ({ event, provider, variant }) => {
      const { ok, files, diagnostics, skipped } = run('strict', event, variant, provider);
      expect({ ok, files, skipped }).toEqual({ ok: false, files: [], skipped: [] });
      const errors = diagnostics.filter(({ severity }) => severity === 'error');
      expect(errors).toMatchObject([
        { code: 'HOOK_EVENT_UNSUPPORTED', provider, event, entityId: 'h', handler: 0 },
      ]);
      expect(errors[0]?.message).toContain(capabilityOf(provider).name);
    },
  );

  test.each(refused)(
    '$variant on $event is skipped for $provider in best_effort, and listed',
    ({ event, provider, variant }) => {
      const { ok, files, skipped } = run('best_effort', event, variant, provider);
      expect({ ok, files }).toEqual({ ok: true, files: [] });
      expect(skipped).toEqual([
        { entityId: 'h', provider, event, handler: 0, why: expect.any(String) as string },
      ]);
      expect(skipped[0]?.why).toContain(capabilityOf(provider).name);
    },
  );

  test.each(ignored)(
    'the matcher on $event is ignored for $provider in best_effort, with a warning',
    ({ event, provider, variant }) => {
      const { ok, files, skipped, diagnostics } = run('best_effort', event, variant, provider);
      expect({ ok, skipped }).toEqual({ ok: true, skipped: [] });
      expect(files).toHaveLength(1);
      expect(files[0]?.content).not.toContain('Abc');
      expect(diagnostics.map(({ code }) => code)).toContain('HOOK_MATCHER_IGNORED');
    },
  );

  test.each(ROWS.filter(({ expected, provider }) => expected === 'taken' && provider !== 'codex'))(
    '$event is written as $native for $provider ($variant)',
    ({ event, provider, native, variant }) => {
      const [file] = run('strict', event, variant, provider).files;
      const { hooks } = JSON.parse(file?.content ?? '') as { hooks: object };
      expect(Object.keys(hooks)).toEqual([native]);
    },
  );
});

test('every provider says where its file goes, where to read more and which fields it takes', () => {
  expect(CAPABILITIES.map(({ provider }) => provider)).toEqual(PROVIDERS);
  for (const { output, docs, locations, fields } of CAPABILITIES) {
    expect(output.path).toMatch(/^\.[a-z]+\//);
    expect(docs[0]).toMatch(/^https:/);
    expect(locations.length).toBeGreaterThan(0);
    expect(Object.keys(fields)).toHaveLength(5);
  }
});

test('the blocking events of Claude Code are those of the seed, by exit code 2', () => {
  const { blocking } = capabilityOf('claude');
  expect(blocking.events).toHaveLength(11);
  expect(blocking.exitCodes).toContainEqual({ code: '2', meaning: 'blocks or denies the action' });
});

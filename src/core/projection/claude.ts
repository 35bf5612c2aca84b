/** Claude Code, as the seed describes it. */
import type { CommandHandler } from './model.ts';
import type { JsonValue } from './print-json.ts';
import { CANONICAL_EVENTS, EVENTS } from './events.ts';
import type { CanonicalEvent } from './events.ts';
import type { ProviderFacts } from './provider-facts.ts';

const WITHOUT_MATCHER: readonly CanonicalEvent[] = [
  'prompt_submit',
  'stop',
  'teammate_idle',
  'task_completed',
  'worktree_create',
  'worktree_remove',
];

export const claudeFacts: ProviderFacts = {
  name: 'Claude Code',
  output: { path: '.claude/settings.json', format: 'json', key: 'hooks', shared: true },
  sharedPaths: ['.claude/settings.local.json'],
  handlerTypes: ['command'],
  matcherEvents: CANONICAL_EVENTS.filter(
    (event) => EVENTS[event].claude !== undefined && !WITHOUT_MATCHER.includes(event),
  ),
  matcherNote: 'Filters by tool name, session source, exit reason and so on, depending on the event.',
  toolNames: [
    'Bash',
    'BashOutput',
    'Edit',
    'Glob',
    'Grep',
    'KillShell',
    'MultiEdit',
    'NotebookEdit',
    'Read',
    'Skill',
    'Task',
    'TodoWrite',
    'WebFetch',
    'WebSearch',
    'Write',
  ],
  toolAliases: { Shell: 'Bash' },
  fields: {
    cwd: 'ignored',
    env: 'ignored',
    timeoutSec: 'used',
    loop_limit: 'ignored',
    failClosed: 'ignored',
  },
  handlerKeys: ['type', 'command', 'timeout', 'cwd', 'env'],
  commandOrder: 'the first of command, bash, linux, osx, powershell, windows',
  blocking: {
    events: [
      'PreToolUse',
      'PermissionRequest',
      'UserPromptSubmit',
      'Stop',
      'SubagentStop',
      'TeammateIdle',
      'TaskCompleted',
      'ConfigChange',
      'Elicitation',
      'ElicitationResult',
      'WorktreeCreate',
    ],
    exitCodes: [
      { code: '0', meaning: 'success' },
      { code: '2', meaning: 'blocks or denies the action' },
      { code: 'other', meaning: 'does not block' },
    ],
  },
  locations: [
    { scope: 'managed', path: 'managed settings' },
    { scope: 'local', path: '.claude/settings.local.json' },
    { scope: 'project', path: '.claude/settings.json' },
    { scope: 'user', path: '~/.claude/settings.json' },
  ],
  priority: 'the hooks of all files run',
  nativeOnlyEvents: [],
  docs: ['https://code.claude.com/docs/en/hooks'],
  notes: [
    'Claude Code itself knows handlers of type command, http, prompt and agent; harness writes command only.',
    'Claude Code ignores cwd and env of a handler: they are written, with a warning.',
    'A comment or a trailing comma in settings.json makes Claude Code ignore the whole file.',
  ],
};

/** Handlers of one event → matcher groups, in first-seen order. */
export const buildClaudeGroups = (handlers: readonly CommandHandler[]): JsonValue[] => {
  const groups: JsonValue[] = [];
  const hooksOf = new Map<string | undefined, JsonValue[]>();
  for (const handler of handlers) {
    const { matcher } = handler;
    const hooks = hooksOf.get(matcher);
    if (hooks !== undefined) {
      hooks.push(buildHandler(handler));
      continue;
    }
    const first = [buildHandler(handler)];
    hooksOf.set(matcher, first);
    groups.push(matcher === undefined ? { hooks: first } : { matcher, hooks: first });
  }
  return groups;
};

const buildHandler = ({ shell, timeout, cwd, env }: CommandHandler): JsonValue => {
  const entry: Record<string, JsonValue> = { type: 'command', command: shell };
  if (timeout !== undefined) entry['timeout'] = timeout;
  if (cwd !== undefined) entry['cwd'] = cwd;
  if (env !== undefined) entry['env'] = env;
  return entry;
};

/** Cursor, as the seed describes it. */
import type { CommandHandler } from './model.ts';
import type { JsonValue } from './print-json.ts';
import { CANONICAL_EVENTS, EVENTS } from './events.ts';
import type { ProviderFacts } from './provider-facts.ts';

export const cursorFacts: ProviderFacts = {
  name: 'Cursor',
  output: { path: '.cursor/hooks.json', format: 'json', key: 'hooks', shared: true },
  sharedPaths: [],
  handlerTypes: ['command'],
  matcherEvents: CANONICAL_EVENTS.filter((event) => EVENTS[event].cursor !== undefined),
  matcherNote: 'Filters by tool name, subagent type or command text, depending on the event.',
  toolNames: ['Shell', 'Read', 'Write', 'Grep', 'Delete', 'Task'],
  toolAliases: { Bash: 'Shell', Edit: 'Write', MultiEdit: 'Write' },
  fields: { cwd: 'refused', env: 'refused', timeoutSec: 'used', loop_limit: 'used', failClosed: 'used' },
  handlerKeys: ['command', 'matcher', 'timeout', 'loop_limit', 'failClosed'],
  commandOrder: 'the first of command, bash, linux, osx, powershell, windows',
  blocking: {
    events: [],
    exitCodes: [
      { code: '0', meaning: 'success' },
      { code: '2', meaning: 'blocks or denies the action' },
      { code: 'other', meaning: 'the action goes on, unless failClosed is true' },
    ],
  },
  locations: [
    { scope: 'enterprise', path: 'system-wide' },
    { scope: 'team', path: 'distributed from the cloud' },
    { scope: 'project', path: '.cursor/hooks.json' },
    { scope: 'user', path: '~/.cursor/hooks.json' },
  ],
  priority: 'Enterprise → Team → Project → User',
  nativeOnlyEvents: [
    'beforeShellExecution',
    'afterShellExecution',
    'beforeMCPExecution',
    'afterMCPExecution',
    'beforeReadFile',
    'afterFileEdit',
    'afterAgentResponse',
    'afterAgentThought',
    'beforeTabFileRead',
    'afterTabFileEdit',
  ],
  docs: ['https://docs.cursor.com/agent/hooks'],
  notes: [
    'Cursor strips comments by a pattern that also hits strings: / is written as \\/ in strings that hold // or /*.',
    'One invalid entry makes Cursor reject the whole file.',
    'loop_limit counts for stop and subagent_stop.',
    'Cursor can also read .claude/settings.json, so a hook given to both may run twice there.',
  ],
};

export const buildCursorEntries = (handlers: readonly CommandHandler[]): JsonValue[] =>
  handlers.map(({ shell, matcher, timeout, loopLimit, failClosed }) => {
    const entry: Record<string, JsonValue> = { command: shell };
    if (matcher !== undefined) entry['matcher'] = matcher;
    if (timeout !== undefined) entry['timeout'] = timeout;
    if (loopLimit !== undefined) entry['loop_limit'] = loopLimit;
    if (failClosed !== undefined) entry['failClosed'] = failClosed;
    return entry;
  });

const COMMENT_AT_END = /(?:^|\s)#[^\n]*$/;

/** Cursor appends ` <<'CURSOR_HOOK_EOF'` to the command: a comment at its end swallows that, a heredoc clashes with it. */
export const clashesWithStdin = (command: string): boolean =>
  command.includes('<<') || (command.includes('#') && COMMENT_AT_END.test(command));

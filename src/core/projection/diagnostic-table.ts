/** Every diagnostic of the projection: how severe, what causes it, how to fix it. The docs page is rendered from this table. */

export interface DiagnosticRule {
  severity: 'error' | 'warning';
  cause: string;
  fix: string;
}

const error = (cause: string, fix: string): DiagnosticRule => ({ severity: 'error', cause, fix });
const warning = (cause: string, fix: string): DiagnosticRule => ({ severity: 'warning', cause, fix });

export const DIAGNOSTICS = {
  HOOK_ID_INVALID: error(
    'The id of a hook holds other characters than letters, digits, ".", "_" and "-", or is "." or ".."',
    'Rename the hook.',
  ),
  HOOK_ID_DUPLICATE: error('Two hooks have the same id', 'Rename one of them.'),
  HOOK_JSON_INVALID: error(
    'Source file is not valid JSON',
    'Write one JSON object, without comments, trailing commas and duplicate keys.',
  ),
  HOOK_MODE_INVALID: error(
    '`mode` is not "strict" or "best_effort"',
    'Write one of the two, or leave `mode` out for "strict".',
  ),
  HOOK_EVENTS_INVALID: error(
    '`events` key is missing or not an object',
    'Write an object from event name to a list of handlers.',
  ),
  HOOK_EVENT_UNKNOWN: error(
    'Event key is not in the canonical event list',
    'Use a canonical event name, such as pre_tool_use.',
  ),
  HOOK_EVENT_INVALID: error('The value of an event is not an array', 'Write a list of handlers.'),
  HOOK_HANDLER_INVALID: error(
    'A handler is not an object',
    'Write {"type": "command", "command": "…"} or {"type": "notify", "command": …}.',
  ),
  HOOK_HANDLER_TYPE_INVALID: error('Handler `type` is not "command" or "notify"', 'Write one of the two.'),
  HOOK_COMMAND_MISSING: error(
    '`command` handler has no command field',
    'Give at least one of command, bash, linux, osx, windows, powershell.',
  ),
  HOOK_TIMEOUT_INVALID: error(
    '`timeoutSec`/`timeout` is not a positive number',
    'Write a number of seconds above 0.',
  ),
  HOOK_ENV_INVALID: error('`env` is not a string-to-string map', 'Write every value as a string.'),
  HOOK_FIELD_INVALID: error(
    'A handler field has the wrong type',
    'Write the type that the message names, or remove the field.',
  ),
  HOOK_MATCHER_INVALID: error(
    '`matcher` is not a regular expression',
    'Correct the expression: one that does not compile makes Cursor reject its whole file.',
  ),
  HOOK_NOTIFY_EVENT_INVALID: error(
    '`notify` handler `event` is not "agent-turn-complete"',
    'Write "agent-turn-complete" or leave `event` out.',
  ),
  HOOK_NOTIFY_COMMAND_INVALID: error(
    '`notify` handler `command` is empty or wrong type',
    'Write a command as a string, or a list of strings that starts with the program.',
  ),
  HOOK_NOTIFY_MATCHER_UNSUPPORTED: error('A `notify` handler has a `matcher`', 'Remove the matcher.'),
  HOOK_OVERRIDE_INVALID: error(
    'The override file of a hook is not valid',
    'Write version: 1 and, if needed, targetPath (relative, inside the repository) and enabled (true or false).',
  ),
  HOOK_EVENT_UNSUPPORTED: error(
    'Event is not supported by the target provider (strict mode)',
    'Disable the provider for this hook, use "best_effort", or move the handler to a hook of its own.',
  ),
  HOOK_NOTIFY_CONFLICT: error(
    'Two Codex hooks produce different notify commands',
    'Keep one of them, or call both programs from one script.',
  ),
  HOOK_TARGET_CONFLICT: error(
    'Multiple hook entities for one provider resolve to different output paths',
    'Give all hooks of the provider the same targetPath.',
  ),
  CODEX_CONFIG_TARGET_CONFLICT: error(
    'Multiple hook entities for Codex resolve to different configuration files',
    'Give all hooks of Codex the same targetPath.',
  ),
  OUTPUT_PATH_COLLISION: error('Two providers resolve to one output path', 'Change one targetPath.'),
  PROVIDER_UNKNOWN: error('The provider is not one of the four', 'Use claude, copilot, codex or cursor.'),
  HOOK_COMMAND_FIELD_IGNORED: warning(
    'One of several command fields is not a string and is left out',
    'Write it as a string, or remove it.',
  ),
  HOOK_TIMEOUT_DIFFERS: warning(
    '`timeout` and `timeoutSec` are both given and differ',
    'Keep `timeoutSec`: providers would get different limits.',
  ),
  HOOK_TIMEOUT_SUSPICIOUS: warning(
    'A timeout is above 3600 seconds',
    'Check the unit: timeouts are seconds, not milliseconds.',
  ),
  HOOK_FIELD_UNKNOWN: warning(
    'A key is not part of the format and is left out',
    'Correct the spelling or remove the key.',
  ),
  HOOK_POWERSHELL_ONLY: warning(
    'A handler has a Windows command only',
    'Add `bash` or `command`: Copilot’s cloud agent skips the hook, other agents run the text in their own shell.',
  ),
  HOOK_MATCHER_IGNORED: warning(
    'The provider takes no matcher here (best_effort mode), so the handler runs every time',
    'Let the script check the tool name, or disable the provider for this hook.',
  ),
  HOOK_MATCHER_NEVER_MATCHES: warning(
    'The matcher names a tool that the provider spells differently, so the handler never runs there',
    'Add the provider’s own tool name to the matcher.',
  ),
  HOOK_FIELD_IGNORED_BY_PROVIDER: warning(
    'The provider does not act on a field of the handler',
    'Set it inside the command instead, such as: cd dir && NAME=value command.',
  ),
  HOOK_CURSOR_STDIN: warning(
    'Cursor appends a heredoc to the command, and this one ends in a comment or holds a heredoc of its own',
    'Move the command into a script.',
  ),
  HOOK_READ_TWICE: warning(
    'Copilot and Cursor also read .claude/settings.json, so a hook given to them and to Claude Code runs twice there',
    'Make the hook harmless when repeated, or disable one of the providers for it.',
  ),
  HOOK_CODEX_NOTIFY_PROJECT_IGNORED: warning(
    'Today’s Codex ignores `notify` in a project file',
    'Copy the line to the user’s own ~/.codex/config.toml.',
  ),
} as const satisfies Record<string, DiagnosticRule>;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;

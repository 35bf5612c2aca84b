/** The seed's event table: canonical event → the provider's own name. A missing cell is a "No" of the table. */

export const PROVIDERS = ['claude', 'copilot', 'codex', 'cursor'] as const;
export type Provider = (typeof PROVIDERS)[number];

type EventRow = Partial<Record<Provider, string>>;

const rows = {
  session_start: { claude: 'SessionStart', copilot: 'sessionStart', cursor: 'sessionStart' },
  session_end: { claude: 'SessionEnd', copilot: 'sessionEnd', cursor: 'sessionEnd' },
  prompt_submit: { claude: 'UserPromptSubmit', copilot: 'userPromptSubmitted', cursor: 'beforeSubmitPrompt' },
  pre_tool_use: { claude: 'PreToolUse', copilot: 'preToolUse', cursor: 'preToolUse' },
  permission_request: { claude: 'PermissionRequest' },
  post_tool_use: { claude: 'PostToolUse', copilot: 'postToolUse', cursor: 'postToolUse' },
  post_tool_failure: { claude: 'PostToolUseFailure', cursor: 'postToolUseFailure' },
  notification: { claude: 'Notification' },
  subagent_start: { claude: 'SubagentStart', cursor: 'subagentStart' },
  subagent_stop: { claude: 'SubagentStop', cursor: 'subagentStop' },
  stop: { claude: 'Stop', cursor: 'stop' },
  stop_failure: { claude: 'StopFailure' },
  teammate_idle: { claude: 'TeammateIdle' },
  task_completed: { claude: 'TaskCompleted' },
  instructions_loaded: { claude: 'InstructionsLoaded' },
  config_change: { claude: 'ConfigChange' },
  worktree_create: { claude: 'WorktreeCreate' },
  worktree_remove: { claude: 'WorktreeRemove' },
  pre_compact: { claude: 'PreCompact', cursor: 'preCompact' },
  post_compact: { claude: 'PostCompact' },
  elicitation: { claude: 'Elicitation' },
  elicitation_result: { claude: 'ElicitationResult' },
  error: { copilot: 'errorOccurred' },
  turn_complete: { codex: 'notify' },
} as const satisfies Record<string, EventRow>;

export type CanonicalEvent = keyof typeof rows;

export const EVENTS: Readonly<Record<CanonicalEvent, EventRow>> = rows;

/** In the order of the seed's table, which is also the order of the output. */
export const CANONICAL_EVENTS = Object.keys(rows) as CanonicalEvent[];

const numbers = new Map<string, number>(CANONICAL_EVENTS.map((event, number) => [event, number]));

/** Place of an event in the table; `undefined` when the name is not canonical. */
export const eventNumber = (name: string): number | undefined => numbers.get(name);

/** The canonical event that some provider calls `name`, for suggestions: `PreToolUse` → `pre_tool_use`. */
export const canonicalOfNative = (name: string): CanonicalEvent | undefined =>
  CANONICAL_EVENTS.find((event) => Object.values(EVENTS[event]).includes(name));

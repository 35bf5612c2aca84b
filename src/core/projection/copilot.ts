/** GitHub Copilot, as the seed describes it. */
import type { CommandHandler } from './model.ts';
import type { JsonValue } from './print-json.ts';
import type { ProviderFacts } from './provider-facts.ts';

export const copilotFacts: ProviderFacts = {
  name: 'GitHub Copilot',
  output: { path: '.github/hooks/harness.generated.json', format: 'json', key: 'hooks', shared: false },
  sharedPaths: [],
  handlerTypes: ['command'],
  matcherEvents: [],
  matcherNote: 'Not supported: an error in strict mode, ignored with a warning in best_effort mode.',
  toolNames: [],
  toolAliases: {},
  fields: { cwd: 'used', env: 'used', timeoutSec: 'used', loop_limit: 'ignored', failClosed: 'ignored' },
  handlerKeys: ['type', 'bash', 'powershell', 'cwd', 'env', 'timeoutSec'],
  commandOrder:
    'bash: the first of bash, linux, osx, command; powershell: the first of powershell, windows, command',
  blocking: {
    events: ['preToolUse'],
    exitCodes: [
      { code: '0', meaning: 'success' },
      { code: 'other', meaning: 'preToolUse denies the tool call, also when the script is missing' },
    ],
  },
  locations: [{ scope: 'project', path: '.github/hooks/*.json' }],
  priority: 'the hooks of all files run',
  nativeOnlyEvents: [],
  docs: [
    'https://docs.github.com/en/copilot/reference/hooks-configuration',
    'https://docs.github.com/en/copilot/concepts/agents/coding-agent/about-hooks',
  ],
  notes: [
    'Copilot also reads .claude/settings.json, so a hook given to both runs twice there.',
    'The cloud agent runs on Linux: a handler with a PowerShell command alone does nothing there.',
  ],
};

export const buildCopilotEntries = (handlers: readonly CommandHandler[]): JsonValue[] =>
  handlers.map(({ bash, powershell, cwd, env, timeoutSec }) => {
    const entry: Record<string, JsonValue> = { type: 'command' };
    if (bash !== undefined) entry['bash'] = bash;
    if (powershell !== undefined) entry['powershell'] = powershell;
    if (cwd !== undefined) entry['cwd'] = cwd;
    if (env !== undefined) entry['env'] = env;
    if (timeoutSec !== undefined) entry['timeoutSec'] = timeoutSec;
    return entry;
  });

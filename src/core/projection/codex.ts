/** OpenAI Codex, as the seed describes it. */
import { stringify } from 'smol-toml';
import type { Handler } from './model.ts';
import { shellArgv } from './parse-handler.ts';
import type { ProviderFacts } from './provider-facts.ts';

export const codexFacts: ProviderFacts = {
  name: 'OpenAI Codex',
  output: { path: '.codex/config.toml', format: 'toml', key: 'notify', shared: true },
  sharedPaths: [],
  handlerTypes: ['command', 'notify'],
  matcherEvents: [],
  matcherNote: 'Not supported: an error in strict mode, ignored with a warning in best_effort mode.',
  toolNames: [],
  toolAliases: {},
  fields: {
    cwd: 'ignored',
    env: 'ignored',
    timeoutSec: 'ignored',
    loop_limit: 'ignored',
    failClosed: 'ignored',
  },
  handlerKeys: [],
  commandOrder: 'the first of command, bash, linux, osx, powershell, windows',
  blocking: { events: [], exitCodes: [] },
  locations: [
    { scope: 'user', path: '~/.codex/config.toml' },
    { scope: 'project', path: '.codex/config.toml', note: 'Today’s Codex ignores notify in this file' },
  ],
  priority: 'project before user; notify counts in the user file only',
  nativeOnlyEvents: [],
  docs: ['https://developers.openai.com/codex/config-reference'],
  notes: [
    'A string becomes ["sh", "-lc", "<command>"]; an array passes through unchanged.',
    'One notify command over all enabled hooks: two that differ are HOOK_NOTIFY_CONFLICT.',
  ],
};

export const codexArgv = (handler: Handler): readonly string[] =>
  handler.type === 'notify' ? handler.argv : shellArgv(handler.shell);

/** TOML holds Unicode scalar values only; JSON can smuggle in half a surrogate pair. */
export const fitsToml = (argv: readonly string[]): boolean => argv.every((part) => part.isWellFormed());

/** The library escapes; its blanks inside the brackets give way to the seed's look. */
export const printNotify = (argv: readonly string[]): string => {
  const line = stringify({ notify: argv }).trimEnd();
  return `${line.replace('notify = [ ', 'notify = [').slice(0, -' ]'.length)}]`;
};

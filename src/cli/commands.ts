/** The commands: words, options and where each one lives. */
import { runAddHook } from './commands/add-hook.ts';
import { runApply } from './commands/apply.ts';
import { runInit } from './commands/init.ts';
import { runPlan } from './commands/plan.ts';
import { runDisable, runEnable } from './commands/provider.ts';
import { runRemoveHook } from './commands/remove-hook.ts';
import { runValidate } from './commands/validate.ts';
import type { Run } from './invocation.ts';

export interface Command {
  words: string;
  /** The names it takes, for the usage line; exactly so many are required. */
  names: readonly string[];
  options: Readonly<Record<string, { type: 'string' | 'boolean'; hint: string }>>;
  summary: string;
  /** Changes what lies on disk on the ground of what it read there. */
  isExclusive?: true;
  /** What needs a library of its own is loaded when it is called. */
  load: () => Run | Promise<Run>;
}

export const COMMANDS: readonly Command[] = [
  {
    words: 'init',
    names: [],
    options: { providers: { type: 'string', hint: '--providers a,b' } },
    summary: 'write .harness/manifest.json',
    load: () => runInit,
  },
  {
    words: 'provider enable',
    names: ['provider'],
    options: {},
    summary: 'enable claude, copilot, codex or cursor',
    isExclusive: true,
    load: () => runEnable,
  },
  {
    words: 'provider disable',
    names: ['provider'],
    options: {},
    summary: 'disable a provider',
    isExclusive: true,
    load: () => runDisable,
  },
  {
    words: 'add hook',
    names: ['hook-id'],
    options: {},
    summary: 'scaffold .harness/src/hooks/<hook-id>.json and register it',
    isExclusive: true,
    load: () => runAddHook,
  },
  {
    words: 'remove hook',
    names: ['hook-id'],
    options: { 'no-delete-source': { type: 'boolean', hint: '--no-delete-source' } },
    summary: 'remove a hook and its source file',
    isExclusive: true,
    load: () => runRemoveHook,
  },
  {
    words: 'plan',
    names: [],
    options: {},
    summary: 'show what apply would do; writes nothing',
    load: () => runPlan,
  },
  {
    words: 'apply',
    names: [],
    options: {},
    summary: 'write the configuration of every enabled provider',
    isExclusive: true,
    load: () => runApply,
  },
  {
    words: 'validate',
    names: [],
    options: {},
    summary: 'check manifest, ownership, sources and overrides',
    load: () => runValidate,
  },
  {
    words: 'key',
    names: ['identifier'],
    options: {},
    summary: 'print the workspace key of a task identifier',
    load: async () => (await import('./commands/key.ts')).runKey,
  },
  {
    words: 'workflow',
    names: ['file'],
    options: {},
    summary: 'check a WORKFLOW.md',
    load: async () => (await import('./commands/workflow.ts')).runWorkflow,
  },
];

export const usageOf = ({ words, names, options }: Command): string =>
  [
    'harness',
    words,
    ...names.map((name) => `<${name}>`),
    ...Object.values(options).map(({ hint }) => `[${hint}]`),
  ].join(' ');

export const usage = (): string => {
  const lines = COMMANDS.map((command) => [usageOf(command), command.summary] as const);
  const width = Math.max(...lines.map(([left]) => left.length));
  const list = lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
  return ['Usage:', ...list, '', 'Every command takes --json. Also: harness --help, harness --version'].join(
    '\n',
  );
};

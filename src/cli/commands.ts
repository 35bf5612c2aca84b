/** The commands: words, options and where each one lives. Only the one that is called gets loaded. */
import type { CliIo } from './io.ts';
import type { Outcome } from './outcome.ts';

export interface Invocation {
  /** What follows the words of the command. */
  names: readonly string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
}

export type Run = (invocation: Invocation, io: CliIo) => Outcome | Promise<Outcome>;

export interface Command {
  words: string;
  /** The names it takes, for the usage line; exactly so many are required. */
  names: readonly string[];
  options: Readonly<Record<string, { type: 'string' | 'boolean'; hint: string }>>;
  summary: string;
  load: () => Promise<Run>;
}

export const COMMANDS: readonly Command[] = [
  {
    words: 'init',
    names: [],
    options: { providers: { type: 'string', hint: '--providers a,b' } },
    summary: 'write .harness/manifest.json',
    load: async () => (await import('./commands/init.ts')).runInit,
  },
  {
    words: 'provider enable',
    names: ['provider'],
    options: {},
    summary: 'enable claude, copilot, codex or cursor',
    load: async () => (await import('./commands/provider.ts')).runEnable,
  },
  {
    words: 'provider disable',
    names: ['provider'],
    options: {},
    summary: 'disable a provider',
    load: async () => (await import('./commands/provider.ts')).runDisable,
  },
  {
    words: 'add hook',
    names: ['hook-id'],
    options: {},
    summary: 'scaffold .harness/src/hooks/<hook-id>.json and register it',
    load: async () => (await import('./commands/add-hook.ts')).runAddHook,
  },
  {
    words: 'remove hook',
    names: ['hook-id'],
    options: { 'no-delete-source': { type: 'boolean', hint: '--no-delete-source' } },
    summary: 'remove a hook and its source file',
    load: async () => (await import('./commands/remove-hook.ts')).runRemoveHook,
  },
  {
    words: 'plan',
    names: [],
    options: {},
    summary: 'show what apply would do; writes nothing',
    load: async () => (await import('./commands/plan.ts')).runPlan,
  },
  {
    words: 'apply',
    names: [],
    options: {},
    summary: 'write the configuration of every enabled provider',
    load: async () => (await import('./commands/apply.ts')).runApply,
  },
  {
    words: 'validate',
    names: [],
    options: {},
    summary: 'check manifest, ownership, sources and overrides',
    load: async () => (await import('./commands/validate.ts')).runValidate,
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

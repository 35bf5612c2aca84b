/** The command line as a function: arguments and a machine in, exit code out. */
import type { Result } from '../core/result.ts';
import { err, ok } from '../core/result.ts';
import { parseArgs } from './builtins.ts';
import { diagnose } from './cli-diagnostic.ts';
import { COMMANDS, usage, usageOf } from './commands.ts';
import type { Command } from './commands.ts';
import type { Invocation } from './invocation.ts';
import { FileError } from './io.ts';
import type { CliIo } from './io.ts';
import { withLock } from './lock.ts';
import { done, misuse, refuse } from './outcome.ts';
import type { ExitCode, Outcome } from './outcome.ts';
import { renderOutcome } from './render.ts';

export const runHarness = async (argv: readonly string[], io: CliIo): Promise<ExitCode> => {
  const outcome = await runCommand(argv, io);
  renderOutcome(outcome, argv.includes('--json') ? 'json' : 'text', io);
  return outcome.exitCode;
};

const runCommand = async (argv: readonly string[], io: CliIo): Promise<Outcome> => {
  if (argv.includes('--help') || argv.includes('-h')) return done(usage());
  if (argv[0] === '--version') return printVersion();
  const command = findCommand(argv);
  if (command === undefined) return misuse(wordsForUnknown(argv));
  const invocation = parseInvocation(command, argv);
  if (!invocation.ok) return misuse(`${invocation.error}\nUsage: ${usageOf(command)}`);
  const run = await command.load();
  try {
    const perform = () => run(invocation.value, io);
    return await (command.isExclusive ? withLock(io, perform) : perform());
  } catch (error) {
    if (error instanceof FileError)
      return refuse(diagnose('FILE_ERROR', error.message, { path: error.path }));
    throw error;
  }
};

const printVersion = async (): Promise<Outcome> => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  return { ...done(manifest.version), data: { version: manifest.version } };
};

const findCommand = (argv: readonly string[]): Command | undefined =>
  COMMANDS.find(({ words }) => words.split(' ').every((word, place) => argv[place] === word));

const wordsForUnknown = (argv: readonly string[]): string => {
  const words = argv
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ');
  return `${words === '' ? 'No command is given' : `There is no command '${words}'`}.\n${usage()}`;
};

const parseInvocation = (command: Command, argv: readonly string[]): Result<Invocation, string> => {
  const options = Object.entries(command.options).map(([name, { type }]) => [name, { type }] as const);
  try {
    const { values, positionals } = parseArgs({
      args: argv.slice(command.words.split(' ').length),
      options: { ...Object.fromEntries(options), json: { type: 'boolean' } },
      allowPositionals: true,
    });
    if (positionals.length === command.names.length) return ok({ names: positionals, options: values });
    const expected = command.names.map((name) => `<${name}>`).join(' ') || 'nothing';
    const given = positionals.length === 0 ? 'nothing' : positionals.map((name) => `'${name}'`).join(' ');
    return err(`'harness ${command.words}' takes ${expected}, but got ${given}.`);
  } catch (error) {
    // Node adds how to give a name that starts with a dash: nothing here does.
    return err((error as Error).message.replace(/ To specify a positional argument .*/s, ''));
  }
};

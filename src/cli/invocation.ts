/** How a command is called. */
import type { CliIo } from './io.ts';
import type { Outcome } from './outcome.ts';

export interface Invocation {
  /** What follows the words of the command. */
  names: readonly string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
}

export type Run = (invocation: Invocation, io: CliIo) => Outcome | Promise<Outcome>;

/** What a command has to say when it is done; `render.ts` turns it into text or JSON. */
import type { Skipped } from '../core/projection/model.ts';
import { diagnose, hasErrors } from './cli-diagnostic.ts';
import type { CliCode, CliDiagnostic } from './cli-diagnostic.ts';

/** 0 done, 1 diagnostics with errors or refused, 2 wrong usage. */
export type ExitCode = 0 | 1 | 2;

export interface Outcome {
  exitCode: ExitCode;
  /** For people, on standard output; one line each. */
  lines: readonly string[];
  /** For programs, merged into the JSON document. */
  data?: Readonly<Record<string, unknown>>;
  skipped?: readonly Skipped[];
  diagnostics: readonly CliDiagnostic[];
}

export const done = (...lines: string[]): Outcome => ({ exitCode: 0, lines, diagnostics: [] });

export const refuse = (...diagnostics: CliDiagnostic[]): Outcome => ({ exitCode: 1, lines: [], diagnostics });

export const misuse = (text: string): Outcome => ({
  exitCode: 2,
  lines: [],
  diagnostics: [diagnose('USAGE', text)],
});

export const refuseWith = (code: CliCode, text: string): Outcome => refuse(diagnose(code, text));

export const exitCodeFor = (diagnostics: readonly CliDiagnostic[]): ExitCode =>
  hasErrors(diagnostics) ? 1 : 0;

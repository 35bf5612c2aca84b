/** What is kept of a WORKFLOW.md that was refused. Pure. */
import type { Diagnostic, Failure } from './failure.ts';

/** The last refused upload; the text before it stays in force. */
export interface RefusedWorkflow {
  atMs: number;
  code: string;
  detail: string;
  text: string;
  diagnostics: Diagnostic[];
}

/** Of each message: it may quote the file, and all of them together have to fit into one stored value of 2 MB. */
const MAX_LENGTH = 1000;
const MAX_KEPT_DIAGNOSTICS = 100;

export const recordRefusal = (
  text: string,
  { code, detail, diagnostics = [] }: Failure,
  atMs: number,
): RefusedWorkflow => ({
  atMs,
  code,
  detail: cut(detail),
  text,
  diagnostics: diagnostics.slice(0, MAX_KEPT_DIAGNOSTICS).map(cutTexts),
});

const cutTexts = (diagnostic: Diagnostic): Diagnostic => ({
  ...diagnostic,
  message: cut(diagnostic.message),
  ...(diagnostic.path === undefined ? {} : { path: cut(diagnostic.path) }),
});

const cut = (text: string): string =>
  text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH).toWellFormed()}…`;

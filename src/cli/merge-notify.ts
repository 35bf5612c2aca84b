/** The one `notify` line of a Codex `config.toml`: every other byte stays, and somebody else's `notify` is never replaced. */
import { parse, stringify, TomlError } from 'smol-toml';
import type { TomlTable, TomlValue } from 'smol-toml';
import type { Result } from '../core/result.ts';
import { err, ok } from '../core/result.ts';
import { diagnose } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import { hashOf } from './managed-index.ts';
import type { OwnedEntry } from './managed-index.ts';
import type { Merged } from './merge-hooks.ts';
import { scanTop } from './toml-scan.ts';
import type { TomlLine, TomlTop } from './toml-scan.ts';

export interface NotifyRequest {
  path: string;
  /** Without byte order mark. */
  text: string;
  desired: { argv: readonly string[]; line: string } | undefined;
  owned: readonly OwnedEntry[];
}

export const notifyEntry = (argv: readonly string[]): OwnedEntry => ({
  event: 'notify',
  hash: hashOf(JSON.stringify(argv)),
});

export const mergeNotify = (request: NotifyRequest): Result<Merged, CliDiagnostic> => {
  const { path, text, desired, owned } = request;
  const table = parseToml(path, text);
  if (!table.ok) return table;
  const current = table.value['notify'];
  const found = isArgv(current) ? notifyEntry(current) : undefined;
  const isMine = found !== undefined && owned.some((entry) => entry.hash === found.hash);
  const lost = isMine || current === undefined ? [] : [...owned];
  if (desired === undefined) {
    return ok({ text: isMine ? removeNotify(text) : text, entries: [], madeKeys: [], lost });
  }
  const entries = [notifyEntry(desired.argv)];
  if (current === undefined)
    return ok({ text: insertNotify(text, desired.line), entries, madeKeys: [], lost });
  if (found?.hash === notifyEntry(desired.argv).hash) {
    return ok({ text, entries: isMine ? entries : [], madeKeys: [], lost: [] });
  }
  if (!isMine) return err(refuseForeign(path, current));
  return ok({ text: replaceNotify(text, desired.line), entries, madeKeys: [], lost });
};

const parseToml = (path: string, text: string): Result<TomlTable, CliDiagnostic> => {
  try {
    return ok(parse(text, { integersAsBigInt: 'asNeeded' }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    const reason = error.message.split('\n')[0]?.replace('Invalid TOML document: ', '') ?? 'it is no TOML';
    const message = `${path} was left untouched: line ${line}, column ${column}: ${reason}. Correct it.`;
    return err(diagnose('TARGET_INVALID', message, { path, line, column }));
  }
};

const isArgv = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string');

const refuseForeign = (path: string, current: TomlValue): CliDiagnostic =>
  diagnose(
    'OUTPUT_COLLISION_UNMANAGED',
    `${path} has a notify of its own (${stringify({ notify: current }).trim().replaceAll('\n', ' ')}) and was left untouched. Remove that line, call both programs from one script, or disable codex for the hook by an override.`,
    { path, provider: 'codex' },
  );

const newlineOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** Below the last line above the first table; else above that table, but below a leading block of comments. */
const insertNotify = (text: string, line: string): string => {
  const newline = newlineOf(text);
  const top = scanTop(text);
  const last = top.lines.at(-1);
  if (last !== undefined) return spliceLine(text, last.end, line, newline);
  const at = afterLeadingComments(text, top);
  const rest = text.slice(at);
  const gap = rest === '' || rest.startsWith('\n') || rest.startsWith('\r\n') ? '' : newline;
  return rest === '' ? spliceLine(text, at, line, newline) : text.slice(0, at) + line + newline + gap + rest;
};

/** Keeps a missing final newline missing. */
const spliceLine = (text: string, at: number, line: string, newline: string): string => {
  const before = text.slice(0, at);
  const isOpen = before !== '' && !before.endsWith('\n');
  return isOpen ? before + newline + line : before + line + newline + text.slice(at);
};

/** The comments right above a table belong to it; those before the last blank line do not. */
const afterLeadingComments = (text: string, top: TomlTop): number => {
  const head = text.slice(0, top.end);
  if (top.end === text.length) return text.length;
  const blank = Array.from(head.matchAll(/(?<=^|\n)[ \t]*\r?\n/g)).at(-1);
  if (blank !== undefined) return blank.index + blank[0].length;
  const directive = /^#:.*\r?\n/.exec(head);
  return directive === null ? 0 : directive[0].length;
};

const isNotify = ({ key }: TomlLine): boolean => key === 'notify' || key === '"notify"' || key === "'notify'";

const findNotify = (text: string): TomlLine => {
  const line = scanTop(text).lines.find(isNotify);
  if (line === undefined) throw new Error('The parser sees a notify line that the scanner does not.');
  return line;
};

const replaceNotify = (text: string, line: string): string => {
  const { valueStart, valueEnd } = findNotify(text);
  return text.slice(0, valueStart) + line.slice('notify = '.length) + text.slice(valueEnd);
};

const removeNotify = (text: string): string => {
  const { start, end } = findNotify(text);
  const before = text.slice(0, start);
  const after = text.slice(end);
  if (after === '' && !text.endsWith('\n')) return before.replace(/\r?\n$/, '');
  const isFirst = before === '' || /(?:^|\n)[ \t]*\r?\n$/.test(before) || /^#:.*\n$/.test(before);
  return before + (isFirst ? after.replace(/^\r?\n/, '') : after);
};

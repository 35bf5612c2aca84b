/** An outcome as text for people or as one JSON document for programs. */
import type { CliDiagnostic } from './cli-diagnostic.ts';
import type { CliIo } from './io.ts';
import type { Outcome } from './outcome.ts';

export type Format = 'text' | 'json';

export const renderOutcome = (outcome: Outcome, format: Format, io: CliIo): void => {
  if (format === 'json') renderJson(outcome, io);
  else renderText(outcome, io);
};

const renderJson = ({ exitCode, data, skipped, diagnostics }: Outcome, io: CliIo): void => {
  const document = { ok: exitCode === 0, ...data, ...(skipped && { skipped }), diagnostics };
  io.stdout.write(`${JSON.stringify(document, undefined, 2)}\n`);
};

const renderText = ({ lines, skipped = [], diagnostics }: Outcome, io: CliIo): void => {
  const paint = io.isTty && !io.env['NO_COLOR'] ? colour : plain;
  const notes = skipped.map(
    ({ entityId, provider, event, handler, why }) =>
      `skipped  ${entityId} for ${provider}: ${event}, handler #${handler + 1}: ${why}`,
  );
  for (const finding of diagnostics) io.stderr.write(`${describeDiagnostic(finding, paint)}\n`);
  const text = [...lines.map((line) => paintLine(line, paint)), ...notes.map((note) => paint('dim', note))];
  if (text.length > 0) io.stdout.write(`${text.join('\n')}\n`);
};

type Style = 'red' | 'green' | 'yellow' | 'dim';
type Paint = (style: Style, text: string) => string;

const CODES: Record<Style, number> = { red: 31, green: 32, yellow: 33, dim: 2 };

const colour: Paint = (style, text) => `\u001B[${CODES[style]}m${text}\u001B[0m`;
const plain: Paint = (_, text) => text;

/** `path:line:column: error CODE: message`, which editors and terminals turn into links. */
const describeDiagnostic = (finding: CliDiagnostic, paint: Paint): string => {
  const { severity, code, message, path, line, column } = finding;
  const position = line === undefined ? '' : `:${line}:${column}`;
  const place = path === undefined ? '' : `${path}${position}: `;
  return `${place}${paint(severity === 'error' ? 'red' : 'yellow', `${severity} ${code}`)}: ${withoutControl(message)}`;
};

/** Text from files must not steer the terminal. */
const withoutControl = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => (character === '\n' || character === '\t' ? character : '�'));

const paintLine = (line: string, paint: Paint): string => {
  const text = withoutControl(line);
  if (line.startsWith('+')) return paint('green', text);
  if (line.startsWith('-')) return paint('red', text);
  return text;
};

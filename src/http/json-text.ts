/** What makes a JSON body unusable before its fields are looked at: syntax, depth, half characters. */
import { type Result, err, ok } from '../core/result.ts';

/** Deeper than any request of this API; recursion over a value stays far from the stack's end. */
const MAX_DEPTH = 64;

/** The error is a sentence without its full stop. V8 parses without recursion, so depth can be looked at afterwards. */
export function parseJsonText(text: string): Result<unknown, string> {
  if (text.trim() === '') return err('The body is empty: send JSON');
  try {
    const value: unknown = JSON.parse(text);
    const fault = findValueFault(value);
    return fault === null ? ok(value) : err(fault);
  } catch (error) {
    return err(`The body is not JSON: ${syntaxFault(error)}`);
  }
}

/** With its own stack: the value may be nested as deep as the body is long. */
function findValueFault(root: unknown): string | null {
  const left: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, depth } = next;
    if (isHalved(value)) return 'The body holds half of a surrogate pair: send well-formed Unicode';
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH) return `The body is nested more than ${MAX_DEPTH} levels deep`;
    if (Object.keys(value).some(isHalved)) return 'A key of the body holds half of a surrogate pair';
    for (const inner of Object.values(value)) left.push({ value: inner, depth: depth + 1 });
  }
  return null;
}

const isHalved = (value: unknown): boolean => typeof value === 'string' && !value.isWellFormed();

/** The engine's message quotes the text around the fault, which may be a secret: only the position is kept. */
function syntaxFault(error: unknown): string {
  const position = /at position (\d+)/.exec(String(error))?.[1];
  return position === undefined
    ? 'it ends too early or has a syntax error'
    : `syntax error at character ${Number(position) + 1}`;
}

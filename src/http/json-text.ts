/** What makes a JSON body unusable before its fields are looked at: syntax, depth, half characters. */
import { type Result, err, ok } from '../core/result.ts';
import { type Fault, fieldPath } from './field-faults.ts';

/** Deeper than any request of this API; recursion over a value stays far from the stack's end. */
const MAX_DEPTH = 64;

/** V8 parses without recursion, so depth can be looked at afterwards. */
export function parseJsonText(text: string): Result<unknown, Fault> {
  if (text.trim() === '') return err(ofWhole('The body is empty: send JSON'));
  try {
    const value: unknown = JSON.parse(text);
    const fault = findValueFault(value);
    return fault === null ? ok(value) : err(fault);
  } catch (error) {
    return err(ofWhole(`The body is not JSON: ${syntaxFault(error)}`));
  }
}

const ofWhole = (message: string): Fault => ({ field: '', message });

interface Place {
  value: unknown;
  depth: number;
  step: string | number;
  parent: Place | null;
}

/** With its own stack: the value may be nested as deep as the body is long. */
function findValueFault(root: unknown): Fault | null {
  const left: Place[] = [{ value: root, depth: 0, step: '', parent: null }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, depth } = next;
    if (isHalved(value)) return halved(next);
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH) return ofWhole(`The body is nested more than ${MAX_DEPTH} levels deep`);
    for (const [key, inner] of Object.entries(value)) {
      const place = {
        value: inner,
        depth: depth + 1,
        step: Array.isArray(value) ? Number(key) : key,
        parent: next,
      };
      if (isHalved(key)) return halved(place);
      left.push(place);
    }
  }
  return null;
}

const stepsTo = ({ parent, step }: Place): (string | number)[] =>
  parent === null ? [] : [...stepsTo(parent), step];

const halved = (place: Place): Fault => {
  const field = fieldPath(stepsTo(place));
  return {
    field,
    message: `${field === '' ? 'The body' : `body \`${field}\``} holds half of a surrogate pair: send well-formed Unicode`,
  };
};

const isHalved = (value: unknown): boolean => typeof value === 'string' && !value.isWellFormed();

/** The engine's message quotes the text around the fault, which may be a secret: only the position is kept. */
function syntaxFault(error: unknown): string {
  const position = /at position (\d+)/.exec(String(error))?.[1];
  return position === undefined
    ? 'it ends too early or has a syntax error'
    : `syntax error at character ${Number(position) + 1}`;
}

/** JSON with two-space indent, LF and one trailing newline, non-ASCII unescaped: the same bytes in every engine. */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export const printJson = (value: JsonValue): string => `${JSON.stringify(value, undefined, 2)}\n`;

const startsComment = (text: string): boolean => text.includes('//') || text.includes('/*');

/**
 * Cursor cuts line and block comments out of the raw text before it parses, also inside strings.
 * `\/` is the same character to JSON and no comment to that pattern. No expression: one over long strings exhausts the stack.
 */
export const escapeCommentStarts = (json: string): string => {
  if (!startsComment(json)) return json;
  let result = '';
  let done = 0;
  for (let start = json.indexOf('"'); start !== -1; start = json.indexOf('"', done)) {
    const end = endOfString(json, start);
    const text = json.slice(start, end);
    result += json.slice(done, start) + (startsComment(text) ? text.replaceAll('/', String.raw`\/`) : text);
    done = end;
  }
  return result + json.slice(done);
};

/** After the closing quote: the first one that no backslash escapes. */
const endOfString = (json: string, start: number): number => {
  let end = json.indexOf('"', start + 1);
  while (hasOddBackslashes(json, end)) end = json.indexOf('"', end + 1);
  return end + 1;
};

const hasOddBackslashes = (json: string, before: number): boolean => {
  let first = before;
  while (json[first - 1] === '\\') first -= 1;
  return (before - first) % 2 === 1;
};

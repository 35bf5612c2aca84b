/** JSON with two-space indent, LF and one trailing newline, non-ASCII unescaped: the same bytes in every engine. */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export const printJson = (value: JsonValue): string => `${JSON.stringify(value, undefined, 2)}\n`;

const COMMENT_START = /\/[/*]/;
const STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * Cursor cuts line and block comments out of the raw text before it parses, also inside strings.
 * `\/` is the same character to JSON and no comment to that pattern.
 */
export const escapeCommentStarts = (json: string): string =>
  COMMENT_START.test(json)
    ? json.replaceAll(STRING, (text) =>
        COMMENT_START.test(text) ? text.replaceAll('/', String.raw`\/`) : text,
      )
    : json;

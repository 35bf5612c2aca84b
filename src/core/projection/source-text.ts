/** Source text of a hook → its JSON value, and lines and columns for findings. */
import type { Result } from '../result.ts';
import { err, ok } from '../result.ts';
import { scanJson } from './json-scan.ts';
import type { JsonFault } from './json-scan.ts';

const BYTE_ORDER_MARK = '\uFEFF';

export const withoutByteOrderMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;

/** `text` without its byte order mark. */
export const parseJsonText = (text: string): Result<unknown, JsonFault> => {
  const fault = scanJson(text);
  if (fault !== undefined) return err(fault);
  return ok(JSON.parse(text));
};

export interface TextPosition {
  line: number;
  column: number;
}

/** Turns an offset into line and column. Both count from 1; a column is a UTF-16 unit, as editors and JavaScript count. */
export const positionsIn = (text: string): ((offset: number) => TextPosition) => {
  const starts = [0];
  for (const lineBreak of text.matchAll(/\r\n|\r|\n/g)) starts.push(lineBreak.index + lineBreak[0].length);
  return (offset) => {
    const line = lastAtMost(starts, offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
};

export const positionAt = (text: string, offset: number): TextPosition => positionsIn(text)(offset);

/** Place of the last number that is not above `limit`; `sorted` starts with 0. */
const lastAtMost = (sorted: readonly number[], limit: number): number => {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Offsets of the values, or of the keys, that the pointers name. */
export const locatePointers = (
  text: string,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, { value: number; key: number }> => {
  const found = new Map<string, { value: number; key: number }>();
  scanJson(text, (pointer, value, key) => {
    if (wanted.has(pointer)) found.set(pointer, { value, key });
  });
  return found;
};

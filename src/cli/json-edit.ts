/**
 * Edits JSON in place: only the named elements and properties change, every other byte stays – comments, indent, line ends.
 * Works on offsets of one parse; the caller parses again before the next round of edits.
 */
import type { Node } from 'jsonc-parser';
import type { JsonValue } from '../core/projection/print-json.ts';

export interface Edit {
  at: number;
  remove: number;
  insert: string;
}

/** How the file is written, so that what is added looks like the rest. */
export interface JsonStyle {
  newline: '\n' | '\r\n';
  unit: string;
  /** The whole file stands on one line. */
  oneLine: boolean;
  /** Blank after `:` and `,` on one line. */
  gap: '' | ' ';
}

export interface Addition {
  /** For an object; left out for an array. */
  key?: string;
  value: JsonValue;
}

export const applyEdits = (text: string, edits: readonly Edit[]): string => {
  let result = '';
  let done = 0;
  for (const { at, remove, insert } of edits.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(done, at) + insert;
    done = at + remove;
  }
  return result + text.slice(done);
};

export const detectStyle = (text: string, root: Node): JsonStyle => {
  const first = root.children?.[0];
  const before = first === undefined ? undefined : text.slice(root.offset + 1, first.offset);
  const unit = before?.includes('\n') === true ? lineIndent(text, (first as Node).offset) : undefined;
  return {
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    unit: unit === undefined || unit === '' ? '  ' : unit,
    oneLine: first !== undefined && !text.slice(root.offset, endOf(root)).includes('\n'),
    gap: /"\s*:\S/.test(text) ? '' : ' ',
  };
};

const endOf = (node: Node): number => node.offset + node.length;

/** Adds at the end of an array or object. `transform` has the last word on the text of a value. */
export const appendTo = (
  text: string,
  container: Node,
  additions: readonly Addition[],
  style: JsonStyle,
  transform: (json: string) => string,
): Edit[] => {
  if (additions.length === 0) return [];
  const last = container.children?.at(-1);
  const inline = last === undefined ? style.oneLine : standsInline(text, container);
  const outer = lineIndent(text, container.offset);
  const indent = last === undefined || inline ? outer + style.unit : lineIndent(text, last.offset);
  const print = ({ key, value }: Addition): string => {
    const json = inline
      ? JSON.stringify(value)
      : JSON.stringify(value, undefined, style.unit).replaceAll('\n', style.newline + indent);
    return transform(key === undefined ? json : `${JSON.stringify(key)}:${inline ? style.gap : ' '}${json}`);
  };
  const separator = inline ? style.gap : style.newline + indent;
  const added = additions.map(print).join(`,${separator}`);
  const close = endOf(container) - 1;
  const contentEnd = text.slice(0, close).trimEnd().length;
  const from = last === undefined ? container.offset + 1 : endOf(last);
  const lead = endsInLineComment(text, from, contentEnd) ? style.newline + indent : separator;
  if (last === undefined) {
    const isEmpty = contentEnd === container.offset + 1;
    const insert = inline ? added : lead + added;
    if (!isEmpty) return [{ at: contentEnd, remove: 0, insert }];
    return [
      {
        at: contentEnd,
        remove: close - contentEnd,
        insert: inline ? insert : insert + style.newline + outer,
      },
    ];
  }
  const comma: Edit = { at: endOf(last), remove: 0, insert: ',' };
  return [comma, { at: contentEnd, remove: 0, insert: lead + added }];
};

/** Takes children out, with one comma each and the blanks before them; comments between them stay. */
export const removeFrom = (text: string, container: Node, gone: ReadonlySet<Node>): Edit[] => {
  const children = container.children ?? [];
  const edits: Edit[] = [];
  let kept: Node | undefined;
  for (const [place, child] of children.entries()) {
    if (!gone.has(child)) {
      kept = child;
      continue;
    }
    const next = children[place + 1];
    const previous = children[place - 1];
    edits.push(removalOf(text, child, previous === undefined ? container.offset + 1 : endOf(previous)));
    const comma =
      kept === undefined
        ? next && commaAt(text, endOf(child), next.offset)
        : commaAt(text, endOf(previous as Node), child.offset);
    if (comma !== undefined) edits.push({ at: comma, remove: 1, insert: '' });
  }
  return kept === undefined ? emptied(text, container, edits) : mergeEdits(edits);
};

const removalOf = (text: string, child: Node, from: number): Edit => {
  const contentEnd = from + text.slice(from, child.offset).trimEnd().length;
  // The line break that ends a comment stays, or the comment would swallow what follows on the child's line.
  const isNeeded =
    endsInLineComment(text, from, contentEnd) &&
    !/^[ \t]*\r?\n/.test(text.slice(endOf(child), lineEnd(text, endOf(child)) + 1));
  const start = isNeeded ? lineEnd(text, contentEnd) + 1 : contentEnd;
  return { at: start, remove: endOf(child) - start, insert: '' };
};

/** Whether the stretch between two siblings, up to `to`, closes with a `//` comment. */
const endsInLineComment = (text: string, from: number, to: number): boolean => {
  for (let at = from; at < to; at += 1) {
    if (text.startsWith('//', at)) {
      at = lineEnd(text, at);
      if (at >= to) return true;
    } else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1;
  }
  return false;
};

/** Offset of the comma between two siblings, comments skipped. */
const commaAt = (text: string, from: number, to: number): number | undefined => {
  for (let at = from; at < to; at += 1) {
    if (text[at] === ',') return at;
    if (text.startsWith('//', at)) at = lineEnd(text, at);
    else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1;
  }
  return undefined;
};

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
};

/** Nothing is left: `[]` or `{}`, unless comments are. */
const emptied = (text: string, container: Node, edits: Edit[]): Edit[] => {
  const start = container.offset + 1;
  const length = endOf(container) - 1 - start;
  const rest = applyEdits(
    text.slice(start, start + length),
    mergeEdits(edits).map((edit) => ({ ...edit, at: edit.at - start })),
  );
  return rest.trim() === '' ? [{ at: start, remove: length, insert: '' }] : mergeEdits(edits);
};

/** A comma may lie inside the blanks that another edit removes. */
const mergeEdits = (edits: readonly Edit[]): Edit[] => {
  const merged: Edit[] = [];
  for (const edit of edits.toSorted((a, b) => a.at - b.at)) {
    const last = merged.at(-1);
    if (last === undefined || edit.at >= last.at + last.remove) merged.push({ ...edit });
    else last.remove = Math.max(last.remove, edit.at + edit.remove - last.at);
  }
  return merged;
};

export const replaceNode = (
  text: string,
  node: Node,
  value: JsonValue,
  style: JsonStyle,
  transform: (json: string) => string,
): Edit => {
  const inline = !text.slice(node.offset, endOf(node)).includes('\n');
  const indent = lineIndent(text, node.offset);
  const json = inline
    ? JSON.stringify(value)
    : JSON.stringify(value, undefined, style.unit).replaceAll('\n', style.newline + indent);
  return { at: node.offset, remove: node.length, insert: transform(json) };
};

const standsInline = (text: string, container: Node): boolean => {
  const first = container.children?.[0];
  return first !== undefined && !text.slice(container.offset, first.offset).includes('\n');
};

const lineIndent = (text: string, offset: number): string => {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
};

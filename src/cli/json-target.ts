/** A JSON file that people own, comments allowed: parsed with offsets, or the reason why nothing can be merged into it. */
import { parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import { positionAt } from '../core/projection/source-text.ts';
import type { Result } from '../core/result.ts';
import { err, ok } from '../core/result.ts';
import { diagnose } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';

export interface JsonTarget {
  root: Node;
  /** The object under `hooks`, when there is one. */
  hooks: Node | undefined;
}

export const parseTarget = (path: string, text: string): Result<JsonTarget, CliDiagnostic> => {
  const refuse = (reason: string, offset = 0): Result<never, CliDiagnostic> => {
    const position = positionAt(text, offset);
    const message = `${path} was left untouched: line ${position.line}, column ${position.column}: ${reason}`;
    return err(diagnose('TARGET_INVALID', message, { path, ...position }));
  };
  const errors: ParseError[] = [];
  const root = parseNodes(text, errors);
  const fault = errors[0];
  if (root === 'too deep') return refuse('it is nested too deeply.');
  if (fault !== undefined) return refuse(`${wordsFor(fault)}. Correct it.`, fault.offset);
  if (root?.type !== 'object') return refuse('it holds no JSON object. Write { } at least.', root?.offset);
  const twice = repeatedKey(root);
  if (twice !== undefined) return refuse(`the key "${keyOf(twice)}" is there twice. Keep one.`, twice.offset);
  const hooks = valueOf(root, 'hooks');
  if (hooks === undefined) return ok({ root, hooks });
  if (hooks.type !== 'object')
    return refuse('hooks is no object. Write an object from event to list.', hooks.offset);
  const event = repeatedKey(hooks);
  if (event !== undefined)
    return refuse(`the event "${keyOf(event)}" is there twice. Keep one.`, event.offset);
  const noList = hooks.children?.find((property) => property.children?.[1]?.type !== 'array');
  if (noList !== undefined) return refuse(`hooks.${keyOf(noList)} is no list.`, noList.offset);
  return ok({ root, hooks });
};

const parseNodes = (text: string, errors: ParseError[]): Node | undefined | 'too deep' => {
  try {
    return parseTree(text, errors, { allowTrailingComma: false });
  } catch {
    return 'too deep'; // the parser recurses
  }
};

const wordsFor = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

export const keyOf = (property: Node): string => property.children?.[0]?.value as string;

export const propertyOf = (object: Node, key: string): Node | undefined =>
  object.children?.find((property) => keyOf(property) === key);

export const valueOf = (object: Node, key: string): Node | undefined =>
  propertyOf(object, key)?.children?.[1];

const repeatedKey = (object: Node): Node | undefined => {
  const seen = new Set<string>();
  return object.children?.find((property) => {
    const key = keyOf(property);
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  });
};

/** The value as JSON without layout: equal values give equal text, and `__proto__` stays a key. */
export const compactJson = (node: Node): string => {
  const children = node.children ?? [];
  if (node.type === 'array') return `[${children.map(compactJson).join(',')}]`;
  if (node.type !== 'object') return JSON.stringify(node.value);
  const members = children.map((property) => {
    const value = property.children?.[1];
    return `${JSON.stringify(keyOf(property))}:${value === undefined ? 'null' : compactJson(value)}`;
  });
  return `{${members.join(',')}}`;
};

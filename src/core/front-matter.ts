/** The YAML front matter of a text: plain values out of it, and the line and column of whatever is wrong with them. */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import {
  type Alias,
  LineCounter,
  type Node,
  type YAMLMap,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
} from 'yaml';
import { parseDocument, visit } from 'yaml';
import { type Diagnostic, type Failure, type FailureCode, failure } from './failure.ts';

/** The limit of a request body, so that every way in has the same one. */
const MAX_TEXT_BYTES = 1_048_576;
/** The YAML parser takes seconds for a hostile megabyte; room for every honest script. */
const MAX_FRONT_MATTER_LENGTH = 262_144;
/** Each use of an alias counts what it expands to: stops alias bombs, far above any honest file. */
const MAX_VALUES = 10_000;
/** Section, field, entry: nothing below is ever read. */
const MAX_DEPTH = 3;
/** Of the keys above a fault; above the names that are read there are a handful of letters. */
const MAX_PARENTS_LENGTH = 200;
/** Enough to work with; a broken file can have a fault in each of its lines. */
export const MAX_DIAGNOSTICS = 100;

interface Fault {
  failureCode: FailureCode;
  diagnostic: Required<Diagnostic>;
}

/** Collects faults instead of stopping at the first. Without front matter it holds no values and no faults. */
export class FrontMatter {
  /** The text after the front matter, trimmed. */
  body = '';
  #root: Node | null = null;
  #aliasTargets = new Map<unknown, Node>();
  #lines = new LineCounter();
  #faults: Fault[] = [];
  #valuesRead = 0;

  constructor(text: string) {
    const yaml = this.#split(text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'));
    if (yaml !== null) this.#parse(yaml);
  }

  /** The named sections as plain values; what other names hold is not looked at. */
  read(names: string[]): Record<string, unknown> {
    return Object.fromEntries(
      names.map((name) => [name, this.#plain(this.#child(this.#root, name)?.value, 1)]),
    );
  }

  /** Of all that the front matter holds, or one of its sections; none where it is no map. */
  keys(section?: string): string[] {
    const holder = this.#target(section === undefined ? this.#root : this.#child(this.#root, section)?.value);
    return isMap(holder) ? holder.items.map(({ key }) => keyText(key)) : [];
  }

  /** Points to the value at the path, or to what is nearest to it. */
  addFault(code: string, path: string[], message: string, at: 'key' | 'value' = 'value'): void {
    if (this.#faults.length >= MAX_DIAGNOSTICS) return;
    const name = path.join('.');
    this.#addFault('workflow_invalid', code, this.#locate(path, at), name, `${name} ${message}.`);
  }

  /** All faults in the file's order; null when there are none. A text that can't be parsed counts most. */
  failure(): Failure | null {
    const faults = this.#faults.toSorted(byPlace).slice(0, MAX_DIAGNOSTICS);
    const code = WORST_FIRST.find((one) => faults.some(({ failureCode }) => failureCode === one));
    const first = faults[0]?.diagnostic;
    if (!code || !first) return null;
    const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
    return failure(code, `${WHOLE_FILE}:${first.line}:${first.column}: ${first.message}${others}`, {
      diagnostics: faults.map(({ diagnostic }) => diagnostic),
    });
  }

  /** A blank line takes the place of the opening one, so that YAML counts the file's lines. */
  #split(text: string): string | null {
    if (text.length > MAX_TEXT_BYTES || utf8ToBytes(text).length > MAX_TEXT_BYTES)
      return this.#refuse(
        'too_large',
        `The file is over ${MAX_TEXT_BYTES} bytes: keep long texts in the repository.`,
      );
    this.body = text.trim();
    if (!/^---[ \t]*(?:\n|$)/.test(text)) return null;
    const closing = /\n---[ \t]*(?=\n|$)/.exec(text);
    if (!closing)
      return this.#refuse(
        'not_closed',
        'The front matter never ends: add a line of only --- after its last line.',
      );
    if (closing.index > MAX_FRONT_MATTER_LENGTH)
      return this.#refuse(
        'too_large',
        `The front matter is over ${MAX_FRONT_MATTER_LENGTH} characters: keep long scripts in the repository.`,
      );
    this.body = text.slice(closing.index + closing[0].length).trim();
    return text.slice(text.indexOf('\n'), closing.index + 1);
  }

  #parse(yaml: string): void {
    const document = parseDocument(yaml, {
      lineCounter: this.#lines,
      prettyErrors: false,
      logLevel: 'error',
      resolveKnownTags: false,
      // The parser would compare every pair of keys to find duplicates; `#checkKeys` looks them up.
      uniqueKeys: false,
    });
    for (const { code, message, pos } of document.errors)
      this.#addSyntaxFault(pos[0], YAML_HINTS[code] ?? message);
    // A tree with syntax errors is a guess, and can be too deep to walk.
    if (this.#faults.length > 0) return;
    const anchors = new Map<string, Node>();
    visit(document, (_, node, ancestors) => {
      if (isAlias(node)) this.#link(node, anchors.get(node.source));
      else if (isNode(node) && node.anchor) anchors.set(node.anchor, node);
      if (isMap(node)) this.#checkKeys(node, ancestors);
    });
    this.#adopt(document.contents);
  }

  #link(alias: Alias, target: Node | undefined): void {
    if (target) this.#aliasTargets.set(alias, target);
    else this.#addSyntaxFault(startOf(alias), `The alias *${alias.source} has no anchor before it`);
  }

  #checkKeys(map: YAMLMap, ancestors: readonly unknown[]): void {
    const seen = new Set<string>();
    for (const { key } of map.items) {
      const name = keyText(key);
      if (seen.has(name))
        this.#addFault(
          'workflow_invalid',
          'duplicate_key',
          startOf(key),
          pathTo(ancestors, name),
          `The key ${name} is there twice: keep one.`,
        );
      seen.add(name);
    }
  }

  #adopt(root: Node | null): void {
    if (root === null || (isScalar(root) && root.value === null)) return;
    if (isMap(root)) this.#root = root;
    else {
      const kind = isSeq(root) ? 'a list' : 'a single value';
      const message = `The front matter is ${kind}: it must be a map such as "hooks:".`;
      this.#addFault('workflow_front_matter_not_a_map', 'not_a_map', startOf(root), WHOLE_FILE, message);
    }
  }

  #plain(node: unknown, depth: number): unknown {
    const target = this.#target(node);
    if (++this.#valuesRead > MAX_VALUES) return this.#refuseMoreValues(target);
    if (isScalar(target)) return target.value;
    if (isSeq(target))
      return depth < MAX_DEPTH ? target.items.map((item) => this.#plain(item, depth + 1)) : [];
    if (!isMap(target)) return null;
    const pairs = depth < MAX_DEPTH ? target.items : [];
    return Object.fromEntries(pairs.map(({ key, value }) => [keyText(key), this.#plain(value, depth + 1)]));
  }

  #refuseMoreValues(node: unknown): null {
    if (this.#valuesRead === MAX_VALUES + 1)
      this.#addSyntaxFault(startOf(node), `The front matter expands to over ${MAX_VALUES} values`);
    return null;
  }

  #locate(path: string[], at: 'key' | 'value'): number {
    let found: Entry = { key: this.#root, value: this.#root };
    for (const step of path) {
      const next = this.#child(found.value, step);
      if (!next) break;
      found = next;
    }
    return startOf(at === 'key' ? found.key : found.value);
  }

  #child(parent: unknown, step: string): Entry | undefined {
    const holder = this.#target(parent);
    if (isMap(holder)) return holder.items.findLast(({ key }) => keyText(key) === step);
    if (!isSeq(holder) || !(step in holder.items)) return undefined;
    const item = holder.items[Number(step)];
    return { key: item, value: item };
  }

  #target(node: unknown): unknown {
    return isAlias(node) ? this.#aliasTargets.get(node) : node;
  }

  #refuse(code: string, message: string): null {
    this.#addFault('workflow_parse_error', code, 0, WHOLE_FILE, message);
    return null;
  }

  #addSyntaxFault(offset: number, message: string): void {
    this.#addFault('workflow_parse_error', 'yaml_syntax', offset, WHOLE_FILE, `${message}.`);
  }

  #addFault(failureCode: FailureCode, code: string, offset: number, path: string, message: string): void {
    const { line, col } = this.#lines.linePos(offset);
    const place = { path, line: Math.max(line, 1), column: Math.max(col, 1) };
    this.#faults.push({ failureCode, diagnostic: { code, severity: 'error', message, ...place } });
  }
}

/** Items of a list add nothing. Long keys are left out: each of thousands of faults would repeat them. */
function pathTo(ancestors: readonly unknown[], name: string): string {
  const keys = ancestors.filter(isPair).map(({ key }) => keyText(key));
  const length = keys.reduce((sum, key) => sum + key.length, 0);
  return length > MAX_PARENTS_LENGTH ? name : [...keys, name].join('.');
}

/** The path of a fault that belongs to no single key. */
const WHOLE_FILE = 'WORKFLOW.md';

const WORST_FIRST = ['workflow_parse_error', 'workflow_front_matter_not_a_map', 'workflow_invalid'] as const;

const YAML_HINTS: Partial<Record<string, string>> = {
  TAB_AS_INDENT: 'Tabs are not allowed as indentation: use spaces',
  MULTIPLE_DOCS: 'A second YAML document begins here: keep one',
  RESOURCE_EXHAUSTION: 'The front matter is nested too deeply',
};

/** A key of a map or an item of a list, as YAML nodes. */
interface Entry {
  key: unknown;
  value: unknown;
}

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);

const byPlace = ({ diagnostic: a }: Fault, { diagnostic: b }: Fault): number =>
  a.line - b.line || a.column - b.column;

function keyText(key: unknown): string {
  const value = isScalar(key) ? key.value : null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

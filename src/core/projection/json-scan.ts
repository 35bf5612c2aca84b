/**
 * A strict JSON scanner: finds the first fault with its offset, duplicate keys included, and tells where each value lies.
 * It does not recurse, so depth can't exhaust the stack, and its words do not depend on the engine's JSON.parse.
 */
import { pointerStep } from './diagnostic.ts';

export interface JsonFault {
  offset: number;
  text: string;
}

/** Where a value and, in an object, its key begin. */
export type OnValue = (pointer: string, valueOffset: number, keyOffset: number) => void;

/** One open array or object. */
interface Frame {
  keys: Set<string> | undefined;
  pointer: string;
  count: number;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const BLANK = /[ \t\n\r]*/y;
const WORD = /[\w$.+-]+/y;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20; // the first character that a string may hold as it is

const UNKNOWN_ESCAPE = 'an unknown escape in a string. Write \\\\ for a backslash';
const CONTROL_IN_STRING = 'a line break or control character in a string. Write it as an escape, such as \\n';

export const scanJson = (text: string, onValue?: OnValue): JsonFault | undefined =>
  new Scanner(text, onValue).run();

class Scanner {
  readonly #text: string;
  readonly #onValue: OnValue | undefined;
  readonly #frames: Frame[] = [];
  #at = 0;

  constructor(text: string, onValue: OnValue | undefined) {
    this.#text = text;
    this.#onValue = onValue;
  }

  run(): JsonFault | undefined {
    this.#skip(BLANK);
    let fault = this.#value('', this.#at);
    while (fault === undefined && this.#frames.length > 0) fault = this.#next();
    if (fault !== undefined) return fault;
    this.#skip(BLANK);
    return this.#at === this.#text.length ? undefined : this.#unexpected('the end of the text');
  }

  /** The next member, or the end, of the innermost open array or object. */
  #next(): JsonFault | undefined {
    const frame = this.#frames.at(-1) as Frame;
    const close = frame.keys === undefined ? ']' : '}';
    this.#skip(BLANK);
    if (this.#take(close)) return void this.#frames.pop();
    if (frame.count > 0) {
      if (!this.#take(',')) return this.#unexpected(`',' or '${close}'`);
      this.#skip(BLANK);
      if (this.#text[this.#at] === close) return this.#fault(`a trailing comma before '${close}'. Remove it`);
    }
    return frame.keys === undefined ? this.#element(frame) : this.#member(frame, frame.keys);
  }

  #element(frame: Frame): JsonFault | undefined {
    const pointer = this.#onValue === undefined ? '' : `${frame.pointer}/${frame.count}`;
    frame.count += 1;
    return this.#value(pointer, this.#at);
  }

  #member(frame: Frame, keys: Set<string>): JsonFault | undefined {
    const keyOffset = this.#at;
    if (this.#text[keyOffset] !== '"') return this.#unexpected(`a key in double quotes or '}'`);
    const fault = this.#string();
    if (fault !== undefined) return fault;
    const key = JSON.parse(this.#text.slice(keyOffset, this.#at)) as string;
    if (keys.has(key))
      return { offset: keyOffset, text: `the key ${JSON.stringify(key)} is there twice. Keep one of them` };
    keys.add(key);
    frame.count += 1;
    this.#skip(BLANK);
    if (!this.#take(':')) return this.#unexpected(`':' after the key`);
    this.#skip(BLANK);
    const pointer = this.#onValue === undefined ? '' : frame.pointer + pointerStep(key);
    return this.#value(pointer, keyOffset);
  }

  #value(pointer: string, keyOffset: number): JsonFault | undefined {
    this.#onValue?.(pointer, this.#at, keyOffset);
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') {
      this.#at += 1;
      this.#frames.push({ keys: first === '{' ? new Set() : undefined, pointer, count: 0 });
      return undefined;
    }
    if (first === '"') return this.#string();
    if (this.#takeWord('true') || this.#takeWord('false') || this.#takeWord('null')) return undefined;
    NUMBER.lastIndex = this.#at;
    if (!NUMBER.test(this.#text)) return this.#unexpected('a value');
    this.#at = NUMBER.lastIndex;
    return undefined;
  }

  #string(): JsonFault | undefined {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE) break;
      if (Number.isNaN(code)) return { offset: start, text: `a string is not closed. Add '"'` };
      if (code < SPACE) return this.#fault(CONTROL_IN_STRING);
      if (code !== BACKSLASH) this.#at += 1;
      else if (!this.#skip(ESCAPE)) return this.#fault(UNKNOWN_ESCAPE);
    }
    this.#at += 1;
    return undefined;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const before = this.#at;
    if (pattern.test(this.#text)) this.#at = pattern.lastIndex;
    return this.#at > before;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #takeWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #unexpected(expected: string): JsonFault {
    const found = this.#text[this.#at];
    if (found === undefined) return this.#fault(`the text ends where ${expected} is due`);
    const two = this.#text.slice(this.#at, this.#at + 2);
    if (two === '//' || two === '/*') return this.#fault('a comment. JSON has none: remove it');
    WORD.lastIndex = this.#at;
    const word =
      WORD.exec(this.#text)?.[0].slice(0, 20) ??
      String.fromCodePoint(this.#text.codePointAt(this.#at) as number);
    return this.#fault(`${JSON.stringify(word)} stands where ${expected} is due`);
  }

  #fault(text: string): JsonFault {
    return { offset: this.#at, text };
  }
}

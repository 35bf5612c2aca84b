/**
 * Takes secrets out of text that people or logs get to see: as they are, URL-encoded, JSON-escaped and in base64. Tokens of ours whose value
 * nobody keeps, made API tokens and git grants, are known by their form.
 */
import { utf8ToBytes } from '@noble/hashes/utils.js';

const MASK = '***';
/** Shorter values would match inside ordinary words. */
const MIN_SECRET_LENGTH = 6;
/** `base64` breaks its lines with LF or CRLF; more in a row is no wrapped text. */
const MAX_LINE_BREAK_LENGTH = 2;

const LF = 10;
const CR = 13;

export interface MaskStream {
  /** Returns what can no longer be part of a secret; holds back the rest. */
  push(chunk: string): string;
  /** Returns what was held back: at the end, or when nothing comes for a while. Of a secret that goes on afterwards the rest is masked. */
  flush(): string;
  /** Something is held back that may become a secret. */
  readonly isHolding: boolean;
}

export interface Masker {
  mask(text: string): string;
  stream(): MaskStream;
}

/** Of an environment variable that is masked without being flagged. */
export const isSecretName = (name: string): boolean => /TOKEN|SECRET|KEY|PASSWORD/i.test(name);

/** Such a value stays readable in outputs; whoever sets it is warned. Blanks around a value don't count. */
export const tooShortToMask = (value: string): boolean => Array.from(value.trim()).length < MIN_SECRET_LENGTH;

/** All occurrences are covered, also overlapping ones; time grows with the text, not with the number of secrets. */
export function buildMasker(secrets: readonly string[]): Masker {
  const values = secrets.flatMap(withLines).filter((value) => !tooShortToMask(value));
  const text = values.length === 0 ? null : buildAutomaton(values.flatMap(textForms));
  const base64 = values.length === 0 ? null : buildAutomaton(values.flatMap(base64Forms));
  const stream = (): MaskStream =>
    new SpanMask([
      ...(text === null ? [] : [new FormScanner(text, 'exact')]),
      ...(base64 === null ? [] : [new FormScanner(base64, 'wrapped')]),
      ...TOKEN_PREFIXES.map((prefix) => new TokenScanner(prefix)),
    ]);
  const mask = (whole: string): string => {
    const once = stream();
    return once.push(whole) + once.flush();
  };
  return { mask, stream };
}

// The forms in which a value shows up.

/** A log prints a key file line by line, with other text in between. */
const withLines = (secret: string): string[] => {
  const value = secret.toWellFormed();
  return [value, ...value.split('\n').map((line) => line.trim())];
};

function textForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value);
  const strict = url.replace(/[!'()*]/g, percentEncoded);
  const form = strict.replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E');
  const urls = [url, strict, form, url.replaceAll('%2F', '/'), strict.replaceAll('%2F', '/')];
  const lowerCase = urls.map((text) => text.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()));
  return [
    value,
    json,
    json.replace(/[\u0080-\uffff]/g, jsonEscaped),
    json.replaceAll('/', '\\/'),
    ...urls,
    ...lowerCase,
  ];
}

const percentEncoded = (character: string): string => `%${hex(character, 2)}`;

const jsonEscaped = (character: string): string => `\\u${hex(character, 4).toLowerCase()}`;

const hex = (character: string, digits: number): string =>
  character.charCodeAt(0).toString(16).toUpperCase().padStart(digits, '0');

/** In longer base64 text a value can start at each of three places of a group; its outer characters depend on its neighbours. */
function base64Forms(value: string): string[] {
  const bytes = utf8ToBytes(value);
  const forms = [0, 1, 2].flatMap((shift) => {
    const shifted = new Uint8Array(shift + bytes.length);
    shifted.set(bytes, shift);
    const text = encodeBase64(shifted).slice(Math.ceil((8 * shift) / 6));
    const ownLength = Math.floor((8 * shifted.length) / 6) - Math.ceil((8 * shift) / 6);
    return [text, text.slice(0, ownLength)];
  });
  return [...forms, ...forms.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Without padding. */
function encodeBase64(bytes: Uint8Array): string {
  const digits: string[] = [];
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    for (bitCount += 8; bitCount >= 6; bitCount -= 6)
      digits.push(BASE64.charAt((bits >> (bitCount - 6)) & 63));
  }
  if (bitCount > 0) digits.push(BASE64.charAt((bits << (6 - bitCount)) & 63));
  return digits.join('');
}

// Finding them: an Aho-Corasick automaton, in arrays because secrets can be long and memory is short.

interface Automaton {
  code: Uint16Array;
  firstChild: Int32Array;
  nextSibling: Int32Array;
  /** Where to go on when no child fits: the longest proper suffix that some form starts with. */
  fallback: Int32Array;
  depth: Int32Array;
  /** Length of the longest form that ends here, 0 for none. */
  matched: Int32Array;
  longest: number;
}

const ROOT = 0;

function buildAutomaton(forms: string[]): Automaton {
  const unique = [...new Set(forms)];
  const size = unique.reduce((sum, form) => sum + form.length, 1);
  const numbers = (): Int32Array => new Int32Array(size);
  const automaton: Automaton = {
    code: new Uint16Array(size),
    firstChild: numbers(),
    nextSibling: numbers(),
    fallback: numbers(),
    depth: numbers(),
    matched: numbers(),
    longest: unique.reduce((longest, form) => Math.max(longest, form.length), 0),
  };
  addForms(automaton, unique);
  linkFallbacks(automaton);
  return automaton;
}

function addForms(automaton: Automaton, forms: string[]): void {
  const { code, firstChild, nextSibling, depth, matched } = automaton;
  let count = 1;
  for (const form of forms) {
    let node = ROOT;
    for (let at = 0; at < form.length; at++) {
      let child = childOf(automaton, node, form.charCodeAt(at));
      if (child === ROOT) {
        child = count++;
        code[child] = form.charCodeAt(at);
        depth[child] = at + 1;
        nextSibling[child] = firstChild[node] ?? ROOT;
        firstChild[node] = child;
      }
      node = child;
    }
    matched[node] = form.length;
  }
}

/** Level by level: a node's fallback is nearer to the root, so it is complete before it is asked. */
function linkFallbacks(automaton: Automaton): void {
  const { code, firstChild, nextSibling, fallback, matched } = automaton;
  const level: number[] = [ROOT];
  for (const node of level)
    for (let child = firstChild[node] ?? ROOT; child !== ROOT; child = nextSibling[child] ?? ROOT) {
      const next = node === ROOT ? ROOT : step(automaton, fallback[node] ?? ROOT, code[child] ?? 0);
      fallback[child] = next;
      matched[child] ||= matched[next] ?? 0;
      level.push(child);
    }
}

function step(automaton: Automaton, from: number, code: number): number {
  for (let node = from; ; node = automaton.fallback[node] ?? ROOT) {
    const child = childOf(automaton, node, code);
    if (child !== ROOT || node === ROOT) return child;
  }
}

/** The root is nobody's child, so it stands for none. */
function childOf({ code, firstChild, nextSibling }: Automaton, node: number, wanted: number): number {
  let child = firstChild[node] ?? ROOT;
  while (child !== ROOT && code[child] !== wanted) child = nextSibling[child] ?? ROOT;
  return child;
}

/** One pass over a text. */
interface Scanner {
  /** The start of the longest form that ends with this character, else null. */
  read(code: number, place: number): number | null;
  /** The start of what may become a form, null when nothing may. */
  openFrom(): number | null;
}

/** `wrapped` forms may have line breaks inside. */
class FormScanner implements Scanner {
  readonly #automaton: Automaton;
  readonly #layout: 'exact' | 'wrapped';
  /** Where the last characters that counted are in the text: a ring as long as the longest form. */
  readonly #places: Float64Array;
  #counted = 0;
  #node = ROOT;
  #lineBreakLength = 0;

  constructor(automaton: Automaton, layout: 'exact' | 'wrapped') {
    this.#automaton = automaton;
    this.#layout = layout;
    this.#places = new Float64Array(automaton.longest);
  }

  read(code: number, place: number): number | null {
    if (this.#layout === 'wrapped' && (code === LF || code === CR)) {
      if (++this.#lineBreakLength > MAX_LINE_BREAK_LENGTH) this.#node = ROOT;
      return null;
    }
    this.#lineBreakLength = 0;
    this.#places[this.#counted++ % this.#places.length] = place;
    this.#node = step(this.#automaton, this.#node, code);
    const length = this.#automaton.matched[this.#node] ?? 0;
    return length > 0 ? this.#placeBack(length) : null;
  }

  openFrom(): number | null {
    const depth = this.#automaton.depth[this.#node] ?? 0;
    return depth > 0 ? this.#placeBack(depth) : null;
  }

  #placeBack(length: number): number {
    return this.#places[(this.#counted - length) % this.#places.length] ?? 0;
  }
}

/** `eh_…`: an API token that was made; `~…`: the end of a git grant's address. */
const TOKEN_PREFIXES = ['eh_', '~'];
/** 32 random bytes in base64url. */
const TOKEN_LENGTH = 43;

class TokenScanner implements Scanner {
  readonly #prefix: string;
  #matched = 0;
  #start = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  read(code: number, place: number): number | null {
    if (!this.#takes(code)) this.#matched = 0;
    if (!this.#takes(code)) return null;
    if (this.#matched === 0) this.#start = place;
    this.#matched += 1;
    if (this.#matched < this.#prefix.length + TOKEN_LENGTH) return null;
    this.#matched = 0;
    return this.#start;
  }

  openFrom(): number | null {
    return this.#matched === 0 ? null : this.#start;
  }

  #takes(code: number): boolean {
    if (this.#matched < this.#prefix.length) return code === this.#prefix.charCodeAt(this.#matched);
    return isTokenCharacter(code);
  }
}

/** Letters, digits, `-` and `_`. */
const isTokenCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 45 ||
  code === 95;

interface Span {
  start: number;
  end: number;
  /** Its mask is written; what follows of it is dropped. */
  isWritten: boolean;
}

/** Spans are in order and apart; all places count from the start of the stream. */
class SpanMask implements MaskStream {
  readonly #scanners: Scanner[];
  #held = '';
  #heldFrom = 0;
  #end = 0;
  #spans: Span[] = [];

  constructor(scanners: Scanner[]) {
    this.#scanners = scanners;
  }

  push(chunk: string): string {
    this.#held += chunk;
    for (let at = 0; at < chunk.length; at++, this.#end++)
      for (const scanner of this.#scanners) {
        const start = scanner.read(chunk.charCodeAt(at), this.#end);
        if (start !== null) this.#cover(start, this.#end + 1);
      }
    return this.#release(Math.min(...this.#scanners.map((scanner) => scanner.openFrom() ?? this.#end)));
  }

  flush(): string {
    return this.#release(this.#end);
  }

  get isHolding(): boolean {
    return this.#held !== '';
  }

  #cover(from: number, end: number): void {
    let start = from;
    let isWritten = false;
    for (let last = this.#spans.at(-1); last && last.end > from; last = this.#spans.at(-1)) {
      start = Math.min(start, last.start);
      isWritten ||= last.isWritten;
      this.#spans.pop();
    }
    this.#spans.push({ start, end, isWritten });
  }

  /** No form found later starts before `limit`. */
  #release(limit: number): string {
    let text = '';
    for (const span of this.#spans) {
      if (span.start >= limit) break;
      text += this.#takeUntil(span.start);
      if (!span.isWritten) text += MASK;
      span.isWritten = true;
      this.#takeUntil(span.end);
    }
    this.#spans = this.#spans.filter((span) => span.end > limit);
    return text + this.#takeUntil(limit);
  }

  #takeUntil(place: number): string {
    const length = Math.max(place - this.#heldFrom, 0);
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#heldFrom += length;
    return text;
  }
}

/** The lines of a log: sections of runs, each with its own lines, so that late words land where they belong. Pure of the DOM. */
import { lastOverwrite, parseAnsi, PLAIN, type Style, stripAnsi } from './ansi.ts';
import type { Tone } from '../parts/words.ts';

export interface Line {
  text: string;
  kind: 'head' | 'stdout' | 'stderr' | 'gap';
  /** The style that it begins with. */
  style: Style;
  tone: Tone | null;
}

type Stream = 'stdout' | 'stderr';

/** Where the service left something out, it says so in the text. */
const GAP = /^\[… .* left out …\]$/;

export class LogSection {
  readonly id: string;
  readonly lines: Line[];
  /** The last line of each stream, while it may go on. */
  #open: Record<Stream, Line | null> = { stdout: null, stderr: null };
  #style: Record<Stream, Style> = { stdout: PLAIN, stderr: PLAIN };

  constructor(id: string, title: string, tone: Tone) {
    this.id = id;
    this.lines = [{ text: title, kind: 'head', style: PLAIN, tone }];
  }

  setTitle(title: string, tone: Tone): void {
    this.lines[0] = { text: title, kind: 'head', style: PLAIN, tone };
  }

  get isEmpty(): boolean {
    return this.lines.length === 1;
  }

  clear(): void {
    this.lines.length = 1;
    this.#open = { stdout: null, stderr: null };
    this.#style = { stdout: PLAIN, stderr: PLAIN };
  }

  addGap(bytes: number): void {
    this.lines.push({
      text: `[… ${bytes.toLocaleString('en')} bytes left out …]`,
      kind: 'gap',
      style: PLAIN,
      tone: null,
    });
  }

  append(stream: Stream, text: string): void {
    const parts = text.split('\n');
    const last = parts.length - 1;
    for (const [index, part] of parts.entries()) {
      const isWhole = index < last;
      if (part !== '' || isWhole) this.#extend(stream, part);
      if (isWhole) this.#close(stream);
    }
  }

  #extend(stream: Stream, part: string): void {
    const open = this.#open[stream];
    if (open) {
      open.text += part;
      return;
    }
    const line: Line = { text: part, kind: stream, style: this.#style[stream], tone: null };
    this.#open[stream] = line;
    this.lines.push(line);
  }

  #close(stream: Stream): void {
    const line = this.#open[stream];
    this.#open[stream] = null;
    if (!line) return;
    if (GAP.test(line.text)) line.kind = 'gap';
    if (line.text.includes('\x1b')) this.#style[stream] = parseAnsi(line.text, line.style).end;
  }
}

export class LogModel {
  sections: LogSection[] = [];

  get length(): number {
    return this.sections.reduce((sum, { lines }) => sum + lines.length, 0);
  }

  section(id: string): LogSection | null {
    return this.sections.find((section) => section.id === id) ?? null;
  }

  /** Lines of the window, without a copy of all. */
  slice(from: number, to: number): Line[] {
    const found: Line[] = [];
    let start = 0;
    for (const { lines } of this.sections) {
      if (start + lines.length > from && start < to)
        found.push(...lines.slice(Math.max(0, from - start), Math.max(0, to - start)));
      start += lines.length;
    }
    return found;
  }

  /** Numbers of the lines that hold `words`, in any case of letters. */
  search(words: string): number[] {
    const wanted = words.toLowerCase();
    const found: number[] = [];
    let number = 0;
    for (const { lines } of this.sections)
      for (const { text } of lines) {
        if (visibleText(text).toLowerCase().includes(wanted)) found.push(number);
        number += 1;
      }
    return found;
  }
}

const visibleText = (text: string): string =>
  text.includes('\x1b') || text.includes('\r') ? stripAnsi(lastOverwrite(text)) : text;

/** Where the key/value lines above the first table of a TOML file lie. The text has been parsed before, so it is valid. */

export interface TomlLine {
  /** As written, quotes included. */
  key: string;
  /** Begin of the line. */
  start: number;
  valueStart: number;
  valueEnd: number;
  /** After the line break, or the end of the text. */
  end: number;
}

export interface TomlTop {
  lines: TomlLine[];
  /** Begin of the line with the first table header, or the end of the text. */
  end: number;
}

export const scanTop = (text: string): TomlTop => {
  const lines: TomlLine[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    at = skipBlanks(text, at);
    if (text[at] === '[') return { lines, end: start };
    if (at >= text.length || text[at] === '#' || isLineBreak(text, at)) {
      at = nextLine(text, at);
      continue;
    }
    const line = scanLine(text, start, at);
    lines.push(line);
    at = line.end;
  }
  return { lines, end: text.length };
};

const scanLine = (text: string, start: number, keyStart: number): TomlLine => {
  let at = keyStart;
  while (text[at] !== '=') at = isQuote(text, at) ? skipString(text, at) : at + 1;
  const key = text.slice(keyStart, at).trim();
  const valueStart = skipBlanks(text, at + 1);
  const valueEnd = skipValue(text, valueStart);
  return { key, start, valueStart, valueEnd, end: nextLine(text, valueEnd) };
};

/** End of the value: the first comment or line break outside strings and brackets. */
const skipValue = (text: string, start: number): number => {
  let depth = 0;
  let at = start;
  let end = start;
  while (at < text.length) {
    if (isQuote(text, at)) at = skipString(text, at);
    else if (text[at] === '#' || isLineBreak(text, at)) {
      if (depth === 0) return end;
      at = nextLine(text, at);
      continue;
    } else {
      if (text[at] === '[' || text[at] === '{') depth += 1;
      if (text[at] === ']' || text[at] === '}') depth -= 1;
      at += 1;
    }
    if (text[at - 1] !== ' ' && text[at - 1] !== '\t') end = at;
  }
  return end;
};

const isQuote = (text: string, at: number): boolean => text[at] === '"' || text[at] === "'";

const skipString = (text: string, start: number): number => {
  const quote = text[start] as string;
  const isLong = text.startsWith(quote.repeat(3), start);
  const close = isLong ? quote.repeat(3) : quote;
  let at = start + close.length;
  while (at < text.length && !text.startsWith(close, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1;
  at += close.length;
  if (!isLong) return at;
  while (text[at] === quote) at += 1; // up to two quotes may stand before the closing three
  return at;
};

const skipBlanks = (text: string, start: number): number => {
  let at = start;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  return at;
};

const isLineBreak = (text: string, at: number): boolean =>
  text[at] === '\n' || (text[at] === '\r' && text[at + 1] === '\n');

const nextLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
};

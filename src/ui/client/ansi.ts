/** Terminal text made harmless: colours become styles, everything else a terminal would act on is left out. Pure. */

export interface Style {
  /** `c1`, or a CSS colour; null: the text's own. */
  color: string | null;
  bold: boolean;
  faint: boolean;
  italic: boolean;
  underline: boolean;
}

export interface Span {
  text: string;
  style: Style;
}

export const PLAIN: Style = { color: null, bold: false, faint: false, italic: false, underline: false };

/** CSI, OSC and other strings up to their end, two-character escapes, and control characters but tab. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /\x1b\[([0-9;:<=>?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** What a search looks through. */
export const stripAnsi = (text: string): string => text.replace(SEQUENCE, '');

/** A progress bar writes over its own line: what it wrote last is what a terminal shows. */
export function lastOverwrite(line: string): string {
  const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line;
  return trimmed.slice(trimmed.lastIndexOf('\r') + 1);
}

export function parseAnsi(text: string, start: Style): { spans: Span[]; end: Style } {
  const spans: Span[] = [];
  let style = start;
  let from = 0;
  for (const match of text.matchAll(SEQUENCE)) {
    if (match.index > from) spans.push({ text: text.slice(from, match.index), style });
    from = match.index + match[0].length;
    if (match[2] === 'm') style = applySgr(style, match[1] ?? '');
  }
  if (from < text.length) spans.push({ text: text.slice(from), style });
  return { spans, end: style };
}

function applySgr(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      const [color, used] = readExtended(codes.slice(index + 1));
      if (code === 38 && color !== null) next = { ...next, color };
      index += used;
    } else next = applyOne(next, code);
  }
  return next;
}

function applyOne(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, faint: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false, faint: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code >= 30 && code <= 37) return { ...style, color: `c${code - 30}` };
  if (code >= 90 && code <= 97) return { ...style, color: `c${code - 90}` };
  return code === 39 ? { ...style, color: null } : style;
}

/** `5;n` of 256 colours, or `2;r;g;b`; answers how many numbers it took. */
function readExtended(codes: number[]): [color: string | null, used: number] {
  const [kind, ...rest] = codes;
  if (kind === 5) return [paletteColor(rest[0] ?? 0), 2];
  if (kind !== 2) return [null, 0];
  const [red = 0, green = 0, blue = 0] = rest.map((part) => Math.min(255, Math.max(0, part || 0)));
  return [`rgb(${red} ${green} ${blue})`, 4];
}

function paletteColor(index: number): string {
  if (index < 16) return `c${index % 8}`;
  if (index >= 232) {
    const level = 8 + (Math.min(index, 255) - 232) * 10;
    return `rgb(${level} ${level} ${level})`;
  }
  const steps = [0, 95, 135, 175, 215, 255];
  const cube = index - 16;
  const at = (part: number) => steps[part % 6] ?? 0;
  return `rgb(${at(Math.floor(cube / 36))} ${at(Math.floor(cube / 6))} ${at(cube)})`;
}

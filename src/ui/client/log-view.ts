/** Shows a log of any length: only the lines in sight are in the document. Text becomes text nodes, never markup. */
import { lastOverwrite, parseAnsi, type Span } from './ansi.ts';
import { byId, debounce, element, oncePerFrame } from './dom.ts';
import { type Line, LogModel } from './log-model.ts';

/** As in log.css. */
const LINE_PX = 20;
const OVERSCAN = 20;
/** A minified bundle on one line would hold up the browser; the log of the API has all of it. */
const MAX_LINE_LENGTH = 4_000;

export class LogView {
  readonly model = new LogModel();
  readonly #box = byId('log');
  readonly #room = element('div', { className: 'log-room' });
  readonly #lines = element('div', { className: 'log-lines' });
  readonly #empty = element('p', { className: 'log-empty' });
  readonly #follow = byId<HTMLInputElement>('log-follow');
  readonly #search = byId<HTMLInputElement>('log-search');
  #matches: number[] = [];
  #match = -1;
  /** Our own scrolling is no wish to leave the end. */
  #ownScrollTop = -1;
  readonly refresh = oncePerFrame(() => this.#render());

  constructor() {
    this.#room.append(this.#lines);
    this.#box.append(this.#empty, this.#room);
    this.#box.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    new ResizeObserver(this.refresh).observe(this.#box);
    this.#follow.addEventListener('change', this.refresh);
    this.#search.addEventListener(
      'input',
      debounce(150, () => this.#find()),
    );
    this.#search.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      this.#step(event.shiftKey ? -1 : 1);
    });
    byId('log-next').addEventListener('click', () => this.#step(1));
    byId('log-previous').addEventListener('click', () => this.#step(-1));
  }

  setTitle(title: string, emptyText: string): void {
    byId('log-title').textContent = title;
    this.#empty.textContent = emptyText;
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#box;
    if (scrollTop !== this.#ownScrollTop)
      this.#follow.checked = scrollHeight - scrollTop - clientHeight < LINE_PX * 2;
    this.#ownScrollTop = -1;
    this.refresh();
  }

  #render(): void {
    const count = this.model.length;
    this.#empty.hidden = count > 0;
    this.#room.style.height = `${count * LINE_PX}px`;
    if (this.#follow.checked) this.#scrollTo(count * LINE_PX);
    const first = Math.max(0, Math.floor(this.#box.scrollTop / LINE_PX) - OVERSCAN);
    const rows = Math.ceil(this.#box.clientHeight / LINE_PX) + 2 * OVERSCAN;
    this.#lines.style.transform = `translateY(${first * LINE_PX}px)`;
    const found = this.#matches[this.#match];
    this.#lines.replaceChildren(
      ...this.model
        .slice(first, first + rows)
        .map((line, index) => renderLine(line, this.#search.value, first + index === found)),
    );
  }

  #scrollTo(top: number): void {
    this.#box.scrollTop = top;
    this.#ownScrollTop = this.#box.scrollTop;
  }

  #find(): void {
    const words = this.#search.value;
    this.#matches = words === '' ? [] : this.model.search(words);
    this.#match = -1;
    if (words === '') byId('log-matches').textContent = '';
    else this.#step(1);
  }

  #step(by: number): void {
    const { length } = this.#matches;
    this.#match = length === 0 ? -1 : (this.#match + by + length) % length;
    byId('log-matches').textContent =
      length === 0 ? 'no match' : `${this.#match + 1} of ${length.toLocaleString('en')}`;
    const line = this.#matches[this.#match];
    if (line !== undefined) {
      this.#follow.checked = false;
      this.#scrollTo(Math.max(0, line * LINE_PX - this.#box.clientHeight / 2));
    }
    this.refresh();
  }
}

function renderLine(line: Line, words: string, isFound: boolean): HTMLElement {
  const shown = lastOverwrite(line.text).slice(0, MAX_LINE_LENGTH);
  const { spans } = parseAnsi(shown, line.style);
  const row = element('div', {
    className: ['log-line', line.kind, line.tone ?? '', isFound ? 'found' : ''].join(' '),
  });
  row.append(...spans.flatMap((span) => renderSpan(span, words)));
  if (line.text.length > MAX_LINE_LENGTH)
    row.append(element('em', { textContent: ` … ${line.text.length - MAX_LINE_LENGTH} characters more` }));
  return row;
}

function renderSpan({ text, style }: Span, words: string): Node[] {
  const pieces = words === '' ? [text] : highlight(text, words);
  const names = [
    style.color !== null && /^c\d$/.test(style.color) ? style.color : '',
    ...(['bold', 'faint', 'italic', 'underline'] as const).filter((name) => style[name]),
  ].filter((name) => name !== '');
  const isOwnColor = style.color !== null && style.color.startsWith('rgb');
  if (names.length === 0 && !isOwnColor) return pieces.map(asNode);
  const span = element('span', { className: names.join(' ') }, ...pieces.map(asNode));
  if (isOwnColor && style.color !== null) span.style.color = style.color;
  return [span];
}

const asNode = (piece: string | HTMLElement): Node =>
  typeof piece === 'string' ? document.createTextNode(piece) : piece;

function highlight(text: string, words: string): (string | HTMLElement)[] {
  const pieces: (string | HTMLElement)[] = [];
  const lower = text.toLowerCase();
  const wanted = words.toLowerCase();
  // Where lower case has another length, places would not fit.
  if (lower.length !== text.length) return [text];
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    pieces.push(text.slice(from, at), element('mark', { textContent: text.slice(at, at + wanted.length) }));
    from = at + wanted.length;
  }
  return [...pieces, text.slice(from)];
}

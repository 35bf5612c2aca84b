/** The files of a workspace: a tree that opens folder by folder, and one file in the editor. */
import { request, Refusal } from './api.ts';
import { ask } from './dialog.ts';
import { element } from './dom.ts';
import type { Editor } from './editor.ts';
import { loadPart } from './load-part.ts';
import { attempt, toast } from './toast.ts';

interface Entry {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  size: number;
}

/** Larger ones belong into a real editor. */
const MAX_EDITED_BYTES = 1024 * 1024;

export async function openFiles(panel: HTMLElement, path: string): Promise<void> {
  await new FilePanel(panel, `${path}/files`).start();
}

class FilePanel {
  readonly #url: string;
  readonly #tree = element('nav', { className: 'tree card' });
  readonly #file = element('div', { className: 'card' });
  #open: { path: string; etag: string | null; editor: Editor; saved: string } | null = null;

  constructor(panel: HTMLElement, url: string) {
    this.#url = url;
    this.#tree.setAttribute('aria-label', 'Files');
    this.#file.append(element('p', { className: 'sub', textContent: 'Choose a file.' }));
    panel.replaceChildren(element('div', { className: 'files' }, this.#tree, this.#file));
  }

  async start(): Promise<void> {
    const root = await this.#list('');
    const again = element('button', { type: 'button', className: 'quiet', textContent: '↻ Look again' });
    again.addEventListener('click', () => void attempt(() => this.start()));
    this.#tree.replaceChildren(root, again);
  }

  async #list(folder: string): Promise<HTMLElement> {
    const answer = await request('GET', this.#address(folder));
    const { entries } = (await answer.json()) as { entries: Entry[] };
    const isFolder = (entry: Entry) => Number(entry.kind === 'folder');
    const sorted = entries.toSorted((a, b) => isFolder(b) - isFolder(a) || a.name.localeCompare(b.name));
    if (sorted.length === 0) return element('p', { className: 'sub', textContent: 'empty' });
    return element('ul', {}, ...sorted.map((entry) => this.#item(folder, entry)));
  }

  #address(path: string): string {
    return `${this.#url}?path=${encodeURIComponent(path)}`;
  }

  #item(folder: string, entry: Entry): HTMLElement {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const mark = element('span', { className: 'mark', textContent: entry.kind === 'folder' ? '▸' : '' });
    const button = element('button', { type: 'button' }, mark, element('bdi', { textContent: entry.name }));
    const item = element('li', {}, button);
    if (entry.kind === 'folder')
      button.addEventListener('click', () => void this.#toggle(item, button, mark, path));
    else if (entry.kind === 'file')
      button.addEventListener('click', () => void this.#show(path, entry, button));
    else {
      button.disabled = true;
      button.append(element('span', { className: 'sub', textContent: ` ${entry.kind}` }));
    }
    return item;
  }

  async #toggle(item: HTMLElement, button: HTMLElement, mark: HTMLElement, path: string): Promise<void> {
    const shown = item.children[1];
    const isOpen = shown !== undefined;
    if (isOpen) shown.remove();
    else {
      const list = await attempt(() => this.#list(path));
      if (list === null) return;
      item.append(list);
    }
    button.setAttribute('aria-expanded', String(!isOpen));
    mark.textContent = isOpen ? '▸' : '▾';
  }

  async #show(path: string, entry: Entry, button: HTMLElement): Promise<void> {
    if (!(await this.#mayLeave())) return;
    for (const other of this.#tree.querySelectorAll('[aria-current]')) other.removeAttribute('aria-current');
    button.setAttribute('aria-current', 'true');
    if (entry.size > MAX_EDITED_BYTES) return this.#say(`${path} is too large to edit here.`);
    await attempt(() => this.#load(path));
  }

  async #load(path: string): Promise<void> {
    const answer = await request('GET', this.#address(path));
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const text = decode(bytes);
    if (text === null) return this.#say(`${path} is not text.`);
    await this.#edit(path, text, answer.headers.get('etag'));
  }

  async #edit(path: string, text: string, etag: string | null): Promise<void> {
    const { createEditor, languageOfFile } = await loadPart(() => import('./editor.ts'));
    const save = element('button', { type: 'button', className: 'primary', textContent: 'Save' });
    const state = element('span', { className: 'sub' });
    const place = element('div', { className: 'editor' });
    const name = element('code', {}, element('bdi', { textContent: path }));
    const bar = element('div', { className: 'file-bar' }, name, state, save);
    save.classList.add('push');
    this.#file.replaceChildren(bar, place);
    const editor = createEditor({
      parent: place,
      text,
      language: languageOfFile(path),
      label: path,
      onEdit: () => {
        state.textContent = editor.text() === this.#open?.saved ? '' : 'not saved';
      },
      onSave: () => void this.#save(state),
    });
    this.#open = { path, etag, editor, saved: editor.text() };
    save.addEventListener('click', () => void this.#save(state));
    editor.focus();
  }

  async #save(state: HTMLElement): Promise<void> {
    const open = this.#open;
    if (open === null) return;
    const text = open.editor.text();
    const written = await attempt(() => this.#write(open.path, text, open.etag));
    if (written === null) return;
    open.etag = written;
    open.saved = text;
    state.textContent = 'saved';
    toast(`${open.path} is written`);
  }

  async #write(path: string, text: string, etag: string | null): Promise<string | null> {
    try {
      return await this.#put(path, text, etag === null ? {} : { 'if-match': etag });
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || thrown.problem.code !== 'file_changed') throw thrown;
      return this.#resolveConflict(path, text);
    }
  }

  async #put(path: string, text: string, headers: Record<string, string>): Promise<string | null> {
    const answer = await request('PUT', this.#address(path), text, {
      type: 'application/octet-stream',
      headers,
    });
    return answer.headers.get('etag');
  }

  /** Somebody else — the agent, most likely — wrote the file meanwhile. */
  async #resolveConflict(path: string, text: string): Promise<string | null> {
    const answer = await ask({
      title: 'The file changed meanwhile',
      content: [
        element('p', {
          textContent: `${path} is not the version any more that you opened. Overwrite it with yours, or load the new one and lose your changes?`,
        }),
      ],
      buttons: [
        { value: 'load', text: 'Load the new one' },
        { value: 'overwrite', text: 'Overwrite', kind: 'danger solid' },
      ],
    });
    if (answer?.value === 'overwrite') return this.#put(path, text, {});
    if (answer?.value === 'load') await this.#load(path);
    return null;
  }

  async #mayLeave(): Promise<boolean> {
    const open = this.#open;
    if (open === null || open.editor.text() === open.saved) return true;
    const answer = await ask({
      title: `Leave ${open.path}?`,
      content: [element('p', { textContent: 'Your changes are not saved.' })],
      buttons: [{ value: 'leave', text: 'Leave without saving', kind: 'danger' }],
    });
    return answer !== null;
  }

  #say(text: string): void {
    this.#open = null;
    this.#file.replaceChildren(element('p', { className: 'sub', textContent: text }));
  }
}

/** null: bytes that are no text. */
function decode(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

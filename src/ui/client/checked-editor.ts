/** An editor whose text the service checks while it is written: faults are marked in place and listed below. */
import type { Diagnostic } from './api.ts';
import { byId, debounce, element } from './dom.ts';
import type { Editor, Language } from './editor.ts';
import { loadPart } from './load-part.ts';
import { attempt } from './toast.ts';

const CHECK_MS = 250;

interface Options {
  /** Of the element that it fills. */
  id: string;
  /** Of the list of problems. */
  problems: string;
  text: string;
  check: (text: string) => Promise<Diagnostic[]>;
  onEdit?: () => void;
  onSave?: () => void;
}

export interface CheckedEditor extends Editor {
  check(): Promise<void>;
  show(diagnostics: readonly Diagnostic[]): void;
}

export async function createCheckedEditor(options: Options): Promise<CheckedEditor> {
  const parent = byId(options.id);
  const { createEditor } = await loadPart(() => import('./editor.ts'));
  const soon = debounce(CHECK_MS, () => void check());
  const editor = createEditor({
    parent,
    text: options.text,
    language: (parent.dataset['language'] ?? 'plain') as Language,
    label: parent.dataset['label'] ?? '',
    onEdit: () => {
      options.onEdit?.();
      soon();
    },
    ...(options.onSave ? { onSave: options.onSave } : {}),
  });
  const show = (diagnostics: readonly Diagnostic[]) => {
    editor.mark(diagnostics);
    byId(options.problems).replaceChildren(...diagnostics.map((one) => problemItem(one, editor)));
  };
  const check = async () => {
    const text = editor.text();
    const diagnostics = await attempt(() => options.check(text));
    // An answer about an older text marks the wrong places.
    if (diagnostics !== null && text === editor.text()) show(diagnostics);
  };
  await check();
  return { ...editor, check, show };
}

function problemItem(
  { severity, message, line, column, code, provider }: Diagnostic,
  editor: Editor,
): HTMLElement {
  const item = element('li', { className: severity });
  if (line !== undefined) {
    const place = element('button', {
      type: 'button',
      className: 'link',
      textContent: `${line}:${column ?? 1}`,
      title: 'Go there',
    });
    place.addEventListener('click', () => editor.goTo(line, column ?? 1));
    item.append(place);
  }
  item.append(element('span', { textContent: message, title: [code, provider].filter(Boolean).join(' · ') }));
  return item;
}

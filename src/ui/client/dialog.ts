/** Questions, as the browser's own modal dialog: focus is kept inside, Escape says no. */
import { element } from './dom.ts';

interface Button {
  value: string;
  text: string;
  kind?: string;
}

interface Question {
  title: string;
  content: (Node | string)[];
  buttons: Button[];
}

/** The form of the answer; null: no. */
export function ask({
  title,
  content,
  buttons,
}: Question): Promise<{ value: string; form: HTMLFormElement } | null> {
  const form = element('form', { method: 'dialog' });
  const heading = element('h2', { textContent: title, id: 'dialog-title' });
  const actions = element(
    'div',
    { className: 'actions' },
    element('button', { type: 'button', className: 'quiet', textContent: 'Cancel' }),
    ...buttons.map(({ value, text, kind = '' }) =>
      element('button', { type: 'submit', value, textContent: text, className: kind }),
    ),
  );
  form.append(heading, ...content, actions);
  const dialog = element('dialog', {}, form);
  dialog.setAttribute('aria-labelledby', 'dialog-title');
  document.body.append(dialog);
  actions.firstElementChild?.addEventListener('click', () => dialog.close());
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === '' ? null : { value: dialog.returnValue, form });
    });
    dialog.showModal();
    form.querySelector<HTMLElement>('input, textarea, select')?.focus();
  });
}

export function field(
  label: string,
  name: string,
  more: Partial<HTMLInputElement> = {},
  help = '',
): HTMLElement {
  const control = element('input', { name, autocomplete: 'off', spellcheck: false, ...more });
  return element(
    'label',
    { className: 'field' },
    element('span', { textContent: label }),
    control,
    ...(help === '' ? [] : [element('small', { textContent: help })]),
  );
}

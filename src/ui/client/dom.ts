/** Finding what the server rendered. A missing element is a bug of ours, not of the visitor's. */

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as T;
}

export const input = (form: HTMLFormElement, name: string): HTMLInputElement =>
  form.elements.namedItem(name) as HTMLInputElement;

/** Of a group of radio buttons. */
export const chosen = (form: HTMLFormElement, name: string): string =>
  (form.elements.namedItem(name) as RadioNodeList | HTMLInputElement | null)?.value ?? '';

export const pageData = (name: string): string => document.body.dataset[name] ?? '';

/** Clicks on anything with `data-action`; one listener, whatever is rendered later. */
export function onAction(actions: Record<string, (clicked: HTMLElement) => unknown>): void {
  document.addEventListener('click', (event) => {
    const { target } = event;
    const clicked = target instanceof Element ? target.closest<HTMLElement>('[data-action]') : null;
    const act = actions[clicked?.dataset['action'] ?? ''];
    if (clicked && act) act(clicked);
  });
}

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

/** Runs at most once a frame, however often it is asked for. */
export function oncePerFrame(run: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      run();
    });
  };
}

export function debounce(ms: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
}

/** Short messages in the corner; errors stay until they are clicked away or read for long. */
import { Refusal } from './api.ts';
import { byId, element } from './dom.ts';
import { Outdated } from './load-part.ts';

const SHOWN_MS = 4_000;
const ERROR_SHOWN_MS = 12_000;

export function toast(text: string, kind: 'good' | 'bad' = 'good'): void {
  const shown = element('div', { className: `toast ${kind}`, textContent: text });
  shown.addEventListener('click', () => shown.remove());
  byId('toasts').append(shown);
  setTimeout(() => shown.remove(), kind === 'bad' ? ERROR_SHOWN_MS : SHOWN_MS);
}

/** Runs what may be refused, and says so when it is. */
export async function attempt<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (thrown) {
    tell(thrown);
    return null;
  }
}

export function tell(thrown: unknown): void {
  if (thrown instanceof Outdated) offerReload(thrown.message);
  else toast(messageOf(thrown), 'bad');
}

/** Stays until it is answered. Nothing reloads by itself: somebody may be writing. */
function offerReload(text: string): void {
  if (document.getElementById('outdated') !== null) return;
  const reload = element('button', { type: 'button', className: 'primary', textContent: 'Reload' });
  reload.addEventListener('click', () => location.reload());
  byId('toasts').append(element('div', { id: 'outdated', className: 'toast bad' }, text, reload));
}

export function messageOf(thrown: unknown): string {
  if (thrown instanceof Refusal) return thrown.message;
  if (thrown instanceof TypeError) return 'The service cannot be reached. Is it running?';
  return thrown instanceof Error ? thrown.message : String(thrown);
}

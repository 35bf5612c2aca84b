/** One stream of Server-Sent Events; the browser reconnects by itself and says where it was. */
import { byId } from './dom.ts';

export interface LiveOptions {
  url: string;
  /** After each connect, also the first: what was missed is asked for anew. */
  onOpen: () => void;
  on: Record<string, (data: unknown) => void>;
}

const REOPEN_MS = 2_000;

export function openLive(options: LiveOptions): void {
  const status = byId('live');
  const show = (isOn: boolean) => {
    status.classList.toggle('on', isOn);
    status.textContent = isOn ? 'live' : 'reconnecting …';
  };
  const connect = () => {
    const source = new EventSource(options.url);
    source.addEventListener('open', () => {
      show(true);
      options.onOpen();
    });
    source.addEventListener('error', () => {
      show(false);
      // A refusal ends the source for good; a restart of the service may look like one.
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, REOPEN_MS);
    });
    for (const [name, take] of Object.entries(options.on))
      source.addEventListener(name, (event) => take(JSON.parse((event as MessageEvent<string>).data)));
    window.addEventListener('pagehide', () => source.close(), { once: true });
  };
  connect();
}

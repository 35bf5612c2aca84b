/** One stream of Server-Sent Events; the browser reconnects by itself and says where it was. */
import { byId } from './dom.ts';

export interface LiveOptions {
  url: string;
  /** After each connect, also the first: what was missed is asked for anew. */
  onOpen: () => void;
  on: Record<string, (data: unknown) => void>;
}

const REOPEN_MS = 2_000;
/** An open stream keeps its object in memory, so a page that nobody has looked at for so long lets go of it. */
const HIDDEN_MS = 60_000;

export function openLive(options: LiveOptions): void {
  const status = byId('live');
  const show = (isOn: boolean) => {
    status.classList.toggle('on', isOn);
    status.textContent = isOn ? 'live' : 'reconnecting …';
  };
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    const opened = new EventSource(options.url);
    source = opened;
    opened.addEventListener('open', () => {
      show(true);
      options.onOpen();
    });
    opened.addEventListener('error', () => {
      show(false);
      // A refusal ends the source for good; a restart of the service may look like one.
      if (opened.readyState === EventSource.CLOSED && !document.hidden)
        timer = setTimeout(connect, REOPEN_MS);
    });
    for (const [name, take] of Object.entries(options.on))
      opened.addEventListener(name, (event) => take(JSON.parse((event as MessageEvent<string>).data)));
  };
  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
    show(false);
  };
  const adapt = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(close, HIDDEN_MS);
    else if (source === null || source.readyState === EventSource.CLOSED) connect();
  };
  // Also when the browser brings back a page that it kept.
  document.addEventListener('visibilitychange', adapt);
  window.addEventListener('pagehide', close);
  connect();
  adapt();
}

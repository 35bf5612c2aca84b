/** A terminal in the workspace: xterm.js over a WebSocket. Bytes both ways as binary frames, everything else as JSON. */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { element, pageData } from './dom.ts';
import type { TabSetting } from './tabs.ts';

type Message =
  | { type: 'ready' }
  | { type: 'warning'; message: string }
  | { type: 'closed'; message: string }
  | { type: 'error'; message: string };

export async function openTerminal(panel: HTMLElement, { path }: TabSetting): Promise<void> {
  await loadStyle();
  giveStylesTheNonce();
  const state = element('span', { className: 'sub', role: 'status', textContent: 'connecting …' });
  const warning = element('p', { className: 'notice warn', hidden: true });
  const again = element('button', { type: 'button', textContent: 'Open another', hidden: true });
  again.classList.add('push');
  const screen = element('div', { className: 'terminal-screen' });
  const bar = element(
    'div',
    { className: 'terminal-bar' },
    element('strong', { textContent: 'Terminal' }),
    state,
    again,
  );
  panel.replaceChildren(warning, element('div', { className: 'terminal-card' }, bar, screen));
  const terminal = new Terminal({
    cursorBlink: true,
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    fontSize: 13,
    scrollback: 5_000,
    theme: { background: '#10131a', foreground: '#e6e9f0' },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(screen);
  fit.fit();
  const connect = () => {
    again.hidden = true;
    connectTerminal(terminal, path, {
      ready: () => (state.textContent = 'open'),
      warn: (message) => {
        warning.hidden = false;
        warning.textContent = message;
      },
      closed: (message) => {
        state.textContent = message;
        again.hidden = false;
      },
    });
  };
  again.addEventListener('click', () => {
    terminal.reset();
    connect();
  });
  new ResizeObserver(() => {
    if (screen.clientWidth > 0) fit.fit();
  }).observe(screen);
  connect();
  terminal.focus();
}

interface Shown {
  ready: () => void;
  warn: (message: string) => void;
  closed: (message: string) => void;
}

function connectTerminal(terminal: Terminal, path: string, shown: Shown): void {
  const address = new URL(`${path}/terminal?cols=${terminal.cols}&rows=${terminal.rows}`, location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  const socket = new WebSocket(address);
  socket.binaryType = 'arraybuffer';
  const encoder = new TextEncoder();
  const listeners = [
    terminal.onData((text) => socket.readyState === WebSocket.OPEN && socket.send(encoder.encode(text))),
    terminal.onResize(
      ({ cols, rows }) =>
        socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify({ type: 'resize', cols, rows })),
    ),
  ];
  let reason = 'closed';
  socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer | string>) => {
    if (typeof data !== 'string') return terminal.write(new Uint8Array(data));
    const message = JSON.parse(data) as Message;
    if (message.type === 'ready') shown.ready();
    else if (message.type === 'warning') shown.warn(message.message);
    else reason = message.message;
  });
  socket.addEventListener('close', (event) => {
    for (const listener of listeners) listener.dispose();
    shown.closed(event.reason === '' ? reason : event.reason);
  });
}

async function loadStyle(): Promise<void> {
  const link = element('link', { rel: 'stylesheet', href: '/assets/terminal.css' });
  const loaded = new Promise((resolve) => link.addEventListener('load', resolve, { once: true }));
  document.head.append(link);
  await loaded;
}

/** xterm makes its own style elements; with the page's nonce the policy lets them in. */
function giveStylesTheNonce(): void {
  const create = document.createElement.bind(document);
  document.createElement = (tag: string, options?: ElementCreationOptions): HTMLElement => {
    const made = create(tag, options);
    if (tag === 'style') made.nonce = pageData('nonce');
    return made;
  };
}

/** Open terminals of one workspace: pass bytes between a browser and a shell, and end all of them when the workspace goes. */
import type { SandboxAccess, TerminalSize } from '../src/sandbox/access.ts';
import { CREATION_HEADER, DIRECTORY_HEADER } from '../src/sandbox/protocol.ts';
import type { Target } from '../src/sandbox/client.ts';
import { failure, type Failure } from '../src/core/failure.ts';
import { err, ok, type Result } from '../src/core/result.ts';

/** More than anybody looks at; each is a shell of its own. */
const MAX_OPEN = 16;
const GOING_AWAY = 1001;

interface Opening {
  access: SandboxAccess;
  target: Target;
  size: TerminalSize;
  /** Shown once it is open; null: nothing to say. */
  warning: string | null;
  onClose: () => void;
}

export class Terminals {
  readonly #open = new Set<(reason: string) => void>();

  async open({ access, target, size, warning, onClose }: Opening): Promise<Result<Response, Failure>> {
    if (this.#open.size >= MAX_OPEN)
      return err(failure('rate_limited', `${MAX_OPEN} terminals are open here: close one of them.`));
    const answer = await access.openTerminal(buildRequest(target, size), size);
    const shell = answer.webSocket;
    if (shell === null)
      return err(
        failure('sandbox_unavailable', `no terminal was opened: ${(await answer.text()).slice(0, 500)}`),
      );
    const { 0: outer, 1: inner } = new WebSocketPair();
    // A Blob would have to be read before it can be passed on, and frames could overtake each other.
    for (const socket of [shell, inner]) {
      socket.binaryType = 'arraybuffer';
      socket.accept();
    }
    if (warning !== null) inner.send(JSON.stringify({ type: 'warning', message: warning }));
    this.#join(inner, shell, onClose);
    return ok(new Response(null, { status: 101, webSocket: outer }));
  }

  closeAll(reason: string): void {
    for (const close of this.#open) close(reason);
  }

  #join(person: WebSocket, shell: WebSocket, onClose: () => void): void {
    const close = (reason: string): void => {
      if (!this.#open.delete(close)) return;
      sendQuietly(person, JSON.stringify({ type: 'closed', message: reason }));
      for (const socket of [person, shell]) closeQuietly(socket, reason);
      onClose();
    };
    this.#open.add(close);
    pass(person, shell);
    pass(shell, person);
    person.addEventListener('close', () => close('the page went away'));
    person.addEventListener('error', () => close('the connection broke'));
    shell.addEventListener('close', ({ reason }) =>
      close(reason === '' ? 'the terminal was closed' : reason),
    );
    shell.addEventListener('error', () => close('the sandbox went away'));
  }
}

function pass(from: WebSocket, to: WebSocket): void {
  from.addEventListener('message', ({ data }) => sendQuietly(to, data as string | ArrayBuffer));
}

/** The other end may be closed between two messages. */
function sendQuietly(socket: WebSocket, data: string | ArrayBuffer): void {
  try {
    socket.send(data);
  } catch {
    closeQuietly(socket, 'broken');
  }
}

function closeQuietly(socket: WebSocket, reason: string): void {
  try {
    socket.close(GOING_AWAY, reason.slice(0, 100));
  } catch {
    // Closed already.
  }
}

const buildRequest = ({ creationId, directory }: Target, { cols, rows }: TerminalSize): Request =>
  new Request(`http://supervisor/terminal?cols=${cols}&rows=${rows}`, {
    headers: {
      upgrade: 'websocket',
      [CREATION_HEADER]: creationId,
      [DIRECTORY_HEADER]: encodeURIComponent(directory),
    },
  });

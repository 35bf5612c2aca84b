/** Open terminals of one workspace: pass bytes between a browser and a shell, and end all of them when the workspace goes. */
import type { SandboxAccess, TerminalSize } from '../src/sandbox/access.ts';
import {
  CONFINEMENT_HEADER,
  CREATION_HEADER,
  DIRECTORY_HEADER,
  SupervisorError,
} from '../src/sandbox/protocol.ts';
import type { Target } from '../src/sandbox/client.ts';
import type { Confinement } from '../src/core/confinement.ts';
import { failure, type Failure } from '../src/core/failure.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import { failureOf } from './workspace-files.ts';

/** More than anybody looks at; each is a shell of its own. */
const MAX_OPEN = 16;
const GOING_AWAY = 1001;

interface Opening {
  access: SandboxAccess;
  target: Target;
  size: TerminalSize;
  /** As the workspace's agent gets. */
  confinement: Confinement;
  /** Shown once it is open; null: nothing to say. */
  warning: string | null;
  onClose: () => void;
}

export class Terminals {
  readonly #open = new Set<(reason: string) => void>();

  async open(opening: Opening): Promise<Result<Response, Failure>> {
    if (this.#open.size >= MAX_OPEN)
      return err(failure('rate_limited', `${MAX_OPEN} terminals are open here: close one of them.`));
    const { access, size, warning, onClose } = opening;
    const answer = await access.openTerminal(buildRequest(opening), size);
    const shell = answer.webSocket;
    if (shell === null) return err(await readRefusal(answer));
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

async function readRefusal(answer: Response): Promise<Failure> {
  const text = (await answer.text()).slice(0, 4000);
  const refusal = SupervisorError.safeParse(parseJson(text));
  if (refusal.success) return failureOf({ kind: 'refused', error: refusal.data });
  return failure('sandbox_unavailable', `no terminal was opened: ${text.slice(0, 500)}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
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

const buildRequest = ({ target, size, confinement }: Opening): Request =>
  new Request(`http://supervisor/terminal?cols=${size.cols}&rows=${size.rows}`, {
    headers: {
      upgrade: 'websocket',
      [CREATION_HEADER]: target.creationId,
      [DIRECTORY_HEADER]: encodeURIComponent(target.directory),
      [CONFINEMENT_HEADER]: JSON.stringify(confinement),
    },
  });

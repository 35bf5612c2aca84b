/** One call to a supervisor: sent, raced against its deadline, told apart from what stands in between, read within bounds. */
import {
  CREATION_HEADER,
  DIRECTORY_HEADER,
  PROTOCOL_VERSION,
  SUPERVISOR_HEADER,
  SupervisorError,
} from './protocol.ts';

/** A sandbox's `containerFetch`, or the loopback to a host's supervisor. */
export interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

/** `unreachable`: no answer of a supervisor; whether the call did anything is unknown. */
export type Reply<T> =
  | { kind: 'answer'; value: T }
  | { kind: 'refused'; error: SupervisorError }
  | { kind: 'unreachable'; detail: string };

/** Which workspace a call is about: it does nothing where another one is. */
export interface Target {
  readonly creationId: string;
  /** As `open` answered it. */
  readonly directory: string;
}

export interface CallOptions {
  /** How long the answer may take in all, besides what the call asks the supervisor to wait. */
  readonly deadlineMs?: number;
  /** `once`: asks again where no supervisor answered. Every call may arrive twice; a body that is a stream may not. */
  readonly retry?: 'once';
}

/** Text is JSON, the rest are bytes; a stream can be sent once. */
export type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly target?: Target;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly waitMs?: number;
  readonly options: CallOptions;
}

const DEADLINE_MS = 30_000;
/** An agent's kept output is below it even when every character is escaped. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** `read` takes what it needs of a good answer before the deadline; what it throws counts as unreachable. */
export async function callSupervisor<T>(
  fetcher: Fetcher,
  ask: Ask,
  read: (response: Response) => Promise<T> | T,
): Promise<Reply<T>> {
  const first = await callOnce(fetcher, ask, read);
  return first.kind === 'unreachable' && ask.options.retry === 'once' ? callOnce(fetcher, ask, read) : first;
}

/** Throws when it is too long, not JSON, or cut off. */
export async function readAnswer(response: Response): Promise<unknown> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    bytes += part.value.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      await reader?.cancel();
      throw new Error(`its answer is over ${MAX_ANSWER_BYTES} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return JSON.parse(text + decoder.decode()) as unknown;
}

async function callOnce<T>(
  fetcher: Fetcher,
  ask: Ask,
  read: (response: Response) => Promise<T> | T,
): Promise<Reply<T>> {
  const deadlineMs = (ask.options.deadlineMs ?? DEADLINE_MS) + (ask.waitMs ?? 0);
  let timer: ReturnType<typeof setTimeout> | null = null;
  // Raced rather than aborted: a signal does not travel into a Durable Object, and a platform call may hang.
  const late = new Promise<Reply<T>>((resolve) => {
    timer = setTimeout(() => resolve(unreachable(`no answer within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([exchange(fetcher, ask, read), late]);
  } finally {
    if (timer !== null) clearTimeout(timer);
  }
}

async function exchange<T>(
  fetcher: Fetcher,
  ask: Ask,
  read: (response: Response) => Promise<T> | T,
): Promise<Reply<T>> {
  try {
    const response = await fetcher.fetch(buildRequest(ask));
    if (response.headers.get(SUPERVISOR_HEADER) !== PROTOCOL_VERSION) {
      await response.body?.cancel();
      return unreachable(
        `status ${response.status}, and not from a supervisor of protocol ${PROTOCOL_VERSION}`,
      );
    }
    if (response.ok) return { kind: 'answer', value: await read(response) };
    return { kind: 'refused', error: SupervisorError.parse(await readAnswer(response)) };
  } catch (error) {
    return unreachable(error instanceof Error ? error.message : String(error));
  }
}

function buildRequest({ method, path, query, target, headers, body }: Ask): Request {
  const url = new URL(path, 'http://supervisor');
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const all = new Headers(headers);
  if (typeof body === 'string') all.set('content-type', 'application/json');
  else if (body !== undefined) all.set('content-type', 'application/octet-stream');
  if (target !== undefined) {
    all.set(CREATION_HEADER, target.creationId);
    all.set(DIRECTORY_HEADER, encodeURIComponent(target.directory));
  }
  if (body === undefined) return new Request(url, { method, headers: all });
  // `duplex` is what Node wants for a stream; workerd ignores it.
  const init = { method, headers: all, body, duplex: 'half' } as const;
  return new Request(url, init);
}

const unreachable = (detail: string): { kind: 'unreachable'; detail: string } => ({
  kind: 'unreachable',
  detail: `The supervisor did not answer: ${detail}.`,
});

/** The supervisor's protocol as functions. Every call may be repeated; answers are parsed, for nothing in a sandbox is trusted. */
import type { z } from 'zod';
import {
  FileList,
  GitFacts,
  HealthAnswer,
  InventoryAnswer,
  KillAnswer,
  OpenAnswer,
  OperationView,
  type OpenRequest,
  type OperationSpec,
} from './protocol.ts';
import {
  callSupervisor,
  readAnswer,
  type Ask,
  type Body,
  type CallOptions,
  type Reply,
  type Target,
  type Fetcher,
} from './supervisor-call.ts';

export type { CallOptions, Fetcher, Reply, Target } from './supervisor-call.ts';

/** An offset asks for the text from there on, and ends the wait when there is some. */
export interface PollQuery {
  readonly waitMs?: number;
  readonly stdoutOffset?: number;
  readonly stderrOffset?: number;
  /** `none`: states and chunks, without all that is kept. */
  readonly output?: 'kept' | 'none';
}

/** A file's bytes, still arriving: the caller reads or cancels them. */
export interface Download {
  readonly body: ReadableStream<Uint8Array>;
  readonly size: number | null;
  readonly etag: string | null;
}

export type PathAnswer = { kind: 'folder'; list: FileList } | { kind: 'file'; file: Download };

/** A removal may delete a million files, a snapshot may be large. */
const LONG: CallOptions = { deadlineMs: 110_000 };

export class SupervisorClient {
  readonly #fetcher: Fetcher;

  constructor(fetcher: Fetcher) {
    this.#fetcher = fetcher;
  }

  health(options: CallOptions = {}): Promise<Reply<HealthAnswer>> {
    return this.#json(HealthAnswer, { method: 'GET', path: '/healthz', options });
  }

  open(request: OpenRequest, options: CallOptions = {}): Promise<Reply<OpenAnswer>> {
    return this.#json(OpenAnswer, { method: 'POST', path: '/open', body: JSON.stringify(request), options });
  }

  /** Hosts only. */
  inventory(options: CallOptions = {}): Promise<Reply<InventoryAnswer>> {
    return this.#json(InventoryAnswer, { method: 'GET', path: '/inventory', options });
  }

  /** Once by `spec.id`. Answers when the operation has ended, or after `spec.wait_ms`. */
  start(target: Target, spec: OperationSpec, options: CallOptions = {}): Promise<Reply<OperationView>> {
    const body = JSON.stringify(spec);
    const ask = { method: 'POST', path: '/operations', target, body, waitMs: spec.wait_ms, options } as const;
    return this.#json(OperationView, ask);
  }

  poll(
    target: Target,
    id: string,
    query: PollQuery = {},
    options: CallOptions = {},
  ): Promise<Reply<OperationView>> {
    const { waitMs = 0, stdoutOffset, stderrOffset, output } = query;
    const parameters = { wait_ms: waitMs, stdout_offset: stdoutOffset, stderr_offset: stderrOffset, output };
    const path = operationPath(id);
    return this.#json(OperationView, { method: 'GET', path, query: parameters, target, waitMs, options });
  }

  /** Answers once its processes are gone; what has ended stays as it is. Refused as `operation_not_found`, it never starts any more. */
  cancel(target: Target, id: string, options: CallOptions = {}): Promise<Reply<OperationView>> {
    return this.#json(OperationView, {
      method: 'POST',
      path: `${operationPath(id)}/cancel`,
      target,
      options,
    });
  }

  /** Everything of the workspace that no running operation owns; those that run as the agent end as `cancelled` before. */
  killLeftovers(target: Target, options: CallOptions = {}): Promise<Reply<z.infer<typeof KillAnswer>>> {
    return this.#json(KillAnswer, { method: 'POST', path: '/leftovers/kill', target, options });
  }

  facts(
    target: Target,
    known: { readonly base: string | null; readonly lastSaved: string | null },
    options: CallOptions = {},
  ): Promise<Reply<GitFacts>> {
    const query = { base: known.base ?? undefined, last_saved: known.lastSaved ?? undefined };
    return this.#json(GitFacts, { method: 'GET', path: '/facts', query, target, options });
  }

  /** Hosts only: files, claim and records. An absent workspace is a destroyed one. */
  destroy(target: Target, options: CallOptions = LONG): Promise<Reply<null>> {
    return this.#nothing({ method: 'POST', path: '/destroy', target, options });
  }

  readSnapshot(target: Target, id: string, options: CallOptions = {}): Promise<Reply<Download>> {
    const ask = { method: 'GET', path: snapshotPath(id), target, options } as const;
    return callSupervisor(this.#fetcher, ask, download);
  }

  writeSnapshot(target: Target, id: string, body: Body, options: CallOptions = LONG): Promise<Reply<null>> {
    return this.#nothing({ method: 'PUT', path: snapshotPath(id), target, body, options });
  }

  dropSnapshot(target: Target, id: string, options: CallOptions = {}): Promise<Reply<null>> {
    return this.#nothing({ method: 'DELETE', path: snapshotPath(id), target, options });
  }

  /** `path` is relative to the workspace; empty for the workspace itself. */
  readPath(target: Target, path: string, options: CallOptions = {}): Promise<Reply<PathAnswer>> {
    const ask = { method: 'GET', path: '/files', query: { path }, target, options } as const;
    return callSupervisor(this.#fetcher, ask, async (response): Promise<PathAnswer> => {
      const isFolder = response.headers.get('content-type') === 'application/json';
      if (isFolder) return { kind: 'folder', list: FileList.parse(await readAnswer(response)) };
      return { kind: 'file', file: download(response) };
    });
  }

  /** Answers the new ETag. `ifMatch` null: whatever is there now. */
  writeFile(
    target: Target,
    file: { readonly path: string; readonly bytes: Body; readonly ifMatch: string | null },
    options: CallOptions = {},
  ): Promise<Reply<string | null>> {
    const headers = file.ifMatch === null ? {} : { 'if-match': file.ifMatch };
    const query = { path: file.path };
    const ask = { method: 'PUT', path: '/files', query, headers, target, body: file.bytes, options } as const;
    return callSupervisor(this.#fetcher, ask, (response) => response.headers.get('etag'));
  }

  #json<T>(schema: z.ZodType<T>, ask: Ask): Promise<Reply<T>> {
    return callSupervisor(this.#fetcher, ask, async (response) => schema.parse(await readAnswer(response)));
  }

  #nothing(ask: Ask): Promise<Reply<null>> {
    return callSupervisor(this.#fetcher, ask, () => null);
  }
}

const operationPath = (id: string): string => `/operations/${encodeURIComponent(id)}`;
const snapshotPath = (id: string): string => `/snapshots/${encodeURIComponent(id)}`;

function download({ body, headers }: Response): Download {
  const size = headers.get('content-length');
  return {
    body: body ?? new Blob([]).stream(),
    size: size === null ? null : Number(size),
    etag: headers.get('etag'),
  };
}

/** The calls of the protocol: one handler each, right after its method and path. */
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { err, ok, type Result } from '../../core/result.ts';
import {
  CREATION_HEADER,
  DIRECTORY_HEADER,
  OpenRequest,
  OperationQuery,
  OperationSpec,
  PROTOCOL_VERSION,
  type SupervisorError,
} from '../protocol.ts';
import type { Answer } from './http-answer.ts';
import { MAX_FILE_BYTES, readPath, writePath } from './files.ts';
import { readFacts } from './git-facts.ts';
import { parseWith, readBytes, readJson } from './http-body.ts';
import type { Operation } from './operation.ts';
import { buildView, waitFor } from './operation-view.ts';
import { dropSnapshot, openSnapshot, receiveSnapshot } from './snapshots.ts';
import type { Supervisor } from './supervisor.ts';
import type { Workspace } from './workspace.ts';

interface Call {
  readonly supervisor: Supervisor;
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** What the path's pattern captured. */
  readonly name: string;
}

type Handler = (call: Call) => Promise<Result<Answer, SupervisorError>>;

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly handle: Handler;
}

const route = (method: string, path: RegExp, handle: Handler): Route => ({ method, path, handle });

const json = (value: unknown): Result<Answer, never> => ok({ kind: 'json', value });

const nothing = (result: Result<null, SupervisorError>): Result<Answer, SupervisorError> =>
  result.ok ? ok({ kind: 'nothing' }) : result;

const FactsQuery = z.object({
  base: z
    .string()
    .max(64)
    .regex(/^[0-9a-f]+$/)
    .optional(),
  last_saved: z
    .string()
    .max(64)
    .regex(/^[0-9a-f]+$/)
    .optional(),
});

const WorkflowFolder = z.strictObject({
  project: z.string().max(63),
  directory: z.string().max(4096),
  keep: z.boolean(),
});

const ROUTES: readonly Route[] = [
  route('GET', /^\/$/, async () => json({ protocol: PROTOCOL_VERSION })),

  route('GET', /^\/healthz$/, async ({ supervisor }) => {
    const confinements = await supervisor.confinements.list();
    return json({ protocol: PROTOCOL_VERSION, mode: supervisor.mode, confinements });
  }),

  route('POST', /^\/open$/, async ({ supervisor, request }) => {
    const body = await readJson(request, OpenRequest);
    if (!body.ok) return body;
    const opened = await supervisor.open(body.value);
    return opened.ok ? json(opened.value) : opened;
  }),

  route('POST', /^\/operations$/, async (call) => {
    const workspace = findWorkspace(call);
    if (!workspace.ok) return workspace;
    const spec = await readJson(call.request, OperationSpec);
    if (!spec.ok) return spec;
    const started = await workspace.value.start(spec.value);
    if (!started.ok) return started;
    await waitFor(started.value, { wait_ms: spec.value.wait_ms });
    return json(buildView(started.value, { output: 'kept' }));
  }),

  route('GET', /^\/operations\/([^/]+)$/, async (call) => {
    const operation = findOperation(call);
    if (!operation.ok) return operation;
    const query = parseWith(OperationQuery, Object.fromEntries(call.query));
    if (!query.ok) return query;
    await waitFor(operation.value, query.value);
    return json(buildView(operation.value, query.value));
  }),

  route('POST', /^\/operations\/([^/]+)\/cancel$/, async (call) => {
    const workspace = findWorkspace(call);
    if (!workspace.ok) return workspace;
    const operation = await workspace.value.cancel(call.name);
    return operation === null
      ? err(operationNotFound(call.name))
      : json(buildView(operation, { output: 'kept' }));
  }),

  route('POST', /^\/leftovers\/kill$/, async (call) => {
    const workspace = findWorkspace(call);
    return workspace.ok ? json({ killed: await workspace.value.killLeftovers() }) : workspace;
  }),

  route('GET', /^\/facts$/, async (call) => {
    const workspace = findWorkspace(call);
    if (!workspace.ok) return workspace;
    const known = parseWith(FactsQuery, Object.fromEntries(call.query));
    if (!known.ok) return known;
    const { base = null, last_saved: lastSaved = null } = known.value;
    return json(await readFacts({ base, lastSaved }, workspace.value.place));
  }),

  route('GET', /^\/snapshots\/([^/]+)$/, async (call) => {
    const workspace = findWorkspace(call);
    if (!workspace.ok) return workspace;
    const opened = openSnapshot(workspace.value.place, call.name);
    return opened.ok ? ok({ kind: 'file', ...opened.value }) : opened;
  }),

  route('PUT', /^\/snapshots\/([^/]+)$/, async (call) => {
    const workspace = findWorkspace(call);
    return workspace.ok
      ? nothing(await receiveSnapshot(workspace.value.place, call.name, call.request))
      : workspace;
  }),

  route('DELETE', /^\/snapshots\/([^/]+)$/, async (call) => {
    const workspace = findWorkspace(call);
    return workspace.ok ? nothing(dropSnapshot(workspace.value.place, call.name)) : workspace;
  }),

  route('GET', /^\/files$/, async (call) => {
    const workspace = findWorkspace(call);
    if (!workspace.ok) return workspace;
    const found = readPath(workspace.value.place.directory, call.query.get('path') ?? '');
    if (!found.ok) return found;
    return found.value.kind === 'folder' ? json(found.value.list) : ok({ ...found.value, kind: 'bytes' });
  }),

  route('PUT', /^\/files$/, async (call) => {
    const workspace = findWorkspace(call);
    if (!workspace.ok) return workspace;
    const bytes = await readBytes(call.request, MAX_FILE_BYTES);
    if (!bytes.ok) return bytes;
    const { directory } = workspace.value.place;
    const ifMatch = call.request.headers['if-match'] ?? null;
    const written = writePath(directory, call.query.get('path') ?? '', bytes.value, ifMatch);
    return written.ok ? ok({ kind: 'nothing', etag: written.value }) : written;
  }),

  route('POST', /^\/destroy$/, async (call) => {
    const { creation, directory } = readTarget(call.request);
    return nothing(await call.supervisor.destroy(creation, directory));
  }),

  route('GET', /^\/inventory$/, async ({ supervisor }) => {
    const inventory = await supervisor.inventory();
    return inventory.ok ? json(inventory.value) : inventory;
  }),

  route('POST', /^\/workflow-dirs$/, async ({ supervisor, request }) => {
    const body = await readJson(request, WorkflowFolder);
    if (!body.ok) return body;
    return nothing(supervisor.registerWorkflow(body.value));
  }),
];

export function findRoute(method: string, path: string): { handle: Handler; name: string } | null {
  for (const { method: wanted, path: pattern, handle } of ROUTES) {
    const match = pattern.exec(path);
    if (match !== null && method === wanted) return { handle, name: match[1] ?? '' };
  }
  return null;
}

const findWorkspace = ({ supervisor, request }: Call): Result<Workspace, SupervisorError> =>
  findTarget(supervisor, request);

/** The workspace that a call names in its headers. */
export function findTarget(
  supervisor: Supervisor,
  request: IncomingMessage,
): Result<Workspace, SupervisorError> {
  const { creation, directory } = readTarget(request);
  return supervisor.find(creation, directory);
}

function findOperation(call: Call): Result<Operation, SupervisorError> {
  const workspace = findWorkspace(call);
  if (!workspace.ok) return workspace;
  const operation = workspace.value.get(call.name);
  return operation === null ? err(operationNotFound(call.name)) : ok(operation);
}

const operationNotFound = (name: string): SupervisorError => ({
  code: 'operation_not_found',
  detail: `There is no operation ${name.slice(0, 100)}.`,
});

function readTarget({ headers }: IncomingMessage): { creation: string; directory: string } {
  const text = (name: string): string => {
    const value = headers[name];
    return typeof value === 'string' ? value : '';
  };
  return { creation: text(CREATION_HEADER), directory: decode(text(DIRECTORY_HEADER)) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

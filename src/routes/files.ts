/** Files of a workspace: look into it and change it without a clone. */
import { z } from 'zod';
import { failure } from '../core/failure.ts';
import { err, ok } from '../core/result.ts';
import { readBytes } from '../http/body.ts';
import { workspaceParams } from '../http/fields.ts';
import { json } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { FileList } from '../sandbox/protocol.ts';
import { jsonAnswer } from './documents.ts';
import { ofWorkspace } from './workspace-call.ts';

/** As the supervisor's own limit. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

const path = z
  .string()
  .max(4096)
  .refine((text) => !text.includes('\0'), { error: 'holds a NUL' });

const errors = [
  'project_not_found',
  'workspace_not_found',
  'file_not_found',
  'forbidden',
  'wrong_phase',
  'workspace_removing',
  'workspace_damaged',
  'sandbox_unavailable',
] as const;

const readFile = route(
  'GET /v1/projects/{project}/workspaces/{key}/files',
  {
    tag: 'Workspaces',
    summary: 'List a folder or read a file',
    notes:
      'A folder answers JSON, a file its bytes with an `ETag`. Nothing outside of the workspace is read, also not through a link. Files over 8 MiB are refused. A sandbox that sleeps is brought back first.',
    params: workspaceParams,
    query: {
      path: path
        .optional()
        .meta({ description: 'Relative to the workspace; left out: the workspace itself.' }),
    },
    answers: {
      200: jsonAnswer(
        'The entries of the folder, or the bytes of the file as `application/octet-stream`.',
        FileList,
        {
          entries: [{ name: 'README.md', kind: 'file', size: 42, modified_at_ms: 1_796_000_000_000 }],
        },
      ),
    },
    errors: [...errors, 'body_too_large'],
  },
  async ({ params, query, env }) => {
    const found = await ofWorkspace(env, params, (workspace) => workspace.readFile(query.path ?? ''));
    if (!found.ok) return found;
    if (found.value.kind === 'folder') return ok(json(200, found.value.list));
    const { body, etag } = found.value;
    return ok(
      new Response(body, {
        headers: {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment',
          ...(etag === null ? {} : { etag }),
        },
      }),
    );
  },
);

const writeFile = route(
  'PUT /v1/projects/{project}/workspaces/{key}/files',
  {
    tag: 'Workspaces',
    summary: 'Write a file',
    notes:
      'Replaces the file as a whole, or makes it in a folder that is there. With `If-Match` only the version with that `ETag` is replaced; another one answers `file_changed`. A link is not written through.',
    params: workspaceParams,
    query: { path: path.min(1).meta({ description: 'Relative to the workspace.' }) },
    body: { type: 'application/octet-stream', schema: z.any(), example: 'The bytes of the file.' },
    answers: { 204: { description: 'Written; `ETag` names the new version.' } },
    errors: [...errors, 'file_changed'],
  },
  async ({ params, query, env, request }) => {
    const bytes = await readBytes(request, MAX_FILE_BYTES);
    if (!bytes.ok) return bytes;
    const ifMatch = request.headers.get('if-match');
    if (ifMatch !== null && !/^(?:\*|"[\x21\x23-\x7e]*")$/.test(ifMatch))
      return err(failure('invalid_request', 'Header `if-match` must be one ETag in quotes, or `*`.'));
    const file = { path: query.path, bytes: bytes.value, ifMatch };
    const written = await ofWorkspace(env, params, (workspace) => workspace.writeFile(file));
    if (!written.ok) return written;
    return ok(
      new Response(null, { status: 204, headers: written.value === null ? {} : { etag: written.value } }),
    );
  },
);

export const fileRoutes: Route[] = [readFile, writeFile];

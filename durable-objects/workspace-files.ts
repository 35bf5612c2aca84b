/** Files of a workspace for people: listed, read and written through its supervisor, which lets nothing out of the workspace. */
import { failure, type Failure } from '../src/core/failure.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import type { State } from '../src/core/lifecycle/state.ts';
import type { Reply, SupervisorClient, Target } from '../src/sandbox/client.ts';
import type { FileList } from '../src/sandbox/protocol.ts';

export type FileAnswer =
  | { kind: 'folder'; list: FileList }
  | { kind: 'file'; body: ReadableStream<Uint8Array>; size: number | null; etag: string | null };

export async function readFile(
  client: SupervisorClient,
  target: Target,
  path: string,
): Promise<Result<FileAnswer, Failure>> {
  const found = await client.readPath(target, path, { retry: 'once' });
  if (found.kind !== 'answer') return err(failureOf(found));
  return ok(found.value.kind === 'folder' ? found.value : { kind: 'file', ...found.value.file });
}

export async function writeFile(
  client: SupervisorClient,
  target: Target,
  file: { path: string; bytes: Uint8Array<ArrayBuffer>; ifMatch: string | null },
): Promise<Result<string | null, Failure>> {
  const written = await client.writeFile(target, file, { retry: 'once' });
  return written.kind === 'answer' ? ok(written.value) : err(failureOf(written));
}

/** The sandbox was replaced by a fresh one: its files have to be brought back first. */
export const isFreshSandbox = ({ code, detail }: Failure): boolean =>
  code === 'sandbox_unavailable' && detail.startsWith('no_incarnation');

/** Files are there, or will not come without a request. */
export function hasFiles({ files, stage }: State): boolean {
  if (stage.name !== 'work') return stage.name === 'idle' && files === 'present';
  return files === 'present' && !COMING.has(stage.phase);
}

/** A wake, or the work that stands for it, has not found or brought them yet: until it has opened them nobody knows that they are gone. */
export const areFilesComing = (state: State): boolean =>
  state.stage.name === 'work' && (state.stage.phase === 'opening' || !hasFiles(state));

/** The sandbox is being taken or filled. */
const COMING: ReadonlySet<string> = new Set([
  'claiming',
  'cloning',
  'restoring',
  'after_create',
  'discarding',
]);

/** What a supervisor's refusal says to a person. */
export function failureOf(reply: Exclude<Reply<unknown>, { kind: 'answer' }>): Failure {
  if (reply.kind === 'unreachable') return failure('sandbox_unavailable', reply.detail);
  const { code, detail } = reply.error;
  switch (code) {
    case 'file_not_found':
    case 'file_changed':
    case 'workspace_damaged':
      return failure(code, detail);
    case 'path_refused':
      return failure('forbidden', detail);
    case 'too_large':
      return failure('body_too_large', detail);
    case 'directory_gone':
      return failure('workspace_damaged', detail);
    default:
      return failure('sandbox_unavailable', `${code}: ${detail}`);
  }
}

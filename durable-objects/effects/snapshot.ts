/** Snapshots of unsaved work: a git bundle per snapshot in R2, the newest two kept. */
import type { State } from '../../src/core/lifecycle/state.ts';
import type { Reply } from '../../src/sandbox/client.ts';
import type { OperationView } from '../../src/sandbox/protocol.ts';
import { at, insist, type CommandOf, type EffectContext, type EffectEnd } from './context.ts';
import { runOperation } from './operation.ts';

const SNAPSHOT_TIMEOUT_MS = 600_000;
/** A larger bundle is skipped with its reason: it would be uploaded after every attempt. */
const MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024;
/** A sandbox that stops in the middle is not waited for; then the effect is repeated. */
const UPLOAD_MS = 240_000;
const KEPT_SNAPSHOTS = 2;
/** A store that takes nothing for so long holds the workspace up no longer; the sandbox then stays awake with its work. */
const STORE_GIVES_UP_MS = 600_000;

const prefixOf = ({ identity }: State): string => `${identity.project}/${identity.key}/`;

export async function runSnapshot(
  context: EffectContext,
  command: CommandOf<'snapshot'>,
): Promise<EffectEnd> {
  const state = context.state();
  const followed = await runOperation(context, {
    id: command.operation,
    kind: 'snapshot',
    timeout_ms: SNAPSHOT_TIMEOUT_MS,
    branch: state.identity.branch,
    max_bytes: MAX_SNAPSHOT_BYTES,
  });
  if ('end' in followed)
    return isAway(followed.end) ? skipped(context, 'the sandbox did not answer') : followed.end;
  return keepSnapshot(context, command.operation, followed.view);
}

async function keepSnapshot(context: EffectContext, id: string, view: OperationView): Promise<EffectEnd> {
  const bucket = context.env.SNAPSHOTS;
  if (!bucket) return skipped(context, 'no snapshot store is configured (binding SNAPSHOTS)');
  if (view.snapshot === null) return skipped(context, view.detail ?? `the snapshot was ${view.outcome}`);
  if (view.snapshot.status === 'skipped') return skipped(context, view.snapshot.reason);
  const { bytes, head } = view.snapshot;
  const body = await context.client.readSnapshot(at(context.state()), id);
  if (body.kind !== 'answer') return skipped(context, 'the bundle could not be read from the sandbox');
  const prefix = prefixOf(context.state());
  try {
    await upload(bucket, `${prefix}${id}`, { body: body.value.body, bytes });
    await dropOlder(bucket, prefix, id);
  } catch (thrown) {
    if (Date.now() < context.issuedAtMs + STORE_GIVES_UP_MS) throw thrown;
    return skipped(context, `the snapshot store does not take it: ${String(thrown)}`);
  }
  await context.client.dropSnapshot(at(context.state()), id);
  return { type: 'snapshotted', snapshot: { id, atMs: Date.now(), head, complete: true, skipped: null } };
}

async function upload(
  bucket: R2Bucket,
  key: string,
  { body, bytes }: { body: ReadableStream<Uint8Array>; bytes: number },
): Promise<void> {
  // R2 wants the length of a stream before it reads the first byte.
  const { readable, writable } = new FixedLengthStream(bytes);
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), UPLOAD_MS);
  const { signal } = abort;
  await Promise.all([body.pipeTo(writable, { signal }), bucket.put(key, readable)]).finally(() => {
    clearTimeout(timer);
    // Where the store refused, the sandbox is still sending.
    abort.abort();
  });
}

/** What it found instead of our files counts; that it was not heard does not: the save came before. */
const isAway = (end: EffectEnd): boolean =>
  typeof end === 'object' &&
  (end.type !== 'absent' || end.absence.kind === 'refused' || end.absence.kind === 'unreachable');

const skipped = (context: EffectContext, reason: string): EffectEnd => ({
  type: 'snapshotted',
  snapshot: {
    id: '',
    atMs: Date.now(),
    head: context.state().saved.head,
    complete: false,
    skipped: reason,
  },
});

async function dropOlder(bucket: R2Bucket, prefix: string, newest: string): Promise<void> {
  const { objects } = await bucket.list({ prefix });
  const older = objects
    .filter(({ key }) => key !== `${prefix}${newest}`)
    .sort((a, b) => b.uploaded.getTime() - a.uploaded.getTime())
    .slice(KEPT_SNAPSHOTS - 1);
  if (older.length > 0) await bucket.delete(older.map(({ key }) => key));
}

/** false: there is no such snapshot; null: this run's time is over. A stream can be sent once: each try reads it anew. */
export function uploadSnapshot(context: EffectContext, id: string): Promise<Reply<boolean> | null> {
  return insist<boolean>(context, async () => {
    const object = await context.env.SNAPSHOTS?.get(`${prefixOf(context.state())}${id}`);
    if (!object) return { kind: 'answer', value: false };
    const sent = await context.client.writeSnapshot(at(context.state()), id, object.body);
    return sent.kind === 'answer' ? { kind: 'answer', value: true } : sent;
  });
}

export async function deleteSnapshots(context: EffectContext): Promise<void> {
  const bucket = context.env.SNAPSHOTS;
  if (!bucket) return;
  const { objects } = await bucket.list({ prefix: prefixOf(context.state()) });
  if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key));
}

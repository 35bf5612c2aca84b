/** Ending a sandbox with its files. */
import type { Reply } from '../../src/sandbox/client.ts';
import { insist, type CommandOf, type EffectContext, type EffectEnd } from './context.ts';
import { deleteSnapshots } from './snapshot.ts';

export async function runDestroy(context: EffectContext, command: CommandOf<'destroy'>): Promise<EffectEnd> {
  const { creationId, formerIds } = context.state();
  const failed = await destroySandbox(context, [...formerIds, ...(creationId === null ? [] : [creationId])]);
  if (failed === 'later') return 'later';
  if (failed !== null) return { type: 'destroy-failed', detail: failed };
  if (command.forget) await deleteSnapshots(context);
  return { type: 'destroyed' };
}

/** null: none of these incarnations is there; else why one still may be. Idempotent: one that is gone already is a success. */
export async function destroySandbox(context: EffectContext, creationIds: string[]): Promise<string | null> {
  try {
    if (context.access.destroy === null) return await destroyOnHost(context, creationIds);
    await context.access.destroy();
    return null;
  } catch (thrown) {
    return `the sandbox could not be destroyed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

async function destroyOnHost(context: EffectContext, creationIds: string[]): Promise<string | null> {
  for (const creationId of creationIds) {
    const failed = await destroyIncarnation(context, creationId);
    if (failed !== null) return failed;
  }
  return null;
}

async function destroyIncarnation(context: EffectContext, creationId: string): Promise<string | null> {
  const { directory } = context.state();
  const result = await insist(context, async () => {
    const place = directory === null ? await findDirectory(context, creationId) : found(directory);
    return place.kind === 'answer' ? context.client.destroy({ creationId, directory: place.value }) : place;
  });
  if (result === null) return 'later';
  if (result.kind === 'answer') return null;
  if (result.kind === 'unreachable') return `the sandbox host did not answer: ${result.detail}`;
  const { code, detail } = result.error;
  return NOTHING_OF_OURS.includes(code) ? null : detail;
}

/** Not claimed, claimed by somebody else, or in a root where nothing can have been claimed. */
const NOTHING_OF_OURS: string[] = [
  'no_incarnation',
  'other_incarnation',
  'foreign_directory',
  'key_conflict',
  'workspace_root_refused',
];

const found = (directory: string): Reply<string> => ({ kind: 'answer', value: directory });

/** A claim whose answer was lost, or was a failure of the disk, is there all the same: only the host knows where. */
async function findDirectory(context: EffectContext, creationId: string): Promise<Reply<string>> {
  const { identity } = context.state();
  const reply = await context.client.open({
    project: identity.project,
    key: identity.key,
    creation_id: creationId,
    claim: false,
    root: identity.root,
    directory: null,
    workflow: null,
  });
  return reply.kind === 'answer' ? found(reply.value.directory) : reply;
}

/** Ending a sandbox with its files. */
import { insist, type CommandOf, type EffectContext, type EffectEnd } from './context.ts';
import { deleteSnapshots } from './snapshot.ts';

export async function runDestroy(context: EffectContext, command: CommandOf<'destroy'>): Promise<EffectEnd> {
  const failed = await destroySandbox(context, context.state().creationId);
  if (failed === 'later') return 'later';
  if (failed !== null) return { type: 'destroy-failed', detail: failed };
  if (command.forget) await deleteSnapshots(context);
  return { type: 'destroyed' };
}

/** null: gone; else why it is not. Idempotent: a sandbox that is gone already is a success. */
export async function destroySandbox(
  context: EffectContext,
  creationId: string | null,
): Promise<string | null> {
  try {
    if (context.access.destroy) {
      await context.access.destroy();
      return null;
    }
    const { directory } = context.state();
    if (creationId === null || directory === null) return null;
    const result = await insist(context, () => context.client.destroy({ creationId, directory }));
    if (result === null) return 'later';
    if (result.kind === 'answer') return null;
    if (result.kind === 'unreachable') return `the sandbox host did not answer: ${result.detail}`;
    // Not claimed, or claimed by somebody else: nothing there is ours to delete.
    const { code, detail } = result.error;
    return code === 'no_incarnation' || code === 'other_incarnation' ? null : detail;
  } catch (thrown) {
    return `the sandbox could not be destroyed: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

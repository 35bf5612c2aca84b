/** Finding the sandbox, or taking a fresh one; and asking, without waking it, whether it is awake. */
import type { Outcome } from '../../src/core/lifecycle/event.ts';
import { isForStateAlone } from '../../src/core/lifecycle/removal.ts';
import type { Plan } from '../../src/core/lifecycle/state.ts';
import { refuseNetwork } from '../../src/core/network.ts';
import { isTerminalState } from '../../src/core/workflow.ts';
import type { Reply } from '../../src/sandbox/client.ts';
import {
  absenceOf,
  absent,
  at,
  insist,
  type CommandOf,
  type EffectContext,
  type EffectEnd,
} from './context.ts';
import { destroySandbox } from './destroy.ts';
import { buildPlan, keepWorkflow } from './scripts.ts';

export async function runOpen(context: EffectContext, command: CommandOf<'open'>): Promise<EffectEnd> {
  const inForce = await context.project.workflowInForce();
  if (!inForce.ok) return { type: 'plan-refused', detail: inForce.error.detail };
  const { workflow, text } = inForce.value;
  const misfit = refuseNetwork(context.state().identity, workflow);
  if (misfit !== null) return { type: 'plan-refused', detail: misfit };
  keepWorkflow(context.store, workflow);
  const plan = buildPlan(context.state(), workflow, context.env);
  const end = await openSandbox(context, command, { text, plan });
  return typeof end === 'object' && end.type === 'absent' ? { ...end, plan } : end;
}

async function openSandbox(
  context: EffectContext,
  command: CommandOf<'open'>,
  { text, plan }: { text: string | null; plan: Plan },
): Promise<EffectEnd> {
  const left = command.replaces.length === 0 ? null : await destroySandbox(context, command.replaces);
  const { identity, directory } = context.state();
  const result = await insist(context, () =>
    context.client.open({
      project: identity.project,
      key: identity.key,
      creation_id: command.creationId,
      claim: command.claim,
      root: identity.root,
      directory,
      workflow: text,
    }),
  );
  if (result === null) return 'later';
  // The place is not somebody else's: it is taken by what could not be destroyed.
  if (left !== null && result.kind === 'refused')
    return left === 'later' ? left : absent({ kind: 'refused', detail: left });
  if (result.kind !== 'answer') return absent(absenceOf(result));
  const opened = result.value;
  if (opened.files === 'damaged')
    return absent({ kind: 'damaged', detail: opened.damage ?? 'the folder is not our repository' });
  return {
    type: 'opened',
    plan,
    files: opened.files,
    directory: opened.directory,
    workflowDir: opened.workflow_dir,
  };
}

/** Before a removal: is there something to save, and is there a hook to run? */
export async function runLook(context: EffectContext): Promise<EffectEnd> {
  const inForce = await context.project.workflowInForce();
  // The states that are terminal may be others than when the removal was wished.
  if (inForce.ok && isForStateAlone(context.state())) {
    const { state } = context.state().task;
    if (!isTerminalState(state, inForce.value.workflow.terminalStates)) return { type: 'task-open' };
  }
  if (inForce.ok) keepWorkflow(context.store, inForce.value.workflow);
  // A hook that must not reach the network does not run where that can't be kept from it.
  const fits = inForce.ok && refuseNetwork(context.state().identity, inForce.value.workflow) === null;
  const hooks = fits
    ? buildPlan(context.state(), inForce.value.workflow, context.env).hooks
    : { after_create: false, before_run: false, after_run: false, before_remove: false };
  const awake = await insist(context, () => askIfAwake(context));
  if (awake === null) return 'later';
  if (awake.kind !== 'answer') return absent(absenceOf(awake));
  // A disk that sleeps is lost.
  return awake.value ? lookInside(context, hooks) : { type: 'looked', found: 'gone', hooks };
}

/** Where nobody knows, it is as where the sandbox does not answer. */
async function askIfAwake({ access }: EffectContext): Promise<Reply<boolean>> {
  try {
    return { kind: 'answer', value: await access.isAwake() };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { kind: 'unreachable', detail: `whether it is awake is not known: ${reason}` };
  }
}

async function lookInside(
  context: EffectContext,
  hooks: Extract<Outcome, { type: 'looked' }>['hooks'],
): Promise<EffectEnd> {
  const { identity, directory, creationId } = context.state();
  const result = await insist(context, () =>
    context.client.open({
      project: identity.project,
      key: identity.key,
      creation_id: creationId ?? '00000000',
      claim: false,
      root: identity.root,
      directory,
      workflow: null,
    }),
  );
  if (result === null) return 'later';
  if (result.kind !== 'answer') {
    const absence = absenceOf(result);
    return absence.kind === 'gone' ? { type: 'looked', found: 'gone', hooks } : absent(absence);
  }
  if (result.value.files === 'damaged')
    return absent({ kind: 'damaged', detail: result.value.damage ?? 'not our repository' });
  return { type: 'looked', found: result.value.files === 'absent' ? 'gone' : 'present', hooks };
}

/** Keeps a sandbox that would sleep awake: any call is activity. */
export async function runTouch(context: EffectContext): Promise<EffectEnd> {
  await context.client.health();
  return 'done';
}

export async function runKillLeftovers(context: EffectContext): Promise<EffectEnd> {
  const result = await insist(context, () => context.client.killLeftovers(at(context.state())));
  if (result === null) return 'later';
  return result.kind === 'answer' ? { type: 'leftovers-killed' } : absent(absenceOf(result));
}

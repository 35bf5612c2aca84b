/** One effect, whichever it is. */
import type { Command } from '../../src/core/lifecycle/effect.ts';
import { runClone } from './clone.ts';
import type { EffectContext, EffectEnd } from './context.ts';
import { runDestroy } from './destroy.ts';
import { maskingOf } from './masking.ts';
import { runKillLeftovers, runLook, runOpen, runTouch } from './open.ts';
import { runCancel } from './operation.ts';
import { runSave } from './save.ts';
import { runAgent, runHook } from './script.ts';
import { runSnapshot } from './snapshot.ts';

export async function runEffect(context: EffectContext, command: Command): Promise<EffectEnd> {
  const end = await perform(context, command);
  if (typeof end === 'string') return end;
  const mask = maskingOf(end);
  return mask === null ? end : mask(await context.values.masker());
}

function perform(context: EffectContext, command: Command): Promise<EffectEnd> {
  switch (command.type) {
    case 'open':
      return runOpen(context, command);
    case 'clone':
      return runClone(context, command);
    case 'run-hook':
      return runHook(context, command);
    case 'run-agent':
      return runAgent(context, command);
    case 'kill-leftovers':
      return runKillLeftovers(context);
    case 'save':
      return runSave(context, command);
    case 'snapshot':
      return runSnapshot(context, command);
    case 'look':
      return runLook(context);
    case 'destroy':
      return runDestroy(context, command);
    case 'cancel-operation':
      return runCancel(context, command.operation, command.awaiting);
    case 'touch':
      return runTouch(context);
  }
}

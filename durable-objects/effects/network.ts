/** Sets what the sandbox may reach, before something runs in it; a location that has no such limits is left alone. */
import { planAllowedHosts } from '../../src/core/network.ts';
import type { EffectContext } from './context.ts';
import { keptWorkflow } from './scripts.ts';

/** Throws where it cannot be set: nothing starts without its limits, and the effect is repeated. */
export async function limitNetwork(context: EffectContext, also: string | null): Promise<void> {
  const { network } = keptWorkflow(context.store);
  await context.access.limitNetwork?.(planAllowedHosts(network, also));
}

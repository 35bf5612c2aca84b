/**
 * What each provider can take: the one table behind validation, projection, `GET /v1/providers` and the docs.
 * The seed's tables exactly; where today's agents do more, the seed stays the contract.
 */
import { CANONICAL_EVENTS, EVENTS, PROVIDERS } from './events.ts';
import type { CanonicalEvent, Provider } from './events.ts';
import type { ProviderFacts } from './provider-facts.ts';
import { claudeFacts } from './claude.ts';
import { codexFacts } from './codex.ts';
import { copilotFacts } from './copilot.ts';
import { cursorFacts } from './cursor.ts';

export interface Capability extends ProviderFacts {
  provider: Provider;
  events: readonly { event: CanonicalEvent; native: string; matcher: boolean }[];
}

const facts: Record<Provider, ProviderFacts> = {
  claude: claudeFacts,
  copilot: copilotFacts,
  codex: codexFacts,
  cursor: cursorFacts,
};

const buildCapability = (provider: Provider): Capability => ({
  provider,
  ...facts[provider],
  events: CANONICAL_EVENTS.flatMap((event) => {
    const native = EVENTS[event][provider];
    return native === undefined
      ? []
      : [{ event, native, matcher: facts[provider].matcherEvents.includes(event) }];
  }),
});

/** In the order of `PROVIDERS`. This is the body of `GET /v1/providers`. */
export const CAPABILITIES: readonly Capability[] = PROVIDERS.map(buildCapability);

export const capabilityOf = (provider: Provider): Capability =>
  CAPABILITIES[PROVIDERS.indexOf(provider)] as Capability;

export const isProvider = (name: unknown): name is Provider => PROVIDERS.includes(name as Provider);

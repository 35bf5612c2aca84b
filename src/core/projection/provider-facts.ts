/** The shape of what is known about one provider beside the event table. */
import type { CanonicalEvent } from './events.ts';

/** `used`: written and obeyed. `ignored`: the provider does not act on it, so a warning is due. `refused`: the handler can't go there. */
export type FieldSupport = 'used' | 'ignored' | 'refused';

/** Fields of a `command` handler that not every provider takes. */
export const OPTIONAL_FIELDS = ['cwd', 'env', 'timeoutSec', 'loop_limit', 'failClosed'] as const;
export type OptionalField = (typeof OPTIONAL_FIELDS)[number];

interface ConfigLocation {
  scope: string;
  path: string;
  note?: string;
}

export interface ProviderFacts {
  name: string;
  /** `shared`: people keep their own settings in this file, so `harness apply` merges into it. */
  output: { path: string; format: 'json' | 'toml'; key: string; shared: boolean };
  /** Other project files of the provider that people own: a `targetPath` there is merged into as well. */
  sharedPaths: readonly string[];
  handlerTypes: readonly ('command' | 'notify')[];
  matcherEvents: readonly CanonicalEvent[];
  matcherNote: string;
  /** Tool names as the provider spells them; a matcher in another spelling never fires. */
  toolNames: readonly string[];
  /** Names that other agents give to a tool of this provider. */
  toolAliases: Readonly<Record<string, string>>;
  fields: Readonly<Record<OptionalField, FieldSupport>>;
  handlerKeys: readonly string[];
  commandOrder: string;
  blocking: { events: readonly string[]; exitCodes: readonly { code: string; meaning: string }[] };
  locations: readonly ConfigLocation[];
  priority: string;
  nativeOnlyEvents: readonly string[];
  docs: readonly string[];
  notes: readonly string[];
}

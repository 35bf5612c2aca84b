/** Native configuration as values, before it is printed: what the renderers give and what `harness apply` merges. */
import type { CommandHandler, Handler } from './model.ts';
import type { Provider } from './events.ts';
import type { JsonValue } from './print-json.ts';

/** The admitted handlers of one native event: entities in byte order of their ids, then in file order. */
export interface NativeEvent<Taken extends Handler = Handler> {
  readonly native: string;
  readonly handlers: readonly Taken[];
}

export type CommandEvent = NativeEvent<CommandHandler>;

/** Event → entries, in the seed's order of events. An entry is a matcher group for Claude, a handler for the others. */
export type NativeHooks = Readonly<Record<string, readonly JsonValue[]>>;

interface NativeTarget {
  readonly provider: Provider;
  readonly path: string;
  readonly entityIds: readonly string[];
}

interface NativeHooksFile extends NativeTarget {
  readonly format: 'json';
  readonly hooks: NativeHooks;
}

interface NativeNotifyFile extends NativeTarget {
  readonly format: 'toml';
  readonly notify: readonly string[];
  /** `notify` as one line of TOML, without a line break. */
  readonly line: string;
}

export type NativeFile = NativeHooksFile | NativeNotifyFile;

export const buildHooks = (
  events: readonly CommandEvent[],
  buildEntries: (handlers: readonly CommandHandler[]) => readonly JsonValue[],
): NativeHooks => {
  const hooks: Record<string, readonly JsonValue[]> = {}; // its keys come from the table, never from a document
  for (const { native, handlers } of events) hooks[native] = buildEntries(handlers);
  return hooks;
};

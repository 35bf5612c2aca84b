/** The canonical model: what a caller hands in, and what is left of it once it has been checked. */
import type { CanonicalEvent, Provider } from './events.ts';
import type { HookDiagnostic } from './diagnostic.ts';

/** Content of a side-car: an object, or the text of the YAML file. */
type OverrideInput = unknown;

/** A hook as it is handed in. With `source`, faults carry line and column. */
export interface HookEntity {
  id: string;
  document?: unknown;
  source?: string;
  overrides?: Readonly<Record<string, OverrideInput>>;
}

export type Mode = 'strict' | 'best_effort';

/** A checked `command` handler. Strings are trimmed, blank ones are gone. */
export interface CommandHandler {
  readonly type: 'command';
  readonly index: number;
  /** The one command for providers that take one. */
  readonly shell: string;
  readonly bash: string | undefined;
  readonly powershell: string | undefined;
  readonly matcher: string | undefined;
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>> | undefined;
  /** `timeout` else `timeoutSec`, in seconds. */
  readonly timeout: number | undefined;
  /** `timeoutSec` else `timeout`, in seconds. */
  readonly timeoutSec: number | undefined;
  readonly loopLimit: number | null | undefined;
  readonly failClosed: boolean | undefined;
  /** Which of the optional fields are there, as bits; see `field-bits.ts`. */
  readonly fields: number;
}

export interface NotifyHandler {
  readonly type: 'notify';
  readonly index: number;
  readonly argv: readonly string[];
}

export type Handler = CommandHandler | NotifyHandler;

export interface HookEvent {
  readonly event: CanonicalEvent;
  /** Place in the seed's table. */
  readonly number: number;
  readonly handlers: readonly Handler[];
}

export interface Override {
  readonly targetPath: string | undefined;
  readonly enabled: boolean;
}

/** A checked hook. `mode` is missing when the document's own is invalid: nothing can be said about support then. */
export interface Hook {
  readonly id: string;
  readonly mode: Mode | undefined;
  readonly events: readonly HookEvent[];
  readonly overrides: ReadonlyMap<Provider, Override>;
}

/** A combination that `best_effort` left out. */
export interface Skipped {
  entityId: string;
  provider: Provider;
  event: CanonicalEvent;
  handler: number;
  why: string;
}

export interface ProjectedFile {
  path: string;
  provider: Provider;
  format: 'json' | 'toml';
  content: string;
  entityIds: string[];
}

/** `ok: false` comes with no files at all, so that nobody writes half a result. */
export interface Projection {
  ok: boolean;
  files: ProjectedFile[];
  skipped: Skipped[];
  diagnostics: HookDiagnostic[];
}

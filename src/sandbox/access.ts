/** What every location offers beside the supervisor's protocol: one object per sandbox. */

export interface TerminalSize {
  cols: number;
  rows: number;
}

export interface SandboxAccess {
  /** One request to the supervisor; a throw or an answer without its header is a transport failure of unknown outcome. */
  fetch(request: Request): Promise<Response>;
  /** A WebSocket to a terminal: bytes as binary frames, `ready`, `closed` and `error` as JSON. `request` asks for the upgrade. */
  openTerminal(request: Request, size: TerminalSize): Promise<Response>;
  /** From now on only these hosts (`*` globs) are reached from inside. null: this sandbox's network has no limits. */
  limitNetwork: ((hosts: string[]) => Promise<void>) | null;
  /** Wakes nothing; rejects where nobody knows. A host never sleeps. */
  isAwake(): Promise<boolean>;
  /** Ends the sandbox with its disk; idempotent. null: the supervisor's own `destroy` is the way (host). */
  destroy: (() => Promise<void>) | null;
}

/** What one provider gets in one projection, while it is being collected. */
import type { Admission } from './admission.ts';
import { CANONICAL_EVENTS } from './events.ts';
import type { Handler, Hook, HookEvent } from './model.ts';
import type { NativeEvent } from './native.ts';

export interface Contribution {
  readonly hook: Hook;
  readonly block: HookEvent;
  readonly handler: Handler;
}

export class ProviderShare {
  readonly admission: Admission;
  /** The hooks that give at least one handler, in order. */
  readonly hooks: Hook[] = [];
  /** Every handler with where it comes from, in order. */
  readonly contributions: Contribution[] = [];
  readonly #handlers: (Handler[] | undefined)[] = Array.from({ length: CANONICAL_EVENTS.length });

  constructor(admission: Admission) {
    this.admission = admission;
  }

  take(hook: Hook, block: HookEvent, handler: Handler): void {
    if (this.hooks.at(-1) !== hook) this.hooks.push(hook);
    this.contributions.push({ hook, block, handler });
    const handlers = this.#handlers[block.number];
    if (handlers === undefined) this.#handlers[block.number] = [handler];
    else handlers.push(handler);
  }

  has(eventNumber: number): boolean {
    return this.#handlers[eventNumber] !== undefined;
  }

  /** In the seed's order of events. */
  nativeEvents(): NativeEvent[] {
    const events: NativeEvent[] = [];
    for (const [number, handlers] of this.#handlers.entries()) {
      const native = this.admission.natives[number];
      if (handlers !== undefined && native !== undefined) events.push({ native, handlers });
    }
    return events;
  }
}

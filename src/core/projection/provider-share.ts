/** What one provider gets in one projection, while it is being collected. */
import type { Admission } from './admission.ts';
import { handlerPointer } from './diagnostic.ts';
import type { Place } from './diagnostic.ts';
import type { Handler, Hook, HookEvent } from './model.ts';
import type { NativeEvent } from './native.ts';

export interface Contribution {
  readonly hook: Hook;
  readonly block: HookEvent;
  readonly handler: Handler;
}

/** The handlers of one canonical event. */
interface Slot extends NativeEvent {
  readonly number: number;
  readonly handlers: Handler[];
}

export class ProviderShare {
  readonly admission: Admission;
  /** The hooks that give at least one handler, in order. */
  readonly hooks: Hook[] = [];
  /** Every handler with where it comes from, in order. */
  readonly contributions: Contribution[] = [];
  readonly #slots: Slot[] = [];

  constructor(admission: Admission) {
    this.admission = admission;
  }

  take(hook: Hook, block: HookEvent, handler: Handler): void {
    if (this.hooks.at(-1) !== hook) this.hooks.push(hook);
    this.contributions.push({ hook, block, handler });
    this.#slotOf(block.number).handlers.push(handler);
  }

  #slotOf(number: number): Slot {
    let slot = this.#slots.find((candidate) => candidate.number === number);
    if (slot === undefined) {
      slot = { number, native: this.admission.natives[number] as string, handlers: [] };
      this.#slots.push(slot);
    }
    return slot;
  }

  placeOf({ hook, block, handler }: Contribution, member = ''): Place {
    return {
      entityId: hook.id,
      provider: this.admission.provider,
      event: block.event,
      handler: handler.index,
      pointer: handlerPointer(block.event, handler.index) + member,
    };
  }

  has(eventNumber: number): boolean {
    return this.#slots.some(({ number }) => number === eventNumber);
  }

  /** In the seed's order of events. */
  events(): readonly Slot[] {
    return this.#slots.sort((a, b) => a.number - b.number);
  }
}

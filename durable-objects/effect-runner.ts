/** Runs the stored effects: each at most once at a time, until none is left or this run's time is over. */
import type { EffectEnd } from './effects/context.ts';
import type { StoredEffect } from './workspace-store.ts';

export interface EffectHost {
  pending(): StoredEffect[];
  /** Performs one; never rejects for an expected failure. */
  perform(effect: StoredEffect, deadlineAtMs: number): Promise<EffectEnd>;
  /** Takes the result in, in one commit with the effect's deletion. */
  end(effect: StoredEffect, outcome: EffectEnd): Promise<void>;
}

/** After a bug or a platform error an effect is left alone this long. */
const FAULT_PAUSE_MS = 5_000;
/** Every call has its own deadline; what is still under way so long after the run's is hanging, and the next run repeats it. */
const OVERTIME_MS = 150_000;

export class EffectRunner {
  readonly #host: EffectHost;
  readonly #running = new Map<string, Promise<void>>();
  /** Answered `later` in this run: there is not enough of it left for them. */
  readonly #postponed = new Set<string>();
  #wake: () => void = () => undefined;

  constructor(host: EffectHost) {
    this.#host = host;
  }

  /** New effects were committed: a run under way starts them at once. */
  notify(): void {
    this.#wake();
  }

  /** Ends when nothing is pending, at the latest `OVERTIME_MS` after `deadlineAtMs`. */
  async run(deadlineAtMs: number): Promise<void> {
    this.#postponed.clear();
    while (Date.now() < deadlineAtMs) {
      this.#startPending(deadlineAtMs);
      if (this.#running.size === 0) return;
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await raceUntil(deadlineAtMs, [...this.#running.values(), woken]);
    }
    await raceUntil(deadlineAtMs + OVERTIME_MS, [Promise.all(this.#running.values())]);
    this.#running.clear();
  }

  #startPending(deadlineAtMs: number): void {
    for (const effect of this.#host.pending()) {
      if (this.#running.has(effect.id) || this.#postponed.has(effect.id)) continue;
      const running = this.#runOne(effect, deadlineAtMs).finally(() => {
        // Left behind by an earlier run, it is no more the one that is there.
        if (this.#running.get(effect.id) === running) this.#running.delete(effect.id);
      });
      this.#running.set(effect.id, running);
    }
  }

  async #runOne(effect: StoredEffect, deadlineAtMs: number): Promise<void> {
    try {
      const end = await this.#host.perform(effect, deadlineAtMs);
      if (end === 'later') this.#postponed.add(effect.id);
      await this.#host.end(effect, end);
    } catch (thrown) {
      // The effect stays stored and is repeated: a thrown error may be the platform's, and giving up would lose the workspace.
      console.error(
        JSON.stringify({
          at: 'effect',
          effect: effect.id,
          command: effect.command.type,
          error: String(thrown),
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, FAULT_PAUSE_MS));
    }
  }
}

async function raceUntil(atMs: number, work: Promise<unknown>[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, atMs - Date.now()));
  });
  await Promise.race([...work, late]);
  if (timer !== null) clearTimeout(timer);
}

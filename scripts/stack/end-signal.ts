/** How a script that runs the service ends. */
import { fail } from './command-line.ts';
import type { Stack } from './stack.ts';

/** All of them: Miniflare listens to each, and exits at once. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `end` once: a Ctrl-C comes twice, from the terminal and from npm. */
export function onEndSignal(end: () => void): void {
  let isEnding = false;
  for (const signal of END_SIGNALS)
    process.on(signal, () => {
      if (isEnding) return;
      isEnding = true;
      end();
    });
}

/** Ends the service, also one that is still starting, and then the process: once, with the code of who asked first. */
export class Ending {
  readonly #starting: Promise<Stack>;
  #ending: Promise<never> | null = null;

  constructor(starting: Promise<Stack>) {
    this.#starting = starting;
  }

  /** What fails from now on fails because of it. */
  get isUnderWay(): boolean {
    return this.#ending !== null;
  }

  end(code: number): Promise<never> {
    this.#ending ??= this.#stop(code);
    return this.#ending;
  }

  async #stop(code: number): Promise<never> {
    const stack = await this.#starting.catch(() => null);
    try {
      await stack?.stop();
    } catch (thrown) {
      return fail(thrown);
    }
    return process.exit(code);
  }
}

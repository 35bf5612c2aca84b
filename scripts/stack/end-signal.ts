/** How a script is told to end. */

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

/** Keeps workerd running: Miniflare starts a crashed one again once, but gives up when that one dies, too. */
import { connect } from 'node:net';
import { Miniflare, type MiniflareOptions } from 'miniflare';
import { END_SIGNALS } from './end-signal.ts';

export interface RunningWorker {
  url: URL;
  /** Straight to the objects, past the API: for tests that look at what was recorded. */
  namespace(name: string): ReturnType<Miniflare['getDurableObjectNamespace']>;
  stop(): Promise<void>;
}

const LOOK_MS = 500;
/** Miniflare's own restart takes about a second; it goes first. */
const REFUSALS_BEFORE_RESTART = 6;

export async function keepUp(options: MiniflareOptions): Promise<RunningWorker> {
  let miniflare = createMiniflare(options);
  const url = await miniflare.ready;
  const stopping = new AbortController();
  const watching = watch(url, stopping.signal, async () => {
    console.error('workerd is gone; starting it again');
    await miniflare.dispose().catch(() => undefined);
    // The same port and folder: to its callers it is the same service.
    miniflare = createMiniflare({ ...options, port: Number(url.port) });
    await miniflare.ready.catch(() => undefined);
  });
  return {
    url,
    namespace: (name) => miniflare.getDurableObjectNamespace(name),
    stop: async () => {
      stopping.abort();
      await watching;
      await miniflare.dispose().catch(() => undefined);
    },
  };
}

/** At a signal Miniflare exits at once. Whoever listens already wants to end in order: for them it does not listen. */
function createMiniflare(options: MiniflareOptions): Miniflare {
  const before = END_SIGNALS.map((signal) => ({ signal, listeners: process.listeners(signal) }));
  const miniflare = new Miniflare(options);
  for (const { signal, listeners } of before) {
    if (listeners.length === 0) continue;
    for (const listener of process.listeners(signal))
      if (!listeners.includes(listener)) process.removeListener(signal, listener);
  }
  return miniflare;
}

async function watch(url: URL, signal: AbortSignal, restart: () => Promise<void>): Promise<void> {
  let refusals = 0;
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    refusals = (await isListening(url)) ? 0 : refusals + 1;
    if (refusals < REFUSALS_BEFORE_RESTART || signal.aborted) continue;
    await restart();
    refusals = 0;
  }
}

/** A busy Worker still accepts connections; only a dead one refuses them. */
function isListening({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.end());
  });
}

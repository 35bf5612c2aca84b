/** The way that the cloud goes — Worker, Durable Object, `containerFetch` — with a double in the SDK's place. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '../../scripts/stack/worker.ts';
import { startContainerEngine } from '../support/container-engine.ts';
import type { Way } from './way.ts';

export interface DoubleWay extends Way {
  stop(): Promise<void>;
}

export async function startDoubleWay(): Promise<DoubleWay> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-harness-double-'));
  const engine = await startContainerEngine();
  const worker = await startWorker({
    port: 0,
    stateDirectory: folder,
    entry: 'test/workers/contract-entry.ts',
    vars: { CONTAINER_ENGINE_URL: engine.url },
    onLog: () => undefined,
  });
  return {
    name: 'a Durable Object that answers as the SDK’s does',
    open: async () => {
      const id = `ws-${randomUUID()}`;
      return {
        fetcher: {
          fetch: (request) => {
            const { pathname, search } = new URL(request.url);
            return fetch(new Request(`${worker.url.origin}/${id}${pathname}${search}`, request));
          },
        },
        root: null,
        home: null,
        restart: null,
        memoryBytes: null,
        ownsMachine: false,
        end: async () => {
          await fetch(`${engine.url}/${id}/kill`, { method: 'POST' });
        },
      };
    },
    stop: async () => {
      await worker.stop();
      await engine.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

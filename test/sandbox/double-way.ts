/** Worker, Durable Object, `containerFetch` — with a double in the SDK's place. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker } from '../../scripts/stack/worker.ts';
import { startContainerEngine } from '../support/container-engine.ts';
import type { Way } from './way.ts';
import { workerWay } from './worker-way.ts';

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
    ...workerWay({
      name: 'a Durable Object that answers as the SDK’s does',
      url: worker.url.origin,
      ownsMachine: false,
    }),
    stop: async () => {
      await worker.stop();
      await engine.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

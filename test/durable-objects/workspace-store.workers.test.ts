/** What a workspace keeps stays bounded, however often its task is tried. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { WorkspaceStore } from '../../durable-objects/workspace-store.ts';
import { workerEnv } from '../workers/task.ts';

test('outputs of the oldest operations are dropped, those of the newest are kept whole', async () => {
  await runInDurableObject(workerEnv.WORKSPACE.getByName('bounded/ABC-1'), (_object, { storage }) => {
    const store = new WorkspaceStore(storage);
    const output = { text: 'printed', total_bytes: 7, truncated: false };
    for (let number = 1; number <= 1200; number += 1)
      for (const stream of ['stdout', 'stderr'] as const) store.saveOutput(`op-${number}`, stream, output);
    expect(storage.sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM output').one().n).toBe(2000);
    expect(store.output('op-1', 'stdout')).toBeNull();
    expect(store.output('op-1200', 'stderr')).toEqual(output);
    expect(store.output('op-201', 'stdout')).toEqual(output);
  });
});

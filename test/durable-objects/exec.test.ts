/** A command of the caller whose attempt ends while the command is being started. */
import { expect, test } from 'vitest';
import type { EffectContext } from '../../durable-objects/effects/context.ts';
import { streamExec } from '../../durable-objects/effects/exec.ts';
import { buildMasker } from '../../src/core/redact.ts';
import { DEFAULT_WORKFLOW } from '../../src/core/workflow.ts';
import { Scene } from '../core/lifecycle/driver.ts';

type During = 'environment' | 'start' | 'nothing';

/** `change` happens to the workspace during this call; answers what the sandbox was asked for. */
async function exec(during: During, change: (scene: Scene) => void) {
  const scene = new Scene({ plan: { agent: 'external' } });
  scene.dispatch();
  while (scene.awaited !== null) scene.answer();
  const calls: string[] = [];
  const at = (moment: During) => {
    if (moment === during) change(scene);
  };
  const context = {
    store: { meta: () => JSON.stringify(DEFAULT_WORKFLOW) },
    state: () => scene.state,
    access: { limitNetwork: null },
    deadlineAtMs: Date.now() + 10_000,
    values: {
      masker: async () => buildMasker([]),
      environment: async () => {
        at('environment');
        return { ok: true, value: { global: {}, project: {}, secretNames: [], gitSecrets: [] } };
      },
    },
    client: {
      start: async (_: unknown, { id }: { id: string }) => {
        at('start');
        calls.push(`start ${id}`);
        return { kind: 'answer', value: { state: 'running' } };
      },
      cancel: async (_: unknown, id: string) => {
        calls.push(`cancel ${id}`);
        return { kind: 'answer', value: { state: 'ended' } };
      },
    },
  } as unknown as EffectContext;
  const answer = await streamExec(context, '1', 'sleep 60', 1000);
  return { calls, code: answer.ok ? 'ok' : answer.error.code };
}

const finish = (scene: Scene) => void scene.finish();
const finishAndDispatch = (scene: Scene) => {
  scene.finish();
  scene.run().dispatch();
  while (scene.awaited !== null) scene.answer();
};

const remove = (scene: Scene) => {
  scene.delete({ cancel: true });
  scene.runTo('look');
};

test('a command goes on while its attempt waits for it', async () => {
  expect(await exec('nothing', finish)).toEqual({ calls: ['start x-1'], code: 'ok' });
});

test.each([
  ['finished', finish],
  ['followed by another one', finishAndDispatch],
])('a command whose attempt is %s while it starts is cancelled', async (_, change) => {
  expect(await exec('start', change)).toEqual({ calls: ['start x-1', 'cancel x-1'], code: 'wrong_phase' });
});

test('a command whose attempt is finished before it starts is not started', async () => {
  expect(await exec('environment', finish)).toEqual({ calls: [], code: 'wrong_phase' });
});

test('a command that starts during a removal is told so', async () => {
  expect(await exec('start', remove)).toEqual({
    calls: ['start x-1', 'cancel x-1'],
    code: 'workspace_removing',
  });
});

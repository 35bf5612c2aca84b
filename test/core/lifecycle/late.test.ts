import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/core/lifecycle/event.ts';
import { idleScene, Scene } from './driver.ts';
import {
  CLONE_FAILED,
  cloned,
  DESTROY_FAILED,
  FAILED,
  FOLDER_GONE,
  GONE,
  looked,
  NO_HOOKS,
  PLAN_REFUSED,
  SAVE_FAILED,
  saved,
  scriptEnded,
  snapshotted,
} from './outcomes.ts';

describe('a result that nobody waits for', () => {
  test.each([
    ['a second time', (scene: Scene) => scene.pending.at(-1)?.id ?? '', 1],
    ['under an unknown id', () => 'g1-e99', 0],
  ])('%s changes nothing and is noted', (_, idOf, answers) => {
    const scene = new Scene();
    scene.dispatch();
    scene.runTo('hook before_run');
    const id = idOf(scene);
    for (let count = 0; count < answers; count += 1) scene.answer();
    const before = scene.state;
    scene.take();
    scene.endEffect(id, FAILED);
    expect(scene.state).toBe(before);
    expect(scene.take()).toEqual([]);
    expect(scene.notes.at(-1)).toMatchObject({ event: 'ignored', data: { effect: id } });
  });

  test('of an earlier attempt changes nothing', () => {
    const scene = idleScene();
    scene.dispatch();
    scene.runTo('agent');
    const agent = scene.pending.at(-1)?.id ?? '';
    scene.run();
    scene.dispatch();
    scene.runTo('agent');
    scene.endEffect(agent, GONE);
    expect(scene.awaited).toBe('agent');
    expect(scene.state.files).toBe('present');
  });

  test('of an earlier generation changes nothing', () => {
    const scene = new Scene();
    scene.dispatch();
    const claim = scene.pending.at(-1)?.id ?? '';
    scene.run();
    scene.setTask('Done');
    scene.run();
    scene.dispatch();
    const before = scene.state;
    scene.endEffect(claim, GONE);
    expect(scene.state).toBe(before);
    expect(scene.state.generation).toBe(2);
  });

  test('of an agent whose effect was repeated is taken once', () => {
    const scene = idleScene();
    scene.dispatch();
    scene.runTo('agent').take();
    const agent = scene.pending.at(-1)?.id ?? '';
    scene.endEffect(agent, scriptEnded('ok'));
    scene.endEffect(agent, scriptEnded('ok'));
    expect(scene.run().take()).toEqual(['hook after_run', 'save']);
  });
});

const ANY: Outcome[] = [
  FOLDER_GONE,
  PLAN_REFUSED,
  cloned('remote'),
  CLONE_FAILED,
  scriptEnded('ok'),
  { type: 'leftovers-killed' },
  saved(),
  snapshotted('s', 1),
  { type: 'destroyed' },
  DESTROY_FAILED,
  looked('present', NO_HOOKS),
];

test.each([
  ['claim', ['opened', 'plan-refused']],
  ['clone', ['cloned', 'clone-failed']],
  ['hook after_create', ['script-ended']],
  ['hook before_run', ['script-ended']],
  ['kill-leftovers', ['leftovers-killed']],
  ['hook after_run', ['script-ended']],
  ['save', ['saved']],
  ['snapshot', ['snapshotted']],
])('"%s" takes no result of another kind than %o', (at, kinds) => {
  const scene = new Scene({ plan: { snapshots: true } }).script('hook before_run', FAILED);
  scene.script('save', SAVE_FAILED).dispatch();
  scene.runTo(at);
  const before = scene.state;
  const id = scene.pending.at(-1)?.id ?? '';
  const wrong = ANY.filter(({ type }) => !kinds.includes(type));
  for (const outcome of wrong) scene.endEffect(id, outcome);
  expect(scene.state).toBe(before);
  expect(wrong.length + kinds.length).toBe(ANY.length);
});

test('the discard of a failed creation takes no result of another kind', () => {
  const scene = new Scene().script('clone', CLONE_FAILED);
  scene.dispatch();
  scene.runTo('discard');
  const before = scene.state;
  const id = scene.pending.at(-1)?.id ?? '';
  for (const outcome of ANY.filter(({ type }) => !type.startsWith('destroy'))) scene.endEffect(id, outcome);
  expect(scene.state).toBe(before);
});

test('effect and operation ids are never given twice', () => {
  const scene = idleScene().script('agent', FAILED, FAILED);
  scene.dispatch();
  scene.run();
  scene.fireTimer();
  scene.run();
  scene.setTask('Done');
  const seen: string[] = [];
  while (scene.awaited !== null) {
    const effect = scene.pending.at(-1);
    if (effect) seen.push(effect.id, ...('operation' in effect.command ? [effect.command.operation] : []));
    scene.answer();
  }
  expect(new Set(seen).size).toBe(seen.length);
});

test('a step leaves the state that it came from as it was', () => {
  const scene = idleScene();
  const before = JSON.stringify(scene.state);
  const { state } = scene;
  scene.dispatch();
  scene.run();
  expect(JSON.stringify(state)).toBe(before);
});

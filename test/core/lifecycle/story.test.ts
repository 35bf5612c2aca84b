import { expect, test } from 'vitest';
import { idleScene, Scene } from './driver.ts';
import { CLONE_FAILED, DESTROY_FAILED, FAILED, GONE, SAVE_FAILED } from './outcomes.ts';

/** The event log as one line per event: its name and the facts that tell the story. */
const story = (scene: Scene): string[] =>
  scene.notes.map(({ event, data }) => {
    const facts = [
      'number',
      'attempt',
      'hook',
      'outcome',
      'status',
      'started',
      'kept',
      'removed',
      'task_state',
    ];
    const told = [
      ...facts,
      'cloned_from',
      'ready',
      'discarded',
      'discard_failed',
      'restored_from',
      'lost',
      'retry',
    ];
    return [
      event,
      ...told.filter((name) => name in data).map((name) => `${name}=${String(data[name])}`),
    ].join(' ');
  });
const tell = (scene: Scene): string[] => story(scene.run());

test('the event log tells a whole life', () => {
  const scene = new Scene();
  scene.dispatch();
  scene.run();
  scene.setTask('Done');
  expect(tell(scene)).toEqual([
    'attempt number=1 outcome=null',
    'workspace cloned_from=remote',
    'hook attempt=1 hook=after_create outcome=ok',
    'workspace ready=true',
    'hook attempt=1 hook=before_run outcome=ok',
    'hook attempt=1 hook=agent outcome=ok',
    'hook attempt=1 hook=after_run outcome=ok',
    'save status=saved',
    'attempt number=1 outcome=succeeded',
    'workspace task_state=Done',
    'removal started=terminal',
    'save status=saved',
    'hook hook=before_remove outcome=ok',
    'removal removed=true',
  ]);
});

test('it tells of a creation that failed and was thrown away', () => {
  const scene = new Scene().script('clone', CLONE_FAILED).script('discard', DESTROY_FAILED);
  scene.dispatch();
  expect(tell(scene)).toEqual([
    'attempt number=1 outcome=null',
    'workspace discard_failed=the sandbox does not stop',
    'hook attempt=1 hook=after_run outcome=skipped',
    'attempt number=1 outcome=failed',
  ]);
  scene.script('hook after_create', FAILED);
  scene.fireTimer();
  expect(tell(scene)).toContain('workspace discarded=true');
});

test('it tells of files that were lost and brought back', () => {
  const scene = idleScene().script('open', GONE);
  scene.notes.length = 0;
  scene.send({ type: 'wake-requested' });
  expect(tell(scene)).toEqual([
    'workspace lost=the sandbox is gone',
    'workspace restored_from=remote',
    'hook attempt=1 hook=after_create outcome=ok',
    'workspace ready=true',
  ]);
});

test('it tells of a removal that is kept, and of a retry that was cancelled', () => {
  const scene = idleScene().script('agent', FAILED).script('save', SAVE_FAILED, SAVE_FAILED);
  scene.dispatch();
  scene.run();
  scene.notes.length = 0;
  scene.cancel();
  scene.setTask('Done');
  expect(tell(scene)).toEqual([
    'attempt number=2 retry=cancelled',
    'workspace task_state=Done',
    'removal started=terminal',
    'save status=failed',
    'removal kept=the branch could not be saved: network: no route to host',
  ]);
});

import { describe, expect, test } from 'vitest';
import { idleScene, type Scene } from './driver.ts';
import { DAMAGED, DESTROY_FAILED, GONE, SAVE_FAILED, saved, TASK_OPEN, UNREACHABLE } from './outcomes.ts';

const REMOVAL = ['look', 'save', 'hook before_remove', 'destroy'];

const kept = (failures = 1): Scene => {
  const scene = idleScene().script('save', ...Array.from({ length: failures }, () => SAVE_FAILED));
  scene.setTask('Done');
  scene.run().take();
  return scene;
};

const failed = (): Scene => {
  const scene = idleScene().script('destroy', DESTROY_FAILED);
  scene.setTask('Done');
  scene.run().take();
  return scene;
};

describe('a removal whose save does not make the branch safe', () => {
  test.each([
    ['the remote is out of reach', SAVE_FAILED, /could not be saved: network/],
    ['there is a stash', saved('unsaved', { stashes: 2 }), /2 stash/],
    ['there are unsaved commits', saved('unsaved'), /could not be saved: unsaved/],
    ['there is no repository', saved('no_repository', { unsavedCount: 1 }), /no repository.*discard=true/],
    ['the sandbox does not answer', UNREACHABLE, /unreachable/],
    ['the workspace is damaged', DAMAGED, /damaged: \.git is gone/],
  ])('keeps it with the reason when %s', (_, outcome, reason) => {
    const scene = idleScene().script('save', outcome);
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(['look', 'save']);
    expect(scene.state).toMatchObject({ stage: { name: 'idle' }, files: 'present', kept: { tries: 1 } });
    expect(scene.state.kept?.reason).toMatch(reason);
    expect(scene.state.damaged !== null).toBe(outcome === DAMAGED);
  });

  test.each([
    ['saved', saved()],
    ['nothing_to_save', saved('nothing_to_save')],
    ['diverged', saved('diverged', { rescueRefs: [{ ref: 'symphony-rescue/ABC-1/1', sha: 'b' }] })],
    ['head_elsewhere', saved('head_elsewhere')],
    ['no_repository without commits', saved('no_repository', { head: null })],
  ])('goes on with %s', (_, outcome) => {
    const scene = idleScene().script('save', outcome);
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(REMOVAL);
    expect(scene.state.stage.name).toBe('removed');
  });

  test.each([
    ['diverged', true],
    ['head_elsewhere', true],
    ['saved', false],
  ] as const)('with %s warns that the work is on rescue refs only: %s', (status, warns) => {
    const rescueRefs = [{ ref: 'symphony-rescue/ABC-1/1', sha: 'b' }];
    const scene = idleScene().script('save', saved(status, { rescueRefs }));
    scene.setTask('Done');
    scene.run();
    const warning = { event: 'removal', data: expect.objectContaining({ rescue_refs: rescueRefs }) };
    expect(scene.notes.filter(({ data }) => 'warning' in data)).toEqual(warns ? [warning] : []);
  });
});

describe('a kept workspace', () => {
  test('is tried again with doubling waits until its branch is saved', () => {
    const scene = kept(3);
    const waits: number[] = [];
    while (scene.state.kept) {
      waits.push(scene.state.kept.nextTryAtMs - scene.nowMs);
      scene.fireTimer();
      scene.run();
    }
    expect(waits).toEqual([30_000, 60_000, 120_000]);
    expect(scene.take()).toEqual(['look', 'save', 'look', 'save', ...REMOVAL]);
    expect(scene.state.stage.name).toBe('removed');
  });

  test('is left alone by sweeps before its time, unless a person asks', () => {
    const scene = kept();
    const before = scene.state;
    scene.sweep();
    expect(scene.state).toBe(before);
    scene.sweep({ force: true });
    expect(scene.run().take()).toEqual(REMOVAL);
  });

  test('is removed by a sweep after its time', () => {
    const scene = kept();
    // The sweep comes a millisecond later: on the dot.
    scene.nowMs = (scene.state.kept?.nextTryAtMs ?? 0) - 1;
    scene.sweep();
    expect(scene.run().take()).toEqual(REMOVAL);
  });

  test('keeps since when and how often it was tried', () => {
    const scene = kept(2);
    const since = scene.state.kept?.sinceMs;
    scene.fireTimer();
    scene.run();
    expect(scene.state.kept).toMatchObject({ sinceMs: since, tries: 2 });
  });

  test('stays when its task is re-opened, and is saved by the timer', () => {
    const scene = kept();
    expect(scene.setTask('In Progress')).toBeNull();
    expect(scene.state).toMatchObject({ kept: null, removalWish: null, files: 'present' });
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['open', 'save']);
    expect(scene.state.stage.name).toBe('idle');
  });

  test('stays when a sweep finds its task open again', () => {
    const scene = kept();
    scene.sweep({ terminal: false });
    expect(scene.state).toMatchObject({ kept: null, removalWish: null, task: { terminal: false } });
  });

  test('stays when it is dispatched again with an open state, but not without one', () => {
    const scene = kept();
    const task = { identifier: 'ABC-1', id: null, title: null, state: null };
    expect(scene.dispatch({ task })).toBe('task_terminal');
    expect(scene.dispatch()).toBeNull();
    expect(scene.state).toMatchObject({ kept: null, removalWish: null, task: { terminal: false } });
    expect(scene.run().take()[0]).toBe('open');
  });

  test('stays when its next try finds that its state is not terminal any more', () => {
    const scene = kept().script('look', TASK_OPEN);
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['look']);
    expect(scene.state).toMatchObject({ stage: { name: 'idle' }, files: 'present', kept: null });
    expect(scene.state).toMatchObject({ removalWish: null, task: { terminal: false } });
    expect(scene.dispatch()).toBeNull();
  });

  test('goes all the same when a person asked for that while its state was looked up', () => {
    const scene = kept().script('look', TASK_OPEN);
    scene.fireTimer();
    scene.delete();
    expect(scene.run().take()).toEqual(['look', ...REMOVAL]);
    expect(scene.state.stage.name).toBe('removed');
  });

  test('goes as soon as an asked save got through', () => {
    const scene = kept();
    scene.send({ type: 'save-requested' });
    expect(scene.run().take()).toEqual(['open', 'save', ...REMOVAL]);
  });

  test('can be woken to look into, without being taken away meanwhile', () => {
    const scene = kept();
    scene.send({ type: 'wake-requested' });
    expect(scene.run().take()).toEqual(['open']);
    expect(scene.state.kept).not.toBeNull();
  });

  test('that is asked for again during a wake goes at its end', () => {
    const scene = kept();
    scene.send({ type: 'wake-requested' });
    scene.setTask('Done');
    expect(scene.run().take()).toEqual(['open', ...REMOVAL]);
  });
});

describe('a destroy that fails', () => {
  test('keeps the workspace; the next try goes on right there, without save and before_remove', () => {
    const scene = failed();
    expect(scene.state.kept?.reason).toContain('could not be removed: the sandbox does not stop');
    scene.fireTimer();
    expect(scene.run().take()).toEqual(['destroy']);
    expect(scene.state.stage.name).toBe('removed');
  });

  test('leaves a re-opened task to start again from its branch, in a new incarnation', () => {
    const scene = failed();
    const old = scene.state.creationId;
    scene.setTask('In Progress');
    scene.dispatch();
    expect(scene.pending.at(-1)?.command).toMatchObject({ claim: true, replaces: [old] });
    expect(scene.run().take().slice(0, 3)).toEqual(['claim', 'clone', 'hook after_create']);
  });

  test('counts as such, too, when the sandbox does not answer it; gone is destroyed', () => {
    const scene = idleScene().script('destroy', UNREACHABLE, GONE);
    scene.setTask('Done');
    scene.run();
    expect(scene.state.kept?.reason).toContain('could not be removed');
    scene.fireTimer();
    scene.run();
    expect(scene.state.stage.name).toBe('removed');
  });
});

import { describe, expect, test } from 'vitest';
import { AttemptView, WorkspaceView } from '../../../src/core/api.ts';
import { buildAttemptView, buildWorkspaceView } from '../../../src/core/lifecycle/view.ts';
import type { State } from '../../../src/core/lifecycle/state.ts';
import { buildWorkspaceWarnings } from '../../../src/core/warnings.ts';
import { ALL_HOOKS, idleScene, Scene } from './driver.ts';
import {
  CLONE_FAILED,
  DAMAGED,
  DESTROY_FAILED,
  FAILED,
  GONE,
  looked,
  SAVE_FAILED,
  saved,
  SAVED_BUT_DIRTY,
  snapshotSkipped,
  UNREACHABLE,
} from './outcomes.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Every view is one that the wire's schema accepts. */
const view = (state: State): WorkspaceView => WorkspaceView.parse(buildWorkspaceView(state, []));
const summary = ({ state }: Scene): [string, string | null, boolean] => {
  const { status, phase, in_use } = view(state);
  return [status, phase, in_use];
};

const first = (at: string): Scene => {
  const scene = new Scene({ plan: { snapshots: true } });
  scene.dispatch();
  return scene.runTo(at);
};
const later = (at: string): Scene => {
  const scene = idleScene({ plan: { snapshots: true } })
    .script('hook before_run', FAILED)
    .script('save', SAVED_BUT_DIRTY);
  scene.dispatch();
  return scene.runTo(at);
};
const restoring = (at: string): Scene => {
  const scene = idleScene().script('open', GONE).script('hook after_create', FAILED);
  scene.dispatch();
  return scene.runTo(at);
};
const working = (type: 'save-requested' | 'wake-requested', at: string): Scene => {
  const scene = idleScene().script('open', ...(at === 'open' || at === 'save' ? [] : [GONE]));
  scene.send({ type });
  return scene.runTo(at);
};
const removing = (at: string): Scene => {
  const scene = idleScene().script(
    'look',
    ...(at === 'claim' || at === 'clone' ? [looked('gone', ALL_HOOKS)] : []),
  );
  scene.setTask('Done');
  return scene.runTo(at);
};
const ended = (scene: Scene): Scene => {
  if (scene.current === null) scene.dispatch();
  return scene.run();
};

describe("a workspace's status, phase and use", () => {
  test.each<[string, Scene, [string, string | null, boolean]]>([
    ['a first claim', first('claim'), ['creating', 'cloning', true]],
    ['a first clone', first('clone'), ['creating', 'cloning', true]],
    ['a first after_create', first('hook after_create'), ['creating', 'after_create', true]],
    ['a first before_run', first('hook before_run'), ['running', 'before_run', true]],
    ['a later attempt being opened', later('open'), ['running', 'before_run', true]],
    ['before_run', later('hook before_run'), ['running', 'before_run', true]],
    ['leftovers being killed', later('kill-leftovers'), ['running', 'after_run', true]],
    ['after_run', later('hook after_run'), ['running', 'after_run', true]],
    ["the attempt's save", later('save'), ['running', 'saving', true]],
    ["the attempt's snapshot", later('snapshot'), ['running', 'saving', true]],
    ['the agent', first('agent'), ['running', 'agent', true]],
    ['a lost workspace being claimed', restoring('claim'), ['running', 'restoring', true]],
    ['a lost workspace being cloned', restoring('clone'), ['running', 'restoring', true]],
    ['after_create of a lost one', restoring('hook after_create'), ['running', 'after_create', true]],
    ['a failed restore being discarded', restoring('discard'), ['running', 'restoring', true]],
    ['an asked save being opened', working('save-requested', 'open'), ['ready', 'saving', false]],
    ['an asked save', working('save-requested', 'save'), ['ready', 'saving', false]],
    ['an asked save that restores', working('save-requested', 'clone'), ['ready', 'restoring', false]],
    ['a wake', working('wake-requested', 'open'), ['ready', null, false]],
    ['a wake that restores', working('wake-requested', 'claim'), ['ready', 'restoring', false]],
    ['a removal that looks', removing('look'), ['removing', 'saving', false]],
    ['a removal that claims', removing('claim'), ['removing', 'saving', false]],
    ['a removal that rebuilds', removing('clone'), ['removing', 'restoring', false]],
    ['a removal that saves', removing('save'), ['removing', 'saving', false]],
    ['before_remove', removing('hook before_remove'), ['removing', 'before_remove', false]],
    ['a removal that destroys', removing('destroy'), ['removing', 'destroying', false]],
  ])('during %s', (_, scene, expected) => {
    expect(summary(scene)).toEqual(expected);
  });

  test('while the caller works', () => {
    const scene = new Scene({ plan: { agent: 'external' } });
    scene.dispatch();
    while (scene.awaited !== null) scene.answer();
    expect(summary(scene)).toEqual(['running', 'agent_wait', true]);
  });

  test('at rest, removed and kept', () => {
    expect(summary(idleScene())).toEqual(['ready', null, false]);
    const removed = idleScene();
    removed.setTask('Done');
    expect(summary(removed.run())).toEqual(['removed', null, false]);
    const kept = idleScene().script('save', SAVE_FAILED);
    kept.setTask('Done');
    expect(summary(kept.run())).toEqual(['kept', null, false]);
    kept.send({ type: 'save-requested' });
    expect(summary(kept)).toEqual(['kept', 'saving', false]);
  });

  test('after a failed creation: creating while a retry is due, else failed', () => {
    const scene = ended(new Scene({ plan: { maxAttempts: 2 } }).script('clone', CLONE_FAILED, CLONE_FAILED));
    // No plan was in force yet when it failed, so it is tried again in any case.
    expect(summary(scene)).toEqual(['creating', null, false]);
    scene.cancel();
    expect(summary(scene)).toEqual(['failed', null, false]);
  });

  test('with files, whatever became of the last attempt, is ready', () => {
    const scene = ended(new Scene().script('agent', FAILED));
    expect(summary(scene)).toEqual(['ready', null, false]);
    scene.cancel();
    expect(summary(scene)).toEqual(['ready', null, false]);
  });

  test('whose files were lost is ready until a restore fails', () => {
    const scene = idleScene().script('agent', GONE);
    scene.dispatch();
    scene.run();
    expect(summary(scene)).toEqual(['ready', null, false]);
    scene.cancel();
    scene.script('claim', UNREACHABLE);
    scene.send({ type: 'wake-requested' });
    scene.run();
    expect(summary(scene)).toEqual(['failed', null, false]);
    expect(view(scene.state).error).toEqual({ code: 'sandbox_lost', detail: 'the sandbox is unreachable' });
  });

  test('that is damaged says so until it is found whole', () => {
    const scene = idleScene().script('agent', DAMAGED);
    scene.dispatch();
    scene.run();
    expect(summary(scene)).toEqual(['damaged', null, false]);
    scene.dispatch();
    scene.runTo('agent');
    expect(summary(scene)).toEqual(['running', 'agent', true]);
  });
});

describe("a workspace's facts", () => {
  test('of a first dispatch are all there, and empty', () => {
    const scene = first('claim');
    expect(view(scene.state)).toEqual({
      project: 'demo',
      key: 'ABC-1',
      path: null,
      branch: 'symphony/ABC-1',
      location: 'host',
      task: { id: 'ABC-1', identifier: 'ABC-1', title: 'A task', state: 'In Progress' },
      status: 'creating',
      phase: 'cloning',
      in_use: true,
      warnings: [],
      saved: {
        status: 'unknown',
        sha: null,
        at: null,
        reason: null,
        since: null,
        tries: 0,
        next_try_at: null,
        rescue_refs: [],
        remote_sha: null,
      },
      head: null,
      base: null,
      unsaved_commits: [],
      uncommitted: { modified: 0, untracked: 0, files: [], checked_at: null },
      snapshot: null,
      last_loss: null,
      attempt_count: 1,
      last_attempt: { number: 1, outcome: null },
      last_run: null,
      next_retry_at: null,
      kept: null,
      error: null,
      created_at: '2026-01-01T00:00:00.001Z',
      updated_at: '2026-01-01T00:00:00.001Z',
      removed_at: null,
    });
  });

  test('show what a save found, with its instants in RFC 3339', () => {
    const scene = idleScene().script('save', SAVE_FAILED).script('agent', FAILED);
    scene.dispatch();
    scene.run();
    const shown = view(scene.state);
    expect(shown).toMatchObject({
      path: '/workspaces/ABC-1',
      saved: { status: 'failed', reason: 'network: no route to host', tries: 1 },
      unsaved_commits: [{ subject: 'Work' }],
      last_attempt: { number: 2, outcome: 'failed' },
    });
    for (const at of [
      shown.saved.at,
      shown.saved.since,
      shown.saved.next_try_at,
      shown.uncommitted.checked_at,
      shown.next_retry_at,
    ])
      expect(at).toMatch(RFC_3339);
  });

  test('promise no other try of a save whose files are gone', () => {
    const scene = idleScene().script('save', UNREACHABLE);
    scene.dispatch();
    scene.run();
    expect(view(scene.state).saved).toMatchObject({
      status: 'failed',
      next_try_at: expect.stringMatching(RFC_3339),
    });
    scene.script('open', GONE).script('clone', CLONE_FAILED);
    scene.send({ type: 'wake-requested' });
    scene.run();
    expect(view(scene.state).saved).toMatchObject({ status: 'failed', next_try_at: null });
  });

  test('show at most 10 unsaved commits and 100 files', () => {
    const commits = Array.from({ length: 30 }, (_, index) => ({ sha: 'a', subject: `Commit ${index}` }));
    const files = Array.from({ length: 300 }, (_, index) => `file-${index}`);
    const report = saved('unsaved', {
      unsavedCount: 30,
      unsavedCommits: commits,
      uncommitted: { modified: 0, untracked: 300, files },
    });
    const scene = idleScene().script('save', report);
    scene.dispatch();
    scene.run();
    const { unsaved_commits, uncommitted } = view(scene.state);
    expect(unsaved_commits).toEqual(commits.slice(0, 10));
    expect(uncommitted).toMatchObject({ untracked: 300, files: files.slice(0, 100) });
  });

  test('show why it is kept and when it is tried again', () => {
    const scene = idleScene().script('destroy', DESTROY_FAILED);
    scene.setTask('Done');
    scene.run();
    const { kept, removed_at } = view(scene.state);
    expect(kept).toMatchObject({
      reason: 'the files could not be removed: the sandbox does not stop',
      tries: 1,
    });
    expect(kept?.since).toMatch(RFC_3339);
    expect(kept?.next_try_at).toMatch(RFC_3339);
    expect(removed_at).toBeNull();
    scene.fireTimer();
    scene.run();
    expect(view(scene.state)).toMatchObject({ kept: null, removed_at: expect.stringMatching(RFC_3339) });
  });

  test('show the snapshot or why there is none, and what a restore lost', () => {
    const scene = idleScene({ plan: { snapshots: true } }).script('save', SAVE_FAILED);
    scene
      .script('snapshot', snapshotSkipped(0))
      .script(
        'open',
        { type: 'opened', plan: scene.plan, files: 'whole', directory: '/d', workflowDir: null },
        GONE,
      );
    scene.dispatch();
    scene.run();
    expect(view(scene.state).snapshot).toEqual({
      state: 'skipped',
      at: '1970-01-01T00:00:00.000Z',
      reason: 'the bundle is too large',
    });
    scene.send({ type: 'wake-requested' });
    scene.run();
    expect(view(scene.state).last_loss).toContain('the sandbox was replaced');
  });

  test('say that there are no snapshots, as soon as an attempt knows of it', () => {
    const scene = new Scene({ plan: { snapshots: false } }).script('save', SAVE_FAILED);
    scene.dispatch();
    expect(view(scene.state).snapshot).toBeNull();
    scene.runTo('agent');
    const unavailable = { state: 'unavailable', at: null, reason: expect.stringContaining('SNAPSHOTS') };
    expect(view(scene.state).snapshot).toEqual(unavailable);
    expect(buildWorkspaceWarnings(scene.state).map(({ code }) => code)).toContain('snapshots_unavailable');
    scene.run();
    expect(view(scene.state).snapshot).toEqual(unavailable);
  });

  test('say nothing of snapshots where they are kept and none was needed', () => {
    const { state } = idleScene({ plan: { snapshots: true } });
    expect(view(state).snapshot).toBeNull();
    expect(buildWorkspaceWarnings(state).map(({ code }) => code)).toEqual(['plain_host']);
  });

  test.each([
    ['after_create', ended(new Scene().script('hook after_create', FAILED)), 'failed'],
    ['before_run', later('kill-leftovers'), 'failed'],
    ['agent', ended(new Scene().script('agent', GONE)), 'lost'],
    ['agent', first('hook after_run'), 'ok'],
    ['after_run', ended(new Scene()), 'ok'],
  ])('name %s as what ran last, whatever was skipped after it', (hook, scene, outcome) => {
    expect(view(scene.state).last_run).toEqual({ hook, outcome });
  });

  test('carry the warnings that they are given', () => {
    const warnings = [{ code: 'plain_host', message: 'no sandbox' }];
    expect(buildWorkspaceView(idleScene().state, warnings).warnings).toEqual(warnings);
  });
});

const show = ({ state, attempt }: Scene) => AttemptView.parse(buildAttemptView(attempt, state.stage));

describe("an attempt's view", () => {
  test('of a running attempt has its phase and no end', () => {
    expect(show(later('hook after_run'))).toMatchObject({
      number: 2,
      try: 1,
      outcome: null,
      phase: 'after_run',
      ended_at: null,
      failure: { code: 'before_run_failed' },
    });
  });

  test('of an ended one has its hooks, agent and save', () => {
    const scene = ended(new Scene().script('agent', FAILED));
    expect(show(scene)).toEqual({
      number: 1,
      try: 1,
      outcome: 'failed',
      phase: null,
      started_at: '2026-01-01T00:00:00.001Z',
      ended_at: expect.stringMatching(RFC_3339),
      failure: { code: 'agent_failed', detail: 'the agent exited with 3' },
      hooks: (['after_create', 'before_run', 'after_run'] as const).map((hook) => ({
        hook,
        outcome: 'ok',
        exit_code: 0,
        duration_ms: 5,
        detail: null,
      })),
      agent: { outcome: 'failed', exit_code: 3, duration_ms: 5, detail: null },
      save: { status: 'saved', sha: 'a'.repeat(40) },
    });
  });

  test('of an ended one has no phase while a save runs, nor without its stage', () => {
    const scene = working('save-requested', 'save');
    expect(show(scene).phase).toBeNull();
    const running = later('hook after_run');
    expect(buildAttemptView(running.attempt, null).phase).toBeNull();
  });
});

/** Values that a person replaces while an attempt runs: what was handed out before is masked to the attempt's end, and kept no longer. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { projectOf } from '../../durable-objects/stubs.ts';
import { Task, unwrap, workerEnv } from '../workers/task.ts';

const [FIRST, SECOND] = ['first-value-0b1c2d', 'second-value-3e4f5a'];
const WORKFLOW = `hooks:
  after_run: cat "$PWD/.git/kept" ; echo "$MY_TOKEN"
agent:
  max_attempts: 1
  command: |
    echo "$MY_TOKEN" > .git/kept
    echo "$MY_TOKEN"
    until [ -e go ]; do sleep 0.05; done
    echo "last $MY_TOKEN"`;

const setValue = async (task: Task, value: string) =>
  unwrap(await projectOf(workerEnv, task.project).patchEnvironment({ MY_TOKEN: value }));

/** What is kept of handed-out secrets: sealed, so only their number says something. */
const handed = (task: Task) =>
  runInDurableObject(task.stub, (_object, state) =>
    state.storage.sql.exec<{ sealed: string }>('SELECT sealed FROM handed_secret').toArray(),
  );

/** All events that a reader gets who comes now, until `text`. */
async function readUntil(stream: ReadableStream<Uint8Array>, text: string): Promise<string> {
  const decoder = new TextDecoder();
  let read = '';
  for await (const chunk of stream) {
    read += decoder.decode(chunk, { stream: true });
    if (read.includes(text)) return read;
  }
  throw new Error(`the events ended without ${text}: ${read}`);
}

test('a value replaced while the agent runs is masked in everything of that attempt, then forgotten', async () => {
  const task = await Task.create('replaced', WORKFLOW);
  await setValue(task, FIRST);
  await task.dispatch();
  await task.until(({ phase }) => phase === 'agent');
  // The agent has it when it has printed it.
  await readUntil(unwrap(await task.object.openEvents(null)), '***');

  await setValue(task, SECOND);
  const kept = await handed(task);
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain(FIRST);

  const late = unwrap(await task.object.openEvents(0));
  const events = readUntil(late, 'after_run');
  const bytes = new Uint8Array();
  unwrap(await task.object.writeFile({ path: 'go', bytes, ifMatch: null }));
  await task.settled();
  expect(await task.output(1, 'agent')).toEqual(['***', 'last ***']);
  expect(await task.output(1, 'after_run')).toEqual(['***', '***']);
  const shown =
    (await events) + JSON.stringify([await task.view(), await task.attempt(1), await task.events()]);
  for (const value of [FIRST, SECOND]) expect(shown).not.toContain(value);
  expect(await handed(task)).toEqual([]);
});

test('values that no key opens any more fail the step that needs them, and hold no removal up', async () => {
  const task = await Task.create(
    'key-lost',
    'hooks:\n  before_run: "true"\n  before_remove: "true"\nagent:\n  max_attempts: 1\n  command: "true"',
  );
  await task.run();
  await setValue(task, FIRST);
  await task.setVars({ ENCRYPTION_KEY: 'another-key-of-at-least-32-characters' });
  await task.run();
  expect(await task.attempt(2)).toMatchObject({
    outcome: 'failed',
    failure: {
      code: 'before_run_failed',
      detail: expect.stringContaining('ENCRYPTION_KEY'),
    },
  });
  await task.end();
  await task.status('removed');
});

test('a command whose environment no key opens is refused as encryption_not_configured', async () => {
  const task = await Task.create('key-lost-exec', 'agent:\n  max_attempts: 1');
  await task.dispatch('external');
  await task.until(({ phase }) => phase === 'agent_wait');
  await setValue(task, FIRST);
  await task.setVars({ ENCRYPTION_KEY: 'another-key-of-at-least-32-characters' });
  expect(await task.object.exec('true', 1000)).toMatchObject({
    ok: false,
    error: { code: 'encryption_not_configured' },
  });
});

test('a credential without an address to reach it through fails the clone and says what to set', async () => {
  const task = await Task.create('no-public-url', 'agent:\n  max_attempts: 1\n  command: "true"');
  unwrap(await projectOf(workerEnv, task.project).putCredential({ kind: 'token', token: FIRST }));
  await task.setVars({ PUBLIC_URL: undefined });
  await task.run();
  expect(await task.attempt(1)).toMatchObject({
    outcome: 'failed',
    failure: { code: 'clone_failed', detail: expect.stringContaining('set the variable PUBLIC_URL') },
  });
});

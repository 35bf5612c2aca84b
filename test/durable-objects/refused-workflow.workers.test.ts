/** A WORKFLOW.md of the largest size, refused or in force. */
import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { projectOf } from '../../durable-objects/stubs.ts';
import { Task, workerEnv } from '../workers/task.ts';

const LENGTH = 1_040_000;

test('a refused text of 1 MiB is shown as it came, until a good one is there', async () => {
  const task = await Task.create('refused-large', 'agent:\n  command: "true"');
  // As JSON it is six times as long.
  const text = `---\nhooks: [1]\n---\n${'\u0001'.repeat(LENGTH)}`;
  const refused = await projectOf(workerEnv, task.project).putWorkflow(text);
  expect(refused).toMatchObject({ ok: false, error: { code: 'workflow_invalid' } });
  const shown = (await task.projectView()).workflow_error;
  expect(shown?.code).toBe('workflow_invalid');
  expect(shown?.text === text).toBe(true);
  // Cloudflare takes 2 MB in one value; workerd alone takes more.
  const longest = await runInDurableObject(workerEnv.PROJECT.getByName(task.project), (_, { storage }) =>
    storage.sql.exec<{ length: number }>('SELECT MAX(LENGTH(value)) AS length FROM meta').one(),
  );
  expect(longest.length).toBe(text.length);
  await task.putWorkflow('agent:\n  command: "true"');
  expect((await task.projectView()).workflow_error).toBeNull();
});

test('a workspace keeps the settings of a large WORKFLOW.md without its prompt', async () => {
  const task = await Task.create('prompt-large', 'agent:\n  command: "true"', {
    workflow: `---\nagent:\n  command: "true"\n---\n${'x'.repeat(LENGTH)}`,
  });
  expect(await task.run()).toMatchObject({ last_attempt: { outcome: 'succeeded' } });
  const kept = await runInDurableObject(task.stub, (_, { storage }) =>
    storage.sql.exec<{ value: string }>("SELECT value FROM meta WHERE name = 'workflow'").one(),
  );
  expect(kept.value.length).toBeLessThan(10_000);
});

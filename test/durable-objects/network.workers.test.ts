/** `network` of location cloudflare: which hosts a sandbox may reach while what runs in it, over the SDK double. */
import { expect, test } from 'vitest';
import { projectOf } from '../../durable-objects/stubs.ts';
import { Task, unwrap, workerEnv } from '../workers/task.ts';

const workflow = (network: string) =>
  `network: ${network}\nhooks:\n  before_run: "true"\nagent:\n  max_attempts: 1\n  command: echo x >> work.txt; git add work.txt; git commit -qm work`;
const putNetwork = async (task: Task, network: string) =>
  unwrap(await projectOf(workerEnv, task.project).putWorkflow(`---\n${workflow(network)}\n---\n`));
/** In order, without what is repeated, and what was started under which hosts. */
const limits = async (task: Task) =>
  (await task.calls())
    .filter((call) => call.startsWith('HOSTS') || call === 'POST /operations')
    .filter((call, index, all) => call !== all[index - 1]);

test('a list is in force for hooks and the agent; the repository is reached by clone and save alone', async () => {
  const task = await Task.create('net-list', workflow('[api.example.com]'));
  expect((await task.run()).saved.status).toBe('saved');
  const [own, git] = ['HOSTS api.example.com', 'HOSTS api.example.com,127.0.0.1'];
  const starts = 'POST /operations';
  expect((await limits(task)).slice(0, 6)).toEqual([git, starts, own, starts, own, starts]);
  expect((await limits(task)).filter((call) => call.startsWith('HOSTS')).at(-1)).toBe(own);
  expect(await limits(task)).toContain(git);
});

test('`none` leaves a name that cannot exist, and the repository to clone and save', async () => {
  const task = await Task.create('net-none', workflow('none'));
  await task.run();
  const hosts = new Set((await task.calls()).filter((call) => call.startsWith('HOSTS')));
  expect(hosts).toEqual(new Set(['HOSTS 127.0.0.1', 'HOSTS network-none.invalid']));
});

test('`all` from the start sets nothing', async () => {
  const task = await Task.create('net-all', workflow('all'));
  await task.run();
  expect((await task.calls()).filter((call) => call.startsWith('HOSTS'))).toEqual([]);
});

test('a limit that comes later fails the attempt for good as workflow_invalid and says what to do; a new workspace has it', async () => {
  const task = await Task.create('net-later', workflow('all'));
  await task.run();
  await putNetwork(task, 'none');
  await task.dispatch();
  const failed = await task.until(({ attempts }) =>
    attempts.some(({ number, outcome }) => number === 2 && outcome !== null),
  );
  // Tries are left where no plan was read: it is the failure that is not worth one.
  expect(failed.next_retry_at).toBeNull();
  expect(await task.attempt(2)).toMatchObject({
    outcome: 'failed',
    failure: {
      code: 'workflow_invalid',
      detail: expect.stringMatching(/remove the workspace.*or set `network: all`.*dispatch the task again/),
    },
    agent: null,
  });
  await task.end();
  await task.status('removed');
  await task.run();
  expect(await task.attempt(1)).toMatchObject({ outcome: 'succeeded' });
  expect(await task.calls()).toContain('HOSTS network-none.invalid');
});

test('a limit that is lifted later lets everything through', async () => {
  const task = await Task.create('net-lifted', workflow('none'));
  await task.run();
  await putNetwork(task, 'all');
  await task.run();
  expect((await task.calls()).filter((call) => call.startsWith('HOSTS')).at(-1)).toBe('HOSTS *');
});

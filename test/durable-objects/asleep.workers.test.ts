/** Location cloudflare over the SDK double: a person's files and terminal in a sandbox that sleeps, or sits there awake. */
import { expect, test, vi } from 'vitest';
import { terminalOf } from '../../durable-objects/stubs.ts';
import { Task, unwrap, workerEnv } from '../workers/task.ts';

const WORKFLOW = 'agent:\n  command: "echo of the agent > work.txt; git add work.txt; git commit -qm work"';

async function openTerminal({ project, key }: Task): Promise<{ socket: WebSocket; shown: () => string }> {
  const answer = unwrap(await terminalOf(workerEnv, project, key, { cols: 80, rows: 24, actor: 'somebody' }));
  const socket = answer.webSocket as WebSocket;
  socket.binaryType = 'arraybuffer';
  let shown = '';
  socket.addEventListener('message', ({ data }) => {
    if (typeof data !== 'string') shown += new TextDecoder().decode(data as ArrayBuffer);
  });
  socket.accept();
  return { socket, shown: () => shown };
}

const type = (socket: WebSocket, line: string): void => socket.send(new TextEncoder().encode(`${line}\n`));

test('a file of a sandbox that sleeps is read: the sandbox wakes and its files come back first', async () => {
  const task = await Task.create('asleep-file', WORKFLOW);
  await task.run();
  await task.putToSleep();
  const file = unwrap(await task.object.readFile('work.txt'));
  if (file.kind !== 'file') throw new Error('it is a folder');
  expect(await new Response(file.body).text()).toBe('of the agent\n');
  expect(await task.isAwake()).toBe(true);
});

test('a terminal of a sandbox that sleeps wakes it, and its shell finds the files that came back', async () => {
  const task = await Task.create('asleep-terminal', WORKFLOW);
  await task.run();
  await task.putToSleep();
  const { socket, shown } = await openTerminal(task);
  type(socket, 'cat work.txt');
  await vi.waitFor(() => expect(shown()).toContain('of the agent'), { timeout: 60_000 });
  socket.close();
});

test('the shell of a terminal goes with its connection', async () => {
  const task = await Task.create('terminal-ends', WORKFLOW);
  await task.run();
  const { socket, shown } = await openTerminal(task);
  type(socket, 'echo $((6 * 7))');
  await vi.waitFor(() => expect(shown()).toMatch(/42\r\n/), { timeout: 60_000 });
  expect((await task.calls()).at(-1)).toBe('POST session');
  socket.close(1000, 'enough');
  await vi.waitFor(async () => expect((await task.calls()).at(-1)).toBe('DELETE session'), {
    timeout: 60_000,
  });
});

test('a terminal that does not come about leaves no session', async () => {
  const task = await Task.create('terminal-cut', WORKFLOW);
  await task.run();
  await task.cutNextCall('pty');
  await expect(openTerminal(task)).rejects.toThrow('Network connection lost');
  expect((await task.calls()).slice(-2)).toEqual(['POST session', 'DELETE session']);
});

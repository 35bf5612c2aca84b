import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { OperationSpec } from '../../../src/sandbox/protocol.ts';
import {
  answered,
  buildScript,
  countProcesses,
  newId,
  newNap,
  run,
  start,
  waitForEnd,
  waitForText,
} from '../session.ts';
import type { Way } from '../way.ts';
import { withSession } from './with-session.ts';

export function describeRestarts(way: Way): void {
  describe('a supervisor that is killed and started again', () => {
    const session = withSession(way);

    const restart = async (between?: () => Promise<void>): Promise<boolean> => {
      const { reached } = session();
      await reached.restart?.(between);
      return reached.restart !== null;
    };

    test('goes on with a script: all of its output, and its true exit code', async ({ skip }) => {
      const id = await start(
        session(),
        'for i in $(seq 1 40); do echo "line $i"; echo "err $i" >&2; sleep 0.05; done; exit 7',
      );
      await waitForText(session(), id, 'line 5\n');
      if (!(await restart())) return skip('this way cannot restart it');
      const view = await waitForEnd(session(), id);
      expect(view).toMatchObject({ outcome: 'failed', exit_code: 7 });
      expect(view.stdout.text).toBe(numbered('line'));
      expect(view.stderr.text).toBe(numbered('err'));
    });

    test('finds what ended meanwhile: output, exit code and duration', async ({ skip }) => {
      const id = await start(session(), 'echo before; sleep 0.5; echo meanwhile; exit 9');
      await waitForText(session(), id, 'before');
      if (!(await restart(() => sleep(1500)))) return skip('this way cannot restart it');
      const view = await waitForEnd(session(), id);
      expect(view).toMatchObject({
        outcome: 'failed',
        exit_code: 9,
        stdout: { text: 'before\nmeanwhile\n' },
      });
      expect(view.duration_ms).toBeLessThan(1400);
    });

    test('tells a killed shell from an exit code also then', async ({ skip }) => {
      const id = await start(session(), 'echo up; sleep 0.5; kill -9 $$');
      await waitForText(session(), id, 'up');
      if (!(await restart(() => sleep(1000)))) return skip('this way cannot restart it');
      expect(await waitForEnd(session(), id)).toMatchObject({ outcome: 'killed', signal: 'SIGKILL' });
    });

    test('still remembers what had ended', async ({ skip }) => {
      const script = 'echo out; echo err >&2; exit 3';
      const view = await run(session(), script);
      if (!(await restart())) return skip('this way cannot restart it');
      const { client, target } = session();
      expect(answered(await client.poll(target, view.id))).toEqual(view);
      const again = await client.start(target, buildScript(script, { id: view.id, wait_ms: 0 }));
      expect(answered(again)).toEqual(view);
    });

    test('keeps the timeout, which counts from the start', async ({ skip }) => {
      const nap = newNap();
      const id = await start(session(), `echo up; trap '' TERM; setsid sleep ${nap} & sleep ${nap}`, {
        timeout_ms: 2000,
      });
      await waitForText(session(), id, 'up');
      if (!(await restart(() => sleep(500)))) return skip('this way cannot restart it');
      const view = await waitForEnd(session(), id);
      expect(view.outcome).toBe('timeout');
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('can cancel what it did not start', async ({ skip }) => {
      const nap = newNap();
      const id = await start(session(), `echo up; sleep ${nap} & setsid sleep ${nap} & sleep ${nap}`);
      await waitForText(session(), id, 'up');
      if (!(await restart())) return skip('this way cannot restart it');
      const { client, target } = session();
      expect(answered(await client.cancel(target, id))).toMatchObject({ outcome: 'cancelled' });
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('remembers what was cancelled before it started', async ({ skip }) => {
      const { client, target } = session();
      const spec = buildScript('touch ran');
      await client.cancel(target, spec.id);
      if (!(await restart())) return skip('this way cannot restart it');
      expect(answered(await client.start(target, spec))).toMatchObject({ outcome: 'cancelled' });
      expect((await run(session(), 'ls ran')).exit_code).toBe(2);
    });

    test('kills leftovers that an earlier one left, and lets them write until then', async ({ skip }) => {
      const nap = newNap();
      await run(
        session(),
        `(while :; do head -c 100000 /dev/zero; sleep 0.05; done) & (sleep 1; sleep 0.01; echo alive >alive; sleep ${nap}) &`,
      );
      if (!(await restart(() => sleep(500)))) return skip('this way cannot restart it');
      await sleep(1000);
      expect((await run(session(), 'cat alive')).stdout.text).toBe('alive\n');
      expect(answered(await session().client.killLeftovers(session().target)).killed).toBeGreaterThanOrEqual(
        2,
      );
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('says `lost` of a script whose watcher was killed, and kills what is left of it', async () => {
      const nap = newNap();
      const id = await start(session(), `echo up; sleep ${nap} & kill -9 $PPID; sleep ${nap}`);
      const view = await waitForEnd(session(), id);
      expect(view).toMatchObject({ outcome: 'lost', exit_code: null });
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('says `lost` of one whose processes all died meanwhile', async ({ skip }) => {
      const id = await start(session(), 'echo up; sleep 0.5; kill -9 $PPID $$');
      await waitForText(session(), id, 'up');
      if (!(await restart(() => sleep(1000)))) return skip('this way cannot restart it');
      expect(await waitForEnd(session(), id)).toMatchObject({ outcome: 'lost', exit_code: null });
    });

    test('says `lost` of a save that it worked on, and kills its git', async ({ skip }) => {
      const { client, target } = session();
      await run(session(), 'git -c user.name=a -c user.email=b@c commit -qm First --allow-empty');
      const silent = await listenSilently();
      const url = `http://127.0.0.1:${silent.port}/never.git`;
      const spec: OperationSpec = {
        id: newId(),
        kind: 'save',
        wait_ms: 0,
        timeout_ms: 60_000,
        remote: { url, origin: url },
        branch: 'symphony/ABC-1',
        rescue: 'symphony-rescue/ABC-1/1',
        base: null,
        last_saved: null,
      };
      await client.start(target, spec);
      await silent.called;
      const canRestart = await restart();
      await client.cancel(target, spec.id);
      const view = await waitForEnd(session(), spec.id);
      silent.close();
      if (!canRestart) return skip('this way cannot restart it');
      expect(view).toMatchObject({ outcome: 'lost', save: null });
      expect(await countProcesses(session(), 'never.git')).toBe(0);
    });
  });
}

const numbered = (name: string): string =>
  Array.from({ length: 40 }, (_, index) => `${name} ${index + 1}\n`).join('');

/** A server that takes a connection and says nothing. */
async function listenSilently(): Promise<{ port: number; called: Promise<void>; close: () => void }> {
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    resolve();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, called, close };
}

import { describe, expect, test } from 'vitest';
import { answered, countProcesses, newNap, run, start, waitForText } from '../session.ts';
import type { Way } from '../way.ts';
import { withSession } from './with-session.ts';

export function describeLeftovers(way: Way): void {
  describe('what a script leaves behind', () => {
    const session = withSession(way);

    test('a daemon that holds its output open holds nobody up, and lives on', async () => {
      const nap = newNap();
      const startedAt = Date.now();
      const view = await run(session(), `sleep ${nap} & echo up`);
      expect(Date.now() - startedAt).toBeLessThan(3000);
      expect(view).toMatchObject({ outcome: 'ok', stdout: { text: 'up\n' } });
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(1);
      expect(answered(await session().client.killLeftovers(session().target)).killed).toBeGreaterThanOrEqual(
        1,
      );
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('a daemon can go on writing: nothing fills up, nothing breaks', async () => {
      const view = await run(
        session(),
        `(sleep 0.3; head -c 3000000 /dev/zero && echo "still here" >daemon-log) & echo up`,
      );
      expect(view.stdout.text).toBe('up\n');
      const later = await run(
        session(),
        'for i in $(seq 50); do [ -e daemon-log ] && break; sleep 0.1; done; cat daemon-log',
      );
      expect(later.stdout.text).toBe('still here\n');
    });

    test('what the shell wrote last is there although a daemon writes on', async () => {
      const view = await run(session(), `yes noise & sleep 0.2; echo "the end" >&2`);
      expect(view.stderr.text).toBe('the end\n');
      await session().client.killLeftovers(session().target);
    });

    test('`kill` leaves nothing of this script, nor of earlier ones, when the operation ends', async () => {
      const nap = newNap();
      await run(
        session(),
        `sleep ${nap} & setsid sleep ${nap} & (setsid sh -c 'sleep ${nap} & sleep ${nap}' &)`,
      );
      expect(await countProcesses(session(), `sleep ${nap}`)).toBeGreaterThanOrEqual(4);
      const view = await run(session(), `trap '' TERM; sleep ${nap} & echo done`, { leftovers: 'kill' });
      expect(view).toMatchObject({ outcome: 'ok', stdout: { text: 'done\n' }, detail: null });
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('a command that runs as the agent is one: it ends as cancelled', async () => {
      const nap = newNap();
      const id = await start(session(), `echo up; sleep ${nap}`, { role: 'agent' });
      await waitForText(session(), id, 'up');
      const { client, target } = session();
      await client.killLeftovers(target);
      expect(answered(await client.poll(target, id))).toMatchObject({ state: 'ended', outcome: 'cancelled' });
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('operations still running are spared', async () => {
      const nap = newNap();
      const id = await start(session(), `echo up; sleep ${nap}; echo survived`);
      await waitForText(session(), id, 'up');
      await session().client.killLeftovers(session().target);
      await run(session(), 'true', { leftovers: 'kill' });
      const { client, target } = session();
      expect(answered(await client.poll(target, id)).state).toBe('running');
      expect(await countProcesses(session(), `sleep ${nap}`)).toBeGreaterThanOrEqual(1);
      await client.cancel(target, id);
    });

    test('a child that cleared its environment is found by its session, one in its own session by its marker', async () => {
      const nap = newNap();
      await run(session(), `env -i sleep ${nap} & setsid sleep ${nap} &`);
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(2);
      await session().client.killLeftovers(session().target);
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('a child that did both is found where the machine is the workspace’s own', async ({ skip }) => {
      if (!session().reached.ownsMachine) return skip('it escapes on a shared machine, as documented');
      const nap = newNap();
      await run(session(), `(env -i setsid sleep ${nap} &)`);
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(1);
      await session().client.killLeftovers(session().target);
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('a timeout finds such a child while its parent lives', async () => {
      const nap = newNap();
      const view = await run(session(), `env -i setsid sleep ${nap} & sleep ${nap}`, { timeout_ms: 500 });
      expect(view.outcome).toBe('timeout');
      if (session().reached.ownsMachine) await session().client.killLeftovers(session().target);
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('with nothing left, nothing is killed', async () => {
      expect(answered(await session().client.killLeftovers(session().target))).toEqual({ killed: 0 });
    });
  });
}

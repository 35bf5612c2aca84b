import { describe, expect, test } from 'vitest';
import {
  answered,
  buildScript,
  countProcesses,
  newId,
  newNap,
  refusal,
  run,
  start,
  waitForEnd,
  waitForText,
} from '../session.ts';
import type { Way } from '../way.ts';
import { withSession } from './with-session.ts';

export function describeEndings(way: Way): void {
  describe('timeout and cancel', () => {
    const session = withSession(way);

    test('a script in time is not disturbed; its timeout ends one that is not', async () => {
      expect(await run(session(), 'sleep 0.5; echo done', { timeout_ms: 10_000 })).toMatchObject({
        outcome: 'ok',
      });
      const late = await run(session(), 'echo started; sleep 60', { timeout_ms: 500 });
      expect(late).toMatchObject({
        outcome: 'timeout',
        detail: 'The script ran longer than 500 ms and was ended.',
      });
      expect(late.stdout.text).toBe('started\n');
      expect(late.duration_ms).toBeGreaterThanOrEqual(500);
      expect(late.duration_ms).toBeLessThan(2000);
    });

    test('after 1 s nothing is alive within 5 s: TERM ignored, setsid, forked twice, deaf children', async () => {
      const nap = newNap();
      const script = `
        trap '' TERM
        sleep ${nap} &
        (trap '' TERM; while :; do sleep ${nap}; done) &
        setsid sleep ${nap} &
        setsid sh -c 'trap "" TERM HUP; sleep ${nap} & (sleep ${nap} &) ; wait' &
        (setsid bash -c 'trap "" TERM; (setsid sleep ${nap} &); while :; do sleep ${nap}; done' &)
        while :; do sleep ${nap}; done`;
      const view = await run(session(), script, { timeout_ms: 1000 });
      expect(view.outcome).toBe('timeout');
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
      expect(view.duration_ms).toBeLessThan(6000);
    });

    test('`trap "exit 0" TERM` does not turn a timeout into a success', async () => {
      const view = await run(session(), 'trap "echo caught; exit 0" TERM; while :; do sleep 0.1; done', {
        timeout_ms: 500,
      });
      expect(view.outcome).toBe('timeout');
      expect(view.stdout.text).toBe('caught\n');
    });

    test('a script has two seconds to tidy up after TERM', async () => {
      const view = await run(session(), 'trap "sleep 1; echo tidy; exit" TERM; while :; do sleep 0.1; done', {
        timeout_ms: 300,
      });
      expect(view.outcome).toBe('timeout');
      expect(view.stdout.text).toBe('tidy\n');
    });

    test('a cancelled script is gone within 5 s, and stays cancelled', async () => {
      const nap = newNap();
      const { client, target } = session();
      const id = await start(
        session(),
        `trap '' TERM; echo up; sleep ${nap} & setsid sleep ${nap} & sleep ${nap}`,
      );
      await waitForText(session(), id, 'up');
      const startedAt = Date.now();
      const replies = await Promise.all([client.cancel(target, id), client.cancel(target, id)]);
      expect(Date.now() - startedAt).toBeLessThan(5000);
      for (const reply of replies) {
        expect(answered(reply)).toMatchObject({ state: 'ended', outcome: 'cancelled' });
      }
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
      expect(answered(await client.cancel(target, id))).toEqual(answered(await client.poll(target, id)));
    });

    test('cancelling what has ended changes nothing', async () => {
      const { client, target } = session();
      const view = await run(session(), 'exit 3');
      expect(answered(await client.cancel(target, view.id))).toEqual(view);
    });

    test('cancelling what never started is operation_not_found', async () => {
      const { client, target } = session();
      expect(refusal(await client.cancel(target, newId()))).toBe('operation_not_found');
      expect(refusal(await client.cancel(target, 'UPPER/../case'))).toBe('operation_not_found');
    });

    test('a cancel that overtakes its start: the script never runs, and the operation ends as cancelled', async () => {
      const { client, target } = session();
      const spec = buildScript('touch ran');
      expect(refusal(await client.cancel(target, spec.id))).toBe('operation_not_found');
      const view = answered(await client.start(target, spec));
      expect(view).toMatchObject({ state: 'ended', outcome: 'cancelled', exit_code: null });
      expect(answered(await client.start(target, spec))).toEqual(view);
      expect(answered(await client.cancel(target, spec.id))).toEqual(view);
      expect(answered(await client.poll(target, spec.id))).toEqual(view);
      expect((await run(session(), 'ls ran')).exit_code).toBe(2);
    });

    test('the same of a save', async () => {
      const { client, target } = session();
      const spec = {
        id: newId(),
        kind: 'save',
        wait_ms: 20_000,
        timeout_ms: 20_000,
        remote: null,
        branch: 'symphony/ABC-1',
        rescue: 'symphony-rescue/ABC-1/1',
        base: null,
        last_saved: null,
      } as const;
      await client.cancel(target, spec.id);
      expect(answered(await client.start(target, spec))).toMatchObject({ outcome: 'cancelled', save: null });
    });

    test('a cancel beside its start leaves nothing running, whichever arrives first', async () => {
      const nap = newNap();
      const { client, target } = session();
      const ids = Array.from({ length: 8 }, newId);
      const begin = (id: string) => client.start(target, buildScript(`sleep ${nap}`, { id }));
      const cancel = (id: string) => client.cancel(target, id);
      await Promise.all(
        ids.flatMap((id, index) => (index % 2 === 0 ? [begin(id), cancel(id)] : [cancel(id), begin(id)])),
      );
      const views = await Promise.all(ids.map((id) => client.poll(target, id)));
      for (const view of views) expect(answered(view)).toMatchObject({ outcome: 'cancelled' });
      expect(await countProcesses(session(), `sleep ${nap}`)).toBe(0);
    });

    test('of a timeout and a cancel at once the first wins, and there is one end', async () => {
      const { client, target } = session();
      const spec = buildScript('trap "" TERM; sleep 60', { timeout_ms: 400, wait_ms: 0 });
      await client.start(target, spec);
      await new Promise((resolve) => setTimeout(resolve, 700));
      const cancelled = answered(await client.cancel(target, spec.id));
      expect(cancelled.outcome).toBe('timeout');
      expect((await waitForEnd(session(), spec.id)).outcome).toBe('timeout');
    });

    test('a caller that goes away changes nothing', async () => {
      const { client, target } = session();
      const spec = buildScript('sleep 1; echo done', { wait_ms: 30_000 });
      const hasty = await client.start(target, spec, { deadlineMs: -29_800 });
      expect(hasty.kind).toBe('unreachable');
      const view = await waitForEnd(session(), spec.id);
      expect(view).toMatchObject({ outcome: 'ok', stdout: { text: 'done\n' } });
    });
  });
}

import { describe, expect, test } from 'vitest';
import type { Confinement, OperationSpec } from '../../../src/sandbox/protocol.ts';
import { answered, buildScript, clone, newId, refusal, run, start, waitForEnd } from '../session.ts';
import type { Way } from '../way.ts';
import { withSession } from './with-session.ts';

export function describeOperations(way: Way): void {
  describe('an operation', () => {
    const session = withSession(way);

    test('20 starts with one id are one process', async () => {
      const { client, target } = session();
      const spec = buildScript('echo run >>runs; sleep 0.3; wc -l <runs', { id: newId() });
      const replies = await Promise.all(Array.from({ length: 20 }, () => client.start(target, spec)));
      const views = replies.map(answered);
      for (const view of views) expect(view).toEqual(views[0]);
      expect(views[0]?.stdout.text.trim()).toBe('1');
      expect(answered(await client.start(target, spec))).toEqual(views[0]);
    });

    test('the same id with another script is operation_conflict, and the first goes on', async () => {
      const { client, target } = session();
      const id = await start(session(), 'sleep 0.5; echo first');
      expect(refusal(await client.start(target, buildScript('echo second', { id })))).toBe(
        'operation_conflict',
      );
      expect((await waitForEnd(session(), id)).stdout.text).toBe('first\n');
    });

    test('a repeated start may wait longer, and finds an environment changed since', async () => {
      const { client, target } = session();
      const spec = buildScript('echo "$A"', { env: { A: '1' } });
      await client.start(target, spec);
      const again = answered(await client.start(target, { ...spec, wait_ms: 0, env: { A: '2' } }));
      expect(again.stdout.text).toBe('1\n');
    });

    test('several run at once', async () => {
      const startedAt = Date.now();
      const views = await Promise.all([1, 2, 3, 4].map((n) => run(session(), `sleep 1; exit ${n}`)));
      expect(views.map(({ exit_code }) => exit_code)).toEqual([1, 2, 3, 4]);
      expect(Date.now() - startedAt).toBeLessThan(3500);
    });

    test('an unknown id is operation_not_found', async () => {
      const { client, target } = session();
      expect(refusal(await client.poll(target, newId()))).toBe('operation_not_found');
    });

    test.each([
      ['an id with a path in it', { id: '../escape' }],
      ['no timeout', { timeout_ms: 0 }],
      ['a wait over the limit', { wait_ms: 1_000_000 }],
      ['an unknown kind', { kind: 'format' }],
      ['an environment that is a list', { env: ['A=1'] }],
      ['docker on a machine without it', { confinement: { kind: 'docker', image: '', network: 'lan' } }],
    ])('%s is refused as bad_request and starts nothing', async (_, wrong) => {
      const { client, target } = session();
      const spec = { ...buildScript('touch started'), ...wrong } as unknown as OperationSpec;
      const reply = await client.start(target, { ...spec, wait_ms: spec.wait_ms });
      expect(refusal(reply)).toBe('bad_request');
      expect((await run(session(), 'ls started')).exit_code).toBe(2);
    });

    test('a confinement that health does not name is confinement_unavailable, and starts nothing', async () => {
      const { client, target } = session();
      const { confinements } = answered(await client.health());
      const all: Confinement[] = [
        { kind: 'bubblewrap' },
        { kind: 'docker', image: 'image', network: 'none' },
      ];
      for (const confinement of all.filter(({ kind }) => !confinements.includes(kind))) {
        const reply = await client.start(target, buildScript('touch started', { confinement }));
        expect(refusal(reply)).toBe('confinement_unavailable');
      }
      expect((await run(session(), 'ls started')).exit_code).toBe(2);
    });

    test('cloning again what is whole answers the same', async () => {
      const { clone: again, outcome } = await clone(session());
      expect({ again, outcome }).toEqual({
        again: { ok: true, base: null, remote_sha: null, head: null },
        outcome: 'ok',
      });
    });

    test('facts say what is in the work tree', async () => {
      await run(
        session(),
        'git add -A; git -c user.name=a -c user.email=b@c commit -qm "First" --allow-empty; echo x >new',
      );
      const { client, target } = session();
      const facts = answered(await client.facts(target, { base: null, lastSaved: null }));
      expect(facts).toMatchObject({
        head_branch: 'symphony/ABC-1',
        unsaved_count: 1,
        uncommitted: { untracked: 1 },
      });
    });
  });
}

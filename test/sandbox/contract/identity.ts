import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SupervisorClient } from '../../../src/sandbox/client.ts';
import { PROTOCOL_VERSION, SUPERVISOR_HEADER } from '../../../src/sandbox/protocol.ts';
import { answered, buildOpen, buildScript, newId, refusal } from '../session.ts';
import type { Reached, Way } from '../way.ts';

export function describeIdentity(way: Way): void {
  describe('whose a place is', () => {
    let reached: Reached;
    let client: SupervisorClient;
    const creationId = newId();

    beforeAll(async () => {
      reached = await way.open();
      client = new SupervisorClient(reached.fetcher);
    });
    afterAll(() => reached.end());

    test('a fresh place answers no_incarnation until it is claimed', async () => {
      const looked = await client.open(buildOpen(reached, { creation_id: creationId, claim: false }));
      expect(refusal(looked)).toBe('no_incarnation');
      const opened = answered(await client.open(buildOpen(reached, { creation_id: creationId })));
      expect(opened).toMatchObject({ files: 'absent', damage: null });
      const again = answered(
        await client.open(buildOpen(reached, { creation_id: creationId, claim: false })),
      );
      expect(again).toEqual(opened);
    });

    test('a claimed place answers other_incarnation to any other creation, and does nothing for it', async () => {
      const claim = await client.open(buildOpen(reached, { creation_id: newId() }));
      expect(refusal(claim)).toBe('other_incarnation');
      const { directory } = answered(await client.open(buildOpen(reached, { creation_id: creationId })));
      const stranger = { creationId: newId(), directory };
      const spec = buildScript('true');
      expect(refusal(await client.start(stranger, spec))).toBe('other_incarnation');
      expect(refusal(await client.killLeftovers(stranger))).toBe('other_incarnation');
      expect(refusal(await client.readPath(stranger, ''))).toBe('other_incarnation');
      expect(refusal(await client.poll({ creationId, directory }, spec.id))).toBe('operation_not_found');
    });

    test('20 claims at once leave one owner', async () => {
      const other = await way.open();
      const theirs = new SupervisorClient(other.fetcher);
      const replies = await Promise.all(Array.from({ length: 20 }, () => theirs.open(buildOpen(other))));
      const owners = replies.filter(({ kind }) => kind === 'answer');
      const refusals = replies.filter(({ kind }) => kind === 'refused').map(refusal);
      await other.end();
      expect(owners).toHaveLength(1);
      expect(new Set(refusals)).toEqual(new Set(['other_incarnation']));
    });

    test('every answer names the protocol, errors too', async () => {
      for (const path of ['/healthz', '/nothing-here', '/operations/x']) {
        const answer = await reached.fetcher.fetch(new Request(`http://supervisor${path}`));
        expect(answer.headers.get(SUPERVISOR_HEADER)).toBe(PROTOCOL_VERSION);
        await answer.body?.cancel();
      }
      const health = answered(await client.health());
      expect(health.confinements).toContain('none');
    });

    test.each([
      ['no JSON', '{'],
      ['another shape', '{"project":1}'],
      ['an unknown field', JSON.stringify({ ...OPEN, extra: true })],
      ['a creation id with a path in it', JSON.stringify({ ...OPEN, creation_id: '../../../etc' })],
      ['a key that is a list', JSON.stringify({ ...OPEN, key: ['a'] })],
    ])('%s is refused as bad_request', async (_, body) => {
      const request = new Request('http://supervisor/open', { method: 'POST', body });
      const answer = await reached.fetcher.fetch(request);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ code: 'bad_request' });
    });
  });
}

const OPEN = {
  project: 'demo',
  key: 'ABC-1',
  creation_id: 'creation-1',
  claim: false,
  root: null,
  directory: null,
  workflow: null,
};

/** API tokens with a scope and a project: what each may do, and what another project looks like to them. */
import { describe, expect, it } from 'vitest';
import type { TokenScope } from '../../src/core/api.ts';
import { tokenExample } from '../../src/routes/examples.ts';
import { problemOf, startFakes } from './fake-objects.ts';

const startWith = (scope: TokenScope, project: string | null) => {
  const fakes = startFakes();
  fakes.answer('directory.findToken', { ...tokenExample, scope, project });
  const as = { authorization: 'Bearer eh_some-token-of-ours' };
  return {
    ...fakes,
    get: (address: string) => fakes.ask(address, { headers: as }),
    send: (address: string, body: unknown) => fakes.send(address, body, as),
  };
};

const task = { task: { identifier: 'ABC-1' } };

describe('a token with scope read', () => {
  it('sees workspaces', async () => {
    expect((await startWith('read', null).get('GET /v1/projects/demo/workspaces')).status).toBe(200);
  });

  it('is refused a dispatch, and nothing is dispatched', async () => {
    const { send, calls } = startWith('read', null);
    const problem = await problemOf(await send('POST /v1/projects/demo/dispatch', task));
    expect(problem).toMatchObject({ status: 403, code: 'forbidden' });
    expect(problem.detail).toContain('dispatch');
    expect(calls).toEqual([]);
  });
});

describe('a token with scope dispatch', () => {
  it('dispatches', async () => {
    expect((await startWith('dispatch', null).send('POST /v1/projects/demo/dispatch', task)).status).toBe(
      202,
    );
  });

  it.each(['PUT /v1/projects/demo', 'PUT /v1/projects/demo/environment', 'POST /v1/tokens'])(
    'is refused %s',
    async (address) => {
      const body = address.endsWith('tokens') ? { name: 'x', scope: 'admin' } : {};
      expect((await startWith('dispatch', null).send(address, body)).status).toBe(403);
    },
  );
});

describe('a token of one project', () => {
  it('does what its scope says in that project', async () => {
    expect((await startWith('admin', 'demo').send('POST /v1/projects/demo/dispatch', task)).status).toBe(202);
  });

  it('sees another project as not there, whatever is asked', async () => {
    for (const path of ['', '/workspaces', '/workspaces/ABC-1', '/environment']) {
      const { get, calls } = startWith('admin', 'demo');
      expect(await problemOf(await get(`GET /v1/projects/other${path}`))).toMatchObject({
        status: 404,
        code: 'project_not_found',
      });
      expect(calls).toEqual([]);
    }
  });

  it('lists its own project only', async () => {
    const { get, calls } = startWith('read', 'demo');
    expect(await (await get('GET /v1/projects')).json()).toMatchObject({
      projects: [{ id: 'demo' }],
      next_cursor: null,
    });
    expect(calls).toEqual(['project demo.get()']);
  });

  it.each(['POST /v1/tokens', 'PUT /v1/environment', 'POST /v1/sweep'])(
    'is refused %s for all projects',
    async (address) => {
      const body = address.endsWith('tokens') ? { name: 'x', scope: 'read' } : {};
      expect((await startWith('admin', 'demo').send(address, body)).status).toBe(403);
    },
  );
});

describe('tokens', () => {
  it('are shown once, and only their hash is kept', async () => {
    const { send, calls } = startFakes();
    const made = await (
      await send('POST /v1/tokens', { name: 'ci', scope: 'read' })
    ).json<{ token: string }>();
    expect(made.token).toMatch(/^eh_[\w-]{43}$/);
    expect(calls).toHaveLength(1);
    expect(calls[0]).not.toContain(made.token);
    expect(calls[0]).toMatch(/"[0-9a-f]{64}"/);
  });

  it('that were revoked before answer 404', async () => {
    const { ask, answer } = startFakes();
    answer('directory.revokeToken', false);
    const address = 'DELETE /v1/tokens/0e3c9c5e-5a41-4e0c-9a53-2f0a6f1c7d11';
    expect(await problemOf(await ask(address))).toMatchObject({ status: 404, code: 'token_not_found' });
  });
});

describe('the audit', () => {
  it('says who asked for what, and with which answer', async () => {
    const { ask, audits } = startFakes();
    await ask('DELETE /v1/projects/demo/workspaces/ABC-1?discard=true');
    expect(audits).toEqual([
      {
        actor: 'token-1',
        action: 'DELETE /v1/projects/{project}/workspaces/{key}',
        project: 'demo',
        target: 'ABC-1 discard=true',
        status: 202,
      },
    ]);
  });

  it('holds refused requests, and no reading ones', async () => {
    const { get, send, audits } = startWith('read', null);
    await get('GET /v1/projects/demo');
    await send('POST /v1/projects/demo/dispatch', task);
    expect(audits).toMatchObject([{ project: 'demo', status: 403 }]);
  });

  it('never holds a credential', async () => {
    const { send, audits } = startFakes();
    await send('PUT /v1/projects/demo/credential', { kind: 'token', token: 'canary-1234567890' });
    expect(JSON.stringify(audits)).not.toContain('canary');
  });
});

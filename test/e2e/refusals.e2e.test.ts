/** What a project may not be: each refusal is typed, says the way out, and leaves the last good settings in force. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectView } from '../../src/core/api.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.stop());

const withAfterRun = (name: string) =>
  `---\nhooks:\n  after_run: echo ${name} >> "$TRACE"\nagent:\n  command: |\n    echo agent >> "$TRACE"\n    until [ -e "$TRACE.go" ]; do sleep 0.05; done\n---\n`;

describe.concurrent('workspace.root', () => {
  test.for(['/etc', '/', '~', '../..', '/tmp/symphony_workspaces_not', '$HOME/x'])(
    '%s is refused over the API',
    async (root) => {
      const project = await stack.project({ workflow: 'agent:\n  command: "true"' });
      const text = `---\nworkspace:\n  root: ${JSON.stringify(root)}\n---\n`;
      const refused = await stack.api.call<{ code: string }>('PUT', project.path('/workflow'), text, [422]);
      expect(refused).toMatchObject({ status: 422, body: { code: 'workspace_root_refused' } });
      expect(await stack.api.get<ProjectView>(project.path())).toMatchObject({
        workflow_error: { code: 'workspace_root_refused' },
      });
    },
  );

  test('a root that a link leads out of the allowed folders is refused', async () => {
    const allowed = join(stack.folder, 'temp', 'symphony_workspaces');
    mkdirSync(allowed, { recursive: true });
    symlinkSync(stack.folder, join(allowed, 'way-out'));
    const project = await stack.project();
    const text = `---\nworkspace:\n  root: ${allowed}/way-out/home\n---\n`;
    const refused = await stack.api.call<{ code: string }>('PUT', project.path('/workflow'), text, [422]);
    expect(refused.body.code).toBe('workspace_root_refused');
  });

  test('a root under the allowed folder is used, and a folder that was there before is not touched', async () => {
    const root = join(stack.folder, 'temp', 'symphony_workspaces', 'mine');
    mkdirSync(join(root, 'ABC-1'), { recursive: true });
    writeFileSync(join(root, 'ABC-1', 'precious.txt'), 'x');
    const project = await stack.project({
      workflow: `workspace:\n  root: ${root}\nagent:\n  max_attempts: 1\n  command: "true"`,
    });
    const taken = await project.run('ABC-1');
    expect(taken).toMatchObject({ status: 'damaged', last_attempt: { outcome: 'failed' } });
    expect(existsSync(join(root, 'ABC-1', 'precious.txt'))).toBe(true);
    expect((await project.run('ABC-2')).path).toBe(join(root, 'ABC-2'));
  });

  test('a root that cannot be used is tried no more often than WORKFLOW.md says', async () => {
    const root = join(stack.folder, 'temp', 'symphony_workspaces', 'taken');
    const project = await stack.project({
      workflow: `workspace:\n  root: ${root}\nagent:\n  max_attempts: 2\n  max_retry_backoff_ms: 100\n  command: "true"`,
    });
    mkdirSync(join(root, '..'), { recursive: true });
    writeFileSync(root, 'a file in its place');
    const failed = await project.run('ABC-1');
    expect(failed).toMatchObject({ status: 'failed', attempt_count: 2, next_retry_at: null });
  });
});

describe('repository', () => {
  test.for([
    ['git@github.com:me/demo.git', 'https://github.com/me/demo'],
    ['ssh://git@github.com/me/demo.git', 'https://github.com/me/demo'],
    ['https://me:hunter2@github.com/me/demo.git', 'credential'],
    ['https://hunter2@github.com/me/demo.git', 'credential'],
    ['ext::sh', 'https'],
    ['-u/tmp/x', 'https'],
  ])('%s is refused with the way out', async ([url = '', hint = '']) => {
    const body = { repository: { url }, location: 'host' };
    const refused = await stack.api.call<{ code: string; detail: string }>(
      'PUT',
      '/v1/projects/refused',
      body,
      [422],
    );
    expect(refused).toMatchObject({ status: 422, body: { code: 'repository_refused' } });
    expect(refused.body.detail).toContain(hint);
    expect(refused.body.detail).not.toContain('hunter2');
    await expect(stack.api.get('/v1/projects/refused')).rejects.toThrow('project_not_found');
  });

  test('a location that this deployment does not offer is refused', async () => {
    const refused = await stack.api.call<{ code: string }>(
      'PUT',
      '/v1/projects/elsewhere',
      { location: 'cloudflare' },
      [422],
    );
    expect(refused.body.code).toBe('location_unavailable');
  });
});

describe.concurrent('WORKFLOW.md', () => {
  const GOOD = '---\nhooks:\n  before_run: echo good >> "$TRACE"\nagent:\n  command: "true"\n---\nPrompt\n';

  test.for([
    [
      'no closing line',
      '---\nhooks:\n  before_run: echo bad\n',
      'workflow_parse_error',
      { line: 1, column: 1 },
    ],
    [
      'a tab as indentation',
      '---\nhooks:\n\tbefore_run: x\n---\n',
      'workflow_parse_error',
      { line: 3, column: 1 },
    ],
    [
      'a duplicate key',
      '---\nhooks:\n  before_run: a\n  before_run: b\n---\n',
      'workflow_invalid',
      { line: 4, column: 3 },
    ],
    ['an unknown hook', '---\nhooks:\n  before_rnu: a\n---\n', 'workflow_invalid', { line: 3, column: 3 }],
    ['a list as hooks', '---\nhooks:\n  - a\n---\n', 'workflow_invalid', { line: 3, column: 3 }],
    [
      'a number as a hook',
      '---\nhooks:\n  before_run: 5\n---\n',
      'workflow_invalid',
      { line: 3, column: 15 },
    ],
    [
      '"60s" as a timeout',
      '---\nhooks:\n  timeout_ms: "60s"\n---\n',
      'workflow_invalid',
      { line: 3, column: 15 },
    ],
    ['a list instead of a map', '---\n- a\n---\n', 'workflow_front_matter_not_a_map', { line: 2, column: 1 }],
  ] as const)(
    'with %s is refused with its place, and the last good one stays in force',
    async ([, text, code, place]) => {
      const project = await stack.project();
      await stack.api.call('PUT', project.path('/workflow'), GOOD);
      const refused = await stack.api.call<{ code: string; diagnostics: object[] }>(
        'PUT',
        project.path('/workflow'),
        text,
        [422],
      );
      expect(refused).toMatchObject({ status: 422, body: { code } });
      expect(refused.body.diagnostics[0]).toMatchObject(place);
      expect(await stack.api.get<ProjectView>(project.path())).toMatchObject({
        workflow: GOOD,
        workflow_error: { code, text, diagnostics: [expect.objectContaining(place)] },
      });
      expect(await stack.api.get<string>(project.path('/workflow'))).toBe(GOOD);
    },
  );

  test('the last good hooks run after a refused upload, and a good upload clears workflow_error', async () => {
    const project = await stack.project();
    await stack.api.call('PUT', project.path('/workflow'), GOOD);
    await stack.api.call('PUT', project.path('/workflow'), '---\nhooks: 5\n---\n', [422]);
    await project.run('ABC-1');
    expect(project.trace()).toEqual(['good']);
    await stack.api.call('PUT', project.path('/workflow'), GOOD);
    expect(await stack.api.get<ProjectView>(project.path())).toMatchObject({ workflow_error: null });
  });

  test('a BOM, CRLF and null hooks are accepted, and scripts run with plain line ends', async () => {
    const project = await stack.project();
    const text =
      '\uFEFF---\r\nhooks:\r\n  after_create: null\r\n  before_run: |\r\n    echo one >> "$TRACE"\r\n    echo two >> "$TRACE"\r\nagent:\r\n  command: "true"\r\n---\r\n';
    await stack.api.call('PUT', project.path('/workflow'), text);
    await project.run('ABC-1');
    expect(project.trace()).toEqual(['one', 'two']);
  });

  test('a running attempt keeps the hooks it started with', async () => {
    const project = await stack.project();
    await stack.api.call('PUT', project.path('/workflow'), withAfterRun('old'));
    await project.dispatch('ABC-1');
    await project.traced('agent');
    await stack.api.call('PUT', project.path('/workflow'), withAfterRun('new'));
    writeFileSync(`${project.tracePath}.go`, '');
    await project.settled('ABC-1');
    await project.run('ABC-1');
    expect(project.trace()).toEqual(['agent', 'old', 'agent', 'new']);
  });
});

import { expect, test } from 'vitest';
import { CAPABILITIES } from '../../src/core/projection/capabilities.ts';
import { project, validate } from '../../src/core/projection/project.ts';
import { ProviderCapability } from '../../src/routes/projection-model.ts';
import { problemOf, startFakes } from '../http/fake-objects.ts';

const guard = {
  mode: 'strict',
  events: { pre_tool_use: [{ type: 'command', command: 'x', matcher: 'Bash' }] },
};
const { send, ask } = startFakes();
const post = async (address: string, body: unknown) => {
  const response = await send(`POST /v1/${address}`, body);
  expect(response.status).toBe(200);
  return response.json();
};

test('a projection is what the pure function gives', async () => {
  const entities = [
    { id: 'guard', document: guard, overrides: { claude: { version: 1 }, cursor: 'version: 1' } },
  ];
  for (const providers of [['claude'], ['claude', 'cursor'], ['copilot'], ['claud'], []])
    expect(await post('projection', { entities, providers })).toEqual(
      JSON.parse(JSON.stringify(project(entities, providers))),
    );
});

test('faults of a hook are a normal answer without files', async () => {
  const answer = await post('projection', {
    entities: [{ id: 'guard', document: guard }],
    providers: ['copilot'],
  });
  expect(answer).toMatchObject({ ok: false, files: [], diagnostics: [{ code: 'HOOK_EVENT_UNSUPPORTED' }] });
});

test('a source has its faults located by line and column', async () => {
  const entities = [{ id: 'guard', source: '{\n  "events": {,}\n}' }];
  expect(await post('validation', { entities })).toMatchObject({
    ok: false,
    diagnostics: [{ code: 'HOOK_JSON_INVALID', line: 2, column: 14 }],
  });
});

test('warnings alone leave a validation ok', async () => {
  const document = { events: { stop: [{ type: 'command', command: 'x', typo: 1 }] } };
  const entities = [{ id: 'a', document }];
  expect(await post('validation', { entities })).toEqual({ ok: true, diagnostics: validate(entities) });
});

test('keys such as __proto__ in a document are data', async () => {
  const body =
    '{"entities":[{"id":"a","document":{"events":{"__proto__":[]}},"overrides":{"__proto__":{}}}],"providers":[]}';
  const headers = { 'content-type': 'application/json' };
  const response = await ask('POST /v1/projection', { body, headers });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    diagnostics: [{ code: 'HOOK_EVENT_UNKNOWN' }, { code: 'HOOK_OVERRIDE_INVALID' }],
  });
});

test('a WORKFLOW.md is checked with line and column', async () => {
  expect(await post('validation', { workflow: 'Just a prompt.' })).toEqual({ ok: true, diagnostics: [] });
  const answer = await post('validation', { workflow: '---\nhooks:\n  timeout_ms: "60s"\n---\n' });
  expect(answer).toMatchObject({ ok: false, diagnostics: [{ severity: 'error', line: 3 }] });
});

test.each([
  ['projection', {}, 'entities'],
  ['projection', { entities: {}, providers: [] }, 'entities'],
  ['projection', { entities: [{ id: 'a' }], providers: [] }, 'entities[0]'],
  ['projection', { entities: [{ id: 'a', document: {}, source: '' }], providers: [] }, 'entities[0]'],
  ['projection', { entities: [{ id: 7, document: {} }], providers: [] }, 'entities[0].id'],
  ['projection', { entities: [{ id: 'a', document: {}, path: 'x' }], providers: [] }, 'entities[0].path'],
  ['projection', { entities: [], providers: 'claude' }, 'providers'],
  ['projection', { entities: [], providers: [1] }, 'providers[0]'],
  ['validation', { entities: [], providers: [] }, 'providers'],
  ['validation', { workflow: 7 }, 'workflow'],
])('a malformed %s request %j is 400 naming %s', async (address, body, field) => {
  const problem = await problemOf(await send(`POST /v1/${address}`, body));
  expect(problem.status).toBe(400);
  expect(problem.diagnostics?.[0]?.path).toBe(field);
});

test.each([{}, { entities: [], workflow: '' }])(
  'a validation of %j is 400: either one or the other',
  async (body) => {
    const problem = await problemOf(await send('POST /v1/validation', body));
    expect(problem).toMatchObject({
      status: 400,
      detail: 'The body must have either `entities` or `workflow`.',
    });
  },
);

test('the capability table is served as it is, and its schema misses nothing', async () => {
  const served: unknown[] = await (await ask('GET /v1/providers')).json();
  expect(served).toEqual(JSON.parse(JSON.stringify(CAPABILITIES)));
  for (const entry of served) expect(ProviderCapability.parse(entry)).toEqual(entry);
});

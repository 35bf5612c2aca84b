import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { type JsonSchema, type OpenApi, operationId } from '../../src/http/openapi.ts';
import { apiRoutes } from '../../src/routes/table.ts';
import { startFakes } from '../http/fake-objects.ts';

const load = async (): Promise<OpenApi> => (await startFakes().ask('GET /openapi.json')).json();
const operations = (document: OpenApi) =>
  Object.values(document.paths).flatMap((path) => Object.values(path));

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate((await load()) as unknown as Record<string, unknown>);
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  expect(validator.version).toBe('3.1');
});

test('every route is in it under its own method and path', async () => {
  const document = await load();
  for (const { method, path } of apiRoutes)
    expect(document.paths[path]?.[method.toLowerCase()]).toBeDefined();
});

test('operation ids are unique', async () => {
  const ids = operations(await load()).map((operation) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ['GET /v1/projects', 'getProjects'],
  ['GET /v1/projects/{project}', 'getProject'],
  ['PUT /v1/projects/{project}/tasks/{id}/state', 'putProjectTaskState'],
  ['GET /v1/projects/{project}/workspaces/{key}/attempts/{number}/log', 'getProjectWorkspaceAttemptLog'],
  ['GET /openapi.json', 'getOpenapiJson'],
])('%s has the operation id %s', (address, id) => {
  const [method, path] = address.split(' ') as ['GET', string];
  expect(operationId({ method, path })).toBe(id);
});

test('every reference leads to a schema of the document', async () => {
  const document = await load();
  const references = JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  const missing = [...references].filter(([, name = '']) => !(name in document.components.schemas));
  expect(missing).toEqual([]);
});

const examples = apiRoutes.flatMap(({ method, path, body, answers }) => [
  ...(body ? [{ of: `the body of ${method} ${path}`, schema: body.schema, example: body.example }] : []),
  ...Object.entries(answers).flatMap(([status, { type, schema, example }]) =>
    schema && type === 'application/json' ? [{ of: `${status} of ${method} ${path}`, schema, example }] : [],
  ),
]);

test.each(examples)('the example of $of fits its schema', ({ schema, example }) => {
  expect(schema.safeParse(example).error?.issues).toBeUndefined();
});

test('path parameters are the placeholders of the path', () => {
  for (const { path, params } of apiRoutes)
    expect(Object.keys(params)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
});

test('every operation under /v1 asks for a bearer token, those of the projection unless they are public', async () => {
  const document = await load();
  expect(document.security).toEqual([{ bearer: [] }]);
  const versioned = Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/'));
  const others = versioned.filter(([, path]) =>
    Object.values(path).some(({ security }) => security !== undefined),
  );
  expect(others.map(([path]) => path)).toEqual(['/v1/projection', '/v1/validation', '/v1/providers']);
  for (const operation of others.flatMap(([, path]) => Object.values(path)))
    expect(operation.security).toEqual([{ bearer: [] }, {}]);
});

test('the failure codes of an answer are listed with its status', async () => {
  const document = await load();
  const conflict = document.paths['/v1/projects/{project}/dispatch']?.['post']?.responses['409'];
  const schema = conflict?.content?.['application/problem+json'] as {
    schema: { allOf: [unknown, JsonSchema] };
  };
  expect(schema.schema.allOf[1]).toEqual({
    properties: {
      code: {
        enum: [
          'attempt_in_progress',
          'workspace_key_conflict',
          'workspace_removing',
          'workspace_damaged',
          'idempotency_key_reused',
        ],
      },
    },
  });
});

test('a limit is described as an integer from 1 to 200', async () => {
  const list = (await load()).paths['/v1/projects']?.['get'];
  const limit = list?.parameters.find(({ name }) => name === 'limit');
  expect(limit?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 200 });
});

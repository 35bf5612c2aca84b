/** Routes and wire schemas → the OpenAPI 3.1 document. Pure: nothing is written down here that a route does not say. */
import * as z from 'zod';
import { FAILURES, type FailureCode } from '../core/failure.ts';
import { IDEMPOTENCY_KEY } from './idempotency.ts';
import { codesOf } from './route-errors.ts';
import { TAGS, type Answer, type Route } from './route.ts';

/** The keywords that zod writes and the docs read. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  [keyword: string]: unknown;
}

interface Content {
  [type: string]: { schema: JsonSchema; example?: unknown };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: object[];
  parameters: { name: string; in: string; required: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { required: true; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  security: object[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: object };
}

export function buildOpenApi(routes: readonly Route[], wire: Record<string, unknown>): OpenApi {
  const names = new Map<unknown, string>(
    Object.entries(wire).flatMap(([name, schema]) => (schema instanceof z.ZodType ? [[schema, name]] : [])),
  );
  const paths: OpenApi['paths'] = {};
  for (const route of routes)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = buildOperation(route, names);
  return {
    openapi: '3.1.0',
    info: {
      title: 'edge-harness',
      version: '1',
      description: 'Task workspaces for coding agents, and agent hooks written once for every agent.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: TAGS.map((name) => ({ name })),
    paths,
    components: {
      schemas: buildSchemas(names),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API token.' } },
    },
  };
}

function buildSchemas(names: Map<unknown, string>): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema as z.ZodType, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: reference, override: withoutTimePattern });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, withoutIds(schema as JsonSchema)]),
  );
}

const reference = (name: string) => `#/components/schemas/${name}`;

function buildOperation(route: Route, names: Map<unknown, string>): Operation {
  const inline = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const name = names.get(schema);
    if (name !== undefined) return { $ref: reference(name) };
    if (schema instanceof z.ZodArray)
      return { type: 'array', items: inline(schema.element as z.ZodType, io) };
    return withoutIds(z.toJSONSchema(schema, { io, override: withoutTimePattern }) as JsonSchema);
  };
  const answerOf = ({ description, type, schema, example }: Answer) => ({
    description,
    ...(type
      ? { content: content(type, schema ? inline(schema, 'input') : { type: 'string' }, example) }
      : {}),
  });
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.notes === null ? {} : { description: route.notes }),
    ...securityOf(route),
    parameters: [
      ...parametersIn('path', route.params, (schema) => inline(schema, 'output')),
      ...parametersIn('query', route.query, (schema) => inline(schema, 'output')),
      ...(route.idempotent ? [idempotencyHeader] : []),
    ],
    ...(route.body
      ? {
          requestBody: {
            required: true as const,
            content: content(route.body.type, inline(route.body.schema, 'input'), route.body.example),
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, answerOf(answer)]),
      ),
      ...problemsOf(codesOf(route)),
    },
  };
}

const securityOf = ({ access }: Route) =>
  access === 'token' ? {} : { security: access === 'open' ? [] : [{ bearer: [] }, {}] };

const content = (type: string, schema: JsonSchema, example: unknown) => ({ [type]: { schema, example } });

/** A parameter is described after it was read: `limit` is an integer, though a query holds text. */
const parametersIn = (
  place: 'path' | 'query',
  shape: z.ZodRawShape,
  schemaOf: (schema: z.ZodType) => JsonSchema,
) =>
  Object.entries(shape).map(([name, field]) => {
    const { description, ...schema } = schemaOf(field as z.ZodType);
    return {
      name,
      in: place,
      required: place === 'path',
      ...(typeof description === 'string' ? { description } : {}),
      schema,
    };
  });

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key with the same request within 24 hours gives the same answer.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
};

function problemsOf(codes: readonly FailureCode[]): Operation['responses'] {
  const byStatus = Map.groupBy(codes, (code) => FAILURES[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      String(status),
      {
        description: ofStatus.map((code) => `\`${code}\`: ${FAILURES[code].title}.`).join(' '),
        content: {
          'application/problem+json': {
            schema: { allOf: [{ $ref: reference('Problem') }, { properties: { code: { enum: ofStatus } } }] },
          },
        },
      },
    ]),
  );
}

/** `PUT /v1/projects/{project}/workflow` → `putProjectWorkflow`: a list keeps its plural. */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const steps = path.split('/').filter((step) => step !== '' && step !== 'v1');
  const words = steps.flatMap((step, index) => {
    if (step.startsWith('{')) return [];
    const name = steps[index + 1]?.startsWith('{') ? step.replace(/s$/, '') : step;
    return name.split(/\W/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  });
  return method.toLowerCase() + words.join('');
}

/** `format` says it; zod's expression for leap years would be most of the document. */
function withoutTimePattern({ jsonSchema }: { jsonSchema: { format?: unknown; pattern?: unknown } }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}

/** OpenAPI states the dialect and the names itself. */
function withoutIds({ $schema: _dialect, $id: _id, id: _ownId, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

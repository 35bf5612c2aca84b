/** Parses path, query, body and header of a request by a route's schemas; every fault names its field. */
import type * as z from 'zod';
import type { Idempotency } from '../../durable-objects/rpc.ts';
import type { Failure } from '../core/failure.ts';
import { type Result, err, ok } from '../core/result.ts';
import { readJson, readMarkdown, readNothing } from './body.ts';
import { invalidFields, invalidRequest, quote } from './field-faults.ts';
import { readIdempotency } from './idempotency.ts';

export interface Inputs {
  params: z.ZodType;
  /** null: any query is let through, as pages and probes get them. */
  query: z.ZodType | null;
  body: { type: string; schema: z.ZodType } | null;
  hasBody: boolean;
  idempotent: boolean;
}

interface Read {
  params: unknown;
  query: unknown;
  body: unknown;
  idempotency: Idempotency | null;
}

/** The body comes last: a bad address is told without waiting for an upload. */
export async function readInputs(
  inputs: Inputs,
  request: Request,
  rawParams: Record<string, string>,
): Promise<Result<Read, Failure>> {
  const params = parse('path parameter', inputs.params, rawParams);
  if (!params.ok) return params;
  const query = inputs.query === null ? ok({}) : readQuery(inputs.query, request);
  if (!query.ok) return query;
  const body = await readBody(inputs, request);
  if (!body.ok) return body;
  const idempotency = inputs.idempotent ? await readIdempotency(request, body.value) : ok(null);
  if (!idempotency.ok) return idempotency;
  return ok({ params: params.value, query: query.value, body: body.value, idempotency: idempotency.value });
}

function readQuery(schema: z.ZodType, request: Request): Result<unknown, Failure> {
  if (!request.url.includes('?')) return parse('query parameter', schema, {});
  const search = new URL(request.url).searchParams;
  const repeated = [...search.keys()].find((key) => search.getAll(key).length > 1);
  if (repeated !== undefined)
    return err(
      invalidRequest([
        { field: repeated, message: `query parameter ${quote(repeated)} is given more than once` },
      ]),
    );
  // Without a prototype, so that `__proto__` is a key like any other.
  const values: Record<string, string> = Object.assign(Object.create(null), Object.fromEntries(search));
  return parse('query parameter', schema, values);
}

async function readBody(inputs: Inputs, request: Request): Promise<Result<unknown, Failure>> {
  // Bytes are the handler's: it streams them on.
  if (inputs.body?.type === 'application/octet-stream') return ok(undefined);
  if (inputs.body === null) return inputs.hasBody ? readNothing(request) : ok(undefined);
  const sent =
    inputs.body.type === 'application/json' ? await readJson(request) : await readMarkdown(request);
  return sent.ok ? parse('body', inputs.body.schema, sent.value) : sent;
}

function parse(place: string, schema: z.ZodType, value: unknown): Result<unknown, Failure> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (!parsed.success) return err(invalidFields(place, schema, parsed.error.issues));
  // A zod record leaves this key out in silence; nothing that was sent may vanish.
  if (isRecord(value) && Object.hasOwn(value, '__proto__'))
    return err(
      invalidRequest([{ field: '__proto__', message: `${place} \`__proto__\` is not accepted as a name` }]),
    );
  return ok(parsed.data);
}

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null;

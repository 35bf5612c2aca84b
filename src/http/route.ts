/** A route: its address, what it takes and answers as data for OpenAPI and the docs, and how it is served. */
import * as z from 'zod';
import type { TokenScope } from '../core/api.ts';
import type { Idempotency } from '../../durable-objects/rpc.ts';
import type { Failure, FailureCode } from '../core/failure.ts';
import type { Result } from '../core/result.ts';
import type { Env } from '../sandbox/env.ts';
import type { Actor } from './actor.ts';
import { type Inputs, readInputs } from './inputs.ts';
import { repeatOnce } from './platform-error.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/** `token`: always a bearer token. `token_unless_public`: none needed when `PUBLIC_PROJECTION=true`. */
export type Access = 'token' | 'token_unless_public' | 'open';

export interface Body<T> {
  type: 'application/json' | 'text/markdown' | 'application/octet-stream';
  schema: z.ZodType<T>;
  example: unknown;
}

export interface Answer {
  description: string;
  /** Without a type the answer has no body. */
  type?:
    | 'application/json'
    | 'application/x-ndjson'
    | 'text/plain'
    | 'text/markdown'
    | 'text/html'
    | 'text/css'
    | 'text/event-stream'
    | 'application/octet-stream';
  schema?: z.ZodType;
  example?: unknown;
}

/** What the documents say; `P`, `Q` and `B` are what the handler gets after validation. */
interface Spec<P extends z.ZodRawShape, Q extends z.ZodRawShape, B> {
  tag: Tag;
  summary: string;
  notes?: string;
  access?: Access;
  /** Left out: reading wants `read`, changing tasks, workspaces and attempts `dispatch`, everything else `admin`. */
  scope?: TokenScope;
  /** A token of one project may use it although no project is in its path. */
  shared?: true;
  params?: P;
  query?: Q;
  body?: Body<B>;
  /** The route takes an `Idempotency-Key`. */
  idempotent?: true;
  answers: Record<number, Answer>;
  /** Beyond those that every route can have. */
  errors?: FailureCode[];
}

/** In the order of the documents. */
export const TAGS = ['Projects', 'Tasks', 'Workspaces', 'Attempts', 'Hook projection', 'Service'] as const;
export type Tag = (typeof TAGS)[number];

export interface Call<P extends z.ZodRawShape, Q extends z.ZodRawShape, B> {
  params: z.output<z.ZodObject<P>>;
  query: z.output<z.ZodObject<Q>>;
  body: B;
  idempotency: Idempotency | null;
  env: Env;
  /** null on open routes. */
  actor: Actor | null;
  /** For what no schema reads: headers, a body of bytes. */
  request: Request;
}

/** A route with its types closed over, so that a list of them has one type. */
export interface Route extends Required<
  Omit<Spec<z.ZodRawShape, z.ZodRawShape, unknown>, 'body' | 'idempotent' | 'notes' | 'shared'>
> {
  shared: boolean;
  method: Method;
  /** `/v1/projects/{project}` */
  path: string;
  notes: string | null;
  body: Body<unknown> | null;
  idempotent: boolean;
  /** Reads and validates the request, then runs the handler. A throw is a bug or the platform. */
  serve: (
    request: Request,
    params: Record<string, string>,
    env: Env,
    actor: Actor | null,
  ) => Promise<Result<Response, Failure>>;
}

type Nothing = Record<string, never>;

export function route<P extends z.ZodRawShape = Nothing, Q extends z.ZodRawShape = Nothing, B = undefined>(
  address: `${Method} /${string}`,
  spec: Spec<P, Q, B>,
  handle: (call: Call<P, Q, B>) => Promise<Result<Response, Failure>>,
): Route {
  const [method, path] = address.split(' ') as [Method, string];
  const { params = {}, query = {} }: { params?: z.ZodRawShape; query?: z.ZodRawShape } = spec;
  const inputs: Inputs = {
    params: z.strictObject(params),
    query: spec.access === 'open' ? null : z.strictObject(query),
    body: spec.body ?? null,
    hasBody: method !== 'GET',
    idempotent: spec.idempotent ?? false,
  };
  return {
    ...spec,
    method,
    path,
    access: spec.access ?? 'token',
    scope: spec.scope ?? scopeOf(method, spec.tag),
    shared: spec.shared ?? false,
    notes: spec.notes ?? null,
    params,
    query,
    body: spec.body ?? null,
    idempotent: inputs.idempotent,
    errors: spec.errors ?? [],
    serve: async (request, rawParams, env, actor) => {
      const read = await readInputs(inputs, request, rawParams);
      if (!read.ok) return read;
      const run = () =>
        handle({ ...(read.value as Omit<Call<P, Q, B>, 'env' | 'actor' | 'request'>), env, actor, request });
      return method === 'POST' ? run() : repeatOnce(run);
    },
  };
}

function scopeOf(method: Method, tag: Tag): TokenScope {
  if (method === 'GET' || tag === 'Hook projection') return 'read';
  return tag === 'Tasks' || tag === 'Workspaces' || tag === 'Attempts' ? 'dispatch' : 'admin';
}

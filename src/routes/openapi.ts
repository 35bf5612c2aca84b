/** `GET /openapi.json`: the description of all routes, for machines. */
import * as z from 'zod';
import * as wire from '../core/api.ts';
import { ok } from '../core/result.ts';
import { type OpenApi, buildOpenApi } from '../http/openapi.ts';
import { json } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer } from './documents.ts';
import * as projectionModel from './projection-model.ts';
import { apiRoutes } from './table.ts';

let built: OpenApi | null = null;

/** Built once per isolate, at the first request for it. */
export const loadOpenApi = (): OpenApi =>
  (built ??= buildOpenApi([...apiRoutes, getOpenApi], { ...wire, ...projectionModel }));

const getOpenApi = route(
  'GET /openapi.json',
  {
    tag: 'Service',
    summary: 'This description as OpenAPI 3.1',
    access: 'open',
    answers: { 200: jsonAnswer('The document.', z.record(z.string(), z.unknown()), { openapi: '3.1.0' }) },
  },
  async () => ok(json(200, loadOpenApi())),
);

export const openApiRoutes: Route[] = [getOpenApi];

/** API tokens for others, and what was done with them. Only a deployment's own token or one with scope `admin` for all projects manages them. */
import * as z from 'zod';
import { directoryOf } from '../../durable-objects/stubs.ts';
import { ApiTokenList, AuditPage, CreatedApiToken, NewApiToken } from '../core/api.ts';
import { failure } from '../core/failure.ts';
import { newGrantToken } from '../core/git-gateway/grant.ts';
import { err, ok } from '../core/result.ts';
import { decodeCursor } from '../http/cursor.ts';
import { hexDigest } from '../http/digest.ts';
import { DEFAULT_PAGE, pageQuery } from '../http/fields.ts';
import { noContent, reply, replyPage } from '../http/reply.ts';
import { type Route, route } from '../http/route.ts';
import { jsonAnswer, jsonBody } from './documents.ts';
import { auditExample, tokenExample } from './examples.ts';

const TokenId = z.string().regex(/^[0-9a-f-]{36}$/);

const createToken = route(
  'POST /v1/tokens',
  {
    tag: 'Service',
    summary: 'Make an API token',
    notes:
      '`read` looks; `dispatch` also dispatches, saves, cancels, finishes and removes; `admin` does everything. The token is in this answer and nowhere else: only its hash is kept.',
    body: jsonBody(NewApiToken, { name: 'ci', scope: 'dispatch', project: 'demo' }),
    answers: { 201: jsonAnswer('Made.', CreatedApiToken, { ...tokenExample, token: 'eh_…' }) },
  },
  async ({ body, env }) => {
    const token = `eh_${newGrantToken(crypto.getRandomValues(new Uint8Array(32)))}`;
    const made = await directoryOf(env).createToken(crypto.randomUUID(), await hexDigest(token), body);
    return reply(201, ok({ ...made, token }));
  },
);

const listTokens = route(
  'GET /v1/tokens',
  {
    tag: 'Service',
    summary: 'API tokens that were made',
    scope: 'admin',
    answers: {
      200: jsonAnswer('All of them, without the tokens themselves.', ApiTokenList, {
        tokens: [tokenExample],
      }),
    },
  },
  async ({ env }) => reply(200, ok({ tokens: await directoryOf(env).listTokens() })),
);

const revokeToken = route(
  'DELETE /v1/tokens/{id}',
  {
    tag: 'Service',
    summary: 'Revoke an API token',
    params: { id: TokenId },
    answers: { 204: { description: 'It is good for nothing from now on.' } },
    errors: ['token_not_found'],
  },
  async ({ params, env }) =>
    (await directoryOf(env).revokeToken(params.id))
      ? ok(noContent())
      : err(failure('token_not_found', `there is no API token ${params.id}; see GET /v1/tokens`)),
);

const listAudit = route(
  'GET /v1/audit',
  {
    tag: 'Service',
    summary: 'Who did what',
    notes: 'Every request that changed something or tried to, newest first; the last 20 000 are kept.',
    scope: 'admin',
    query: pageQuery,
    answers: { 200: jsonAnswer('A page.', AuditPage, { entries: [auditExample], next_cursor: null }) },
  },
  async ({ query, env }) => {
    const cursor = decodeCursor(query.cursor, (inner) => /^\d{1,15}$/.test(inner));
    if (!cursor.ok) return cursor;
    return replyPage(ok(await directoryOf(env).listAudit(query.limit ?? DEFAULT_PAGE, cursor.value)));
  },
);

export const tokenRoutes: Route[] = [createToken, listTokens, revokeToken, listAudit];

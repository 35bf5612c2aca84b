/** `GET /docs` and its style sheet. */
import { ok } from '../../core/result.ts';
import { type Route, route } from '../../http/route.ts';
import { loadOpenApi, openApiRoutes } from '../openapi.ts';
import { apiRoutes } from '../table.ts';
import { DocsPage } from './page.tsx';
import { STYLE } from './style.ts';

const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Changes with a deployment only. */
const CACHED = { 'cache-control': 'public, max-age=300' };

let rendered: string | null = null;

const getDocs = route(
  'GET /docs',
  {
    tag: 'Service',
    summary: 'This page',
    access: 'open',
    answers: { 200: { description: 'For people.', type: 'text/html' } },
  },
  async () => {
    rendered ??= `<!doctype html>${await DocsPage({ routes: [...apiRoutes, ...openApiRoutes], document: loadOpenApi() })}`;
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      ...CACHED,
    };
    return ok(new Response(rendered, { headers }));
  },
);

const getStyle = route(
  'GET /docs/style.css',
  {
    tag: 'Service',
    summary: "The page's style",
    access: 'open',
    answers: { 200: { description: 'A style sheet.', type: 'text/css' } },
  },
  async () => ok(new Response(STYLE, { headers: { 'content-type': 'text/css; charset=utf-8', ...CACHED } })),
);

export const docsRoutes: Route[] = [getDocs, getStyle];

import { expect, test } from 'vitest';
import * as wire from '../../src/core/api.ts';
import { FAILURES } from '../../src/core/failure.ts';
import { CAPABILITIES } from '../../src/core/projection/capabilities.ts';
import { DIAGNOSTICS } from '../../src/core/projection/diagnostic-table.ts';
import { CANONICAL_EVENTS, EVENTS } from '../../src/core/projection/events.ts';
import { operationId } from '../../src/http/openapi.ts';
import { buildRows } from '../../src/routes/docs/schema-rows.ts';
import { apiRoutes } from '../../src/routes/table.ts';
import { startFakes } from '../http/fake-objects.ts';

const response = await startFakes().ask('GET /docs');
const html = await response.text();
const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
/** As a reader sees it. */
const text = html
  .replace(/<[^>]*>/g, '')
  .replaceAll('&quot;', '"')
  .replaceAll('&#39;', "'")
  .replaceAll('&lt;', '<');

test('the page is HTML that may load its own style sheet and nothing else', async () => {
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(html.startsWith('<!doctype html><html lang="en">')).toBe(true);
  expect(html).not.toMatch(/<script|<style| style="| on\w+="/i);
  const loaded = [...html.matchAll(/<(?:link|img|iframe|source)[^>]*?(?:href|src)="([^"]+)"/g)].map(
    ([, url]) => url,
  );
  expect(loaded).toEqual(['data:,', '/docs/style.css']);
  const style = await startFakes().ask('GET /docs/style.css');
  expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
  expect(await style.text()).not.toMatch(/url\(|@import/);
});

test('every route stands on the page with its address and summary', () => {
  for (const route of apiRoutes) {
    expect(ids).toContain(operationId(route));
    expect(text).toContain(route.path);
    expect(text).toContain(`${route.summary}.`);
  }
});

test('every error code, canonical event, diagnostic and agent has its row', () => {
  for (const code of [...Object.keys(FAILURES), ...Object.keys(DIAGNOSTICS)]) expect(ids).toContain(code);
  for (const event of CANONICAL_EVENTS)
    for (const name of [event, ...Object.values(EVENTS[event])])
      expect(html).toContain(`<code>${name}</code>`);
  for (const { provider, name, locations, blocking, nativeOnlyEvents, docs } of CAPABILITIES) {
    expect(ids).toContain(`provider-${provider}`);
    expect(text).toContain(name);
    for (const fact of [...locations.map(({ path }) => path), ...blocking.events, ...nativeOnlyEvents])
      expect(text).toContain(fact);
    for (const { meaning } of blocking.exitCodes) expect(text).toContain(meaning);
    for (const url of docs) expect(html).toContain(`href="${url}"`);
  }
});

test('ids are unique and every link within the page has its target', () => {
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
  expect(targets.filter((target) => !ids.includes(target ?? ''))).toEqual([]);
});

test('the type of every problem leads to its row on the page', async () => {
  const problem: { type: string } = await (await startFakes().ask('GET /nothing')).json();
  expect(problem.type).toBe('/docs#route_not_found');
  expect(ids).toContain('route_not_found');
});

test('fields are listed with their path, type and limits', () => {
  const schema = {
    type: 'object',
    required: ['task'],
    properties: {
      task: {
        type: 'object',
        properties: {
          id: { type: 'string', minLength: 1, maxLength: 9 },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
      state: { anyOf: [{ $ref: '#/components/schemas/State' }, { type: 'null' }] },
      owner: { $ref: '#/components/schemas/Owner' },
      owners: { type: 'array', items: { $ref: '#/components/schemas/Owner' } },
      at: { type: 'string', format: 'date-time' },
    },
  };
  const schemas = { State: { enum: ['a', 'b'] }, Owner: { type: 'object', properties: {} } };
  const rows = buildRows(schema, schemas).map((row) => [row.field, row.type, row.link, row.rules.join(' ')]);
  expect(rows).toEqual([
    ['task', 'object', null, ''],
    ['task.id', 'string', null, '1 to 9 characters.'],
    ['task.tags', 'list of string', null, ''],
    ['state', '`a` | `b` or null', null, ''],
    ['owner', 'Owner', 'Owner', ''],
    ['owners', 'list of Owner', 'Owner', ''],
    ['at', 'time', null, ''],
  ]);
});

test('every field of a workspace is on the page', () => {
  for (const field of Object.keys(wire.WorkspaceView.shape)) expect(html).toContain(`<code>${field}</code>`);
});

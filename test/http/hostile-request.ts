/** Requests that are right in most places and hostile in one. */
import * as fc from 'fast-check';
import type { Route } from '../../src/http/route.ts';

export const unit = fc.string({ unit: 'binary', maxLength: 30 });

/** Right often enough to get behind the door, wrong everywhere else. */
const segment = fc.oneof(
  fc.constantFrom(
    'demo',
    'ABC-1',
    '1',
    '..',
    '.',
    '%00',
    '%FF',
    '%',
    '%2F',
    '__proto__',
    'constructor',
    '%ED%A0%80',
  ),
  unit.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ maxLength: 8 }).map((text) => text.replace(/[\s#?/\\]/g, '')),
);
const query = fc.array(
  fc.tuple(
    fc.constantFrom('limit', 'cursor', 'status', 'cancel', '__proto__', 'x', '%', ''),
    fc.oneof(segment, fc.nat().map(String)),
  ),
  { maxLength: 3 },
);
const header = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'text/markdown',
      'application/json; charset=x',
      'a',
      '',
    ),
    'idempotency-key': fc.oneof(fc.constant('k'), fc.string({ maxLength: 300 })),
    'content-encoding': fc.constantFrom('gzip', 'identity'),
    'content-length': fc.constantFrom('-1', '1e9', 'x', '99999999999999'),
  },
  { requiredKeys: [] },
);

const hostileJson = fc.json({ maxDepth: 5, stringUnit: 'binary' });
const nested = fc.nat(3000).map((depth) => `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`);
const bodyFor = (example: unknown) =>
  fc.oneof(fc.constant(''), hostileJson, nested, fc.uint8Array({ maxLength: 200 }), mutated(example));

/** A valid example with one value, at any depth, replaced or one key added. */
const mutated = (example: unknown) =>
  fc
    .tuple(
      fc.nat(),
      fc.oneof(fc.constantFrom('__proto__', 'constructor', 'extra', ''), unit),
      fc.jsonValue({ maxDepth: 2 }),
    )
    .map(([at, key, value]) => {
      const copy: unknown = JSON.parse(JSON.stringify(example ?? {}));
      const places: [object, string][] = [];
      const visit = (node: unknown): void => {
        if (typeof node !== 'object' || node === null) return;
        for (const name of [...Object.keys(node), key]) places.push([node, name]);
        Object.values(node).forEach(visit);
      };
      visit(copy);
      const [node, name] = places[at % Math.max(places.length, 1)] ?? [{}, key];
      Object.defineProperty(node, name, { value, enumerable: true, configurable: true, writable: true });
      return JSON.stringify(copy);
    });

export interface HostileRequest {
  method: string;
  /** With its query. */
  path: string;
  init: RequestInit;
}

/** One of the routes, called wrongly. */
export const hostileRequest = (routes: readonly Route[]): fc.Arbitrary<HostileRequest> =>
  fc.constantFrom(...routes).chain((route) =>
    fc
      .record({
        method: fc.oneof(
          { weight: 9, arbitrary: fc.constant<string>(route.method) },
          { weight: 1, arbitrary: fc.constantFrom('PATCH', 'OPTIONS', 'PUT') },
        ),
        parts: fc.array(
          fc.oneof({ weight: 4, arbitrary: fc.constantFrom('demo', '1') }, { weight: 1, arbitrary: segment }),
          { minLength: 4, maxLength: 4 },
        ),
        pairs: query,
        headers: header,
        body: bodyFor(route.body?.example),
      })
      .map(({ method, parts, pairs, headers, body }) => {
        const path = route.path.replace(/\{\w+\}/g, () => parts.pop() ?? 'demo');
        const search = pairs.map(([name, value]) => `${name}=${value}`).join('&');
        const type = route.body?.type ?? 'application/json';
        return {
          method,
          path: `${path}${search === '' ? '' : `?${search}`}`.replaceAll(' ', '%20'),
          init: {
            headers: toHeaders({ 'content-type': type, ...headers }),
            ...(method === 'GET' ? {} : { body }),
          },
        };
      }),
  );

const toHeaders = (fields: Record<string, string | undefined>) => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)) headers.set(name, value);
  return headers;
};

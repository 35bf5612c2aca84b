/** The `Idempotency-Key` header: its grammar, and the digest that tells one request from another. */
import type { Idempotency } from '../../durable-objects/rpc.ts';
import type { Failure } from '../core/failure.ts';
import { type Result, err, ok } from '../core/result.ts';
import { invalidRequest } from './field-faults.ts';

/** Printable ASCII without blanks: a UUID, a ULID, a quoted structured-field string. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Method and address count as part of the request, so a key can't be carried from one route to another. */
export async function readIdempotency(
  request: Request,
  body: unknown,
): Promise<Result<Idempotency | null, Failure>> {
  const key = request.headers.get('idempotency-key');
  if (key === null) return ok(null);
  if (!IDEMPOTENCY_KEY.test(key))
    return err(
      invalidRequest([
        {
          field: 'idempotency-key',
          message: 'Header `idempotency-key` must be 1 to 255 printable ASCII characters without blanks',
        },
      ]),
    );
  const { pathname, search } = new URL(request.url);
  const text = `${request.method} ${pathname}${search}\n${JSON.stringify(body) ?? ''}`;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return ok({ key, digest: hex(new Uint8Array(digest)) });
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Page cursors: opaque base64url on the wire, whatever the objects use inside. */
import { type Failure } from '../core/failure.ts';
import { type Result, err, ok } from '../core/result.ts';
import { invalidRequest, quote } from './field-faults.ts';

const MAX_CURSOR_LENGTH = 1024;

export const encodeCursor = (inner: string | null): string | null =>
  inner === null
    ? null
    : btoa(String.fromCharCode(...new TextEncoder().encode(inner)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replace(/=+$/, '');

/** `isInner` knows the objects' own form: a made-up cursor is refused here and not met in a query. */
export function decodeCursor(
  cursor: string | undefined,
  isInner: (inner: string) => boolean,
): Result<string | null, Failure> {
  if (cursor === undefined) return ok(null);
  const inner = decode(cursor);
  if (inner !== null && isInner(inner) && encodeCursor(inner) === cursor) return ok(inner);
  return err(
    invalidRequest([
      {
        field: 'cursor',
        message: `query parameter \`cursor\` ${quote(cursor)} is none that this API handed out: take it from \`next_cursor\``,
      },
    ]),
  );
}

function decode(cursor: string): string | null {
  if (cursor.length > MAX_CURSOR_LENGTH || !/^[A-Za-z0-9_-]+$/.test(cursor)) return null;
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    );
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

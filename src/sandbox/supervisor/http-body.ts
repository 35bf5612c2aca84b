/** Takes the body of a call, within bounds. */
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { err, ok, type Result } from '../../core/result.ts';
import type { SupervisorError } from '../protocol.ts';

/** A script of 1 MiB with its environment fits. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

export async function readJson<T>(
  request: IncomingMessage,
  schema: z.ZodType<T>,
): Promise<Result<T, SupervisorError>> {
  const bytes = await readBytes(request, MAX_JSON_BYTES);
  if (!bytes.ok) return bytes;
  try {
    return parseWith(schema, JSON.parse(bytes.value.toString()) as unknown);
  } catch {
    return err({ code: 'bad_request', detail: 'The body is not JSON.' });
  }
}

export function parseWith<T>(schema: z.ZodType<T>, value: unknown): Result<T, SupervisorError> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const detail = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  return err({ code: 'bad_request', detail });
}

export async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Result<Buffer, SupervisorError>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return err({ code: 'too_large', detail: `The body is over ${maxBytes} bytes.` });
    chunks.push(chunk);
  }
  return ok(Buffer.concat(chunks));
}

/** Throws of Durable Object calls: the platform's own trouble, or a bug. Neither message nor stack reaches the caller. */
import { type Failure, failure } from '../core/failure.ts';

/** https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
interface PlatformError {
  /** The object was not reached, or restarted meanwhile. */
  retryable?: unknown;
  /** Another try at once would make it worse. */
  overloaded?: unknown;
}

/** For calls that may run twice. Every call makes its own stub: one that threw stays broken. */
export async function repeatOnce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isRetryable(error)) return call();
    throw error;
  }
}

export function failureOfThrow(error: unknown, requestId: string): Failure {
  if (isObject(error) && error.overloaded === true)
    return failure('rate_limited', 'Too many requests for this object at once: try again in a few seconds.');
  if (isRetryable(error))
    return failure('sandbox_unavailable', 'The service is restarting: try again in a few seconds.');
  return failure(
    'internal_error',
    `Something is wrong on our side. Report it with request id ${requestId}.`,
    {
      extra: { request_id: requestId },
    },
  );
}

const isRetryable = (error: unknown): boolean =>
  isObject(error) && error.retryable === true && error.overloaded !== true;

const isObject = (error: unknown): error is PlatformError => typeof error === 'object' && error !== null;

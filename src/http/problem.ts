/** Failures as `application/problem+json`: the only place that words an error answer. */
import { FAILURES, type Failure, failure } from '../core/failure.ts';

export function problemResponse(failed: Failure, headers: Record<string, string> = {}): Response {
  const rule = FAILURES[failed.code];
  const body = {
    ...failed.extra,
    type: `/docs#${failed.code}`,
    title: rule.title,
    status: rule.status,
    code: failed.code,
    detail: failed.detail,
    retryable: rule.retryable,
    ...(failed.diagnostics ? { diagnostics: failed.diagnostics } : {}),
  };
  return new Response(`${JSON.stringify(body)}\n`, {
    status: rule.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(rule.status === 401 ? { 'www-authenticate': 'Bearer realm="edge-harness"' } : {}),
      ...headers,
    },
  });
}

/** What the platform says about an error of a Durable Object call. */
interface PlatformError {
  retryable?: unknown;
  overloaded?: unknown;
}

/** The object was not reached or restarted: nothing is wrong with the request. https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
export const isPlatformRetryable = (error: unknown): boolean =>
  isObject(error) && error.retryable === true && error.overloaded !== true;

/** A throw is a bug or the platform's own trouble; neither its message nor its stack reaches the caller. */
export function failureOfThrow(error: unknown, requestId: string): Failure {
  if (isObject(error) && error.overloaded === true)
    return failure('rate_limited', 'Too many requests for this object at once: try again in a few seconds.');
  if (isPlatformRetryable(error))
    return failure('sandbox_unavailable', 'The service is restarting: try again in a few seconds.');
  return failure(
    'internal_error',
    `Something is wrong on our side. Report it with request id ${requestId}.`,
    {
      extra: { request_id: requestId },
    },
  );
}

const isObject = (error: unknown): error is PlatformError => typeof error === 'object' && error !== null;

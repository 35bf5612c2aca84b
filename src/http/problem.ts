/** Failures as `application/problem+json`: the only place that words an error answer. */
import { FAILURES, type Failure } from '../core/failure.ts';

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

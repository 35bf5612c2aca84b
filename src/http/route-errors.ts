/** Which failures a route can answer: its own, and those that come with what it takes. */
import { FAILURES, type FailureCode } from '../core/failure.ts';
import type { Route } from './route.ts';

export function codesOf(route: Route): FailureCode[] {
  const codes = new Set<FailureCode>(route.errors);
  if (takesInput(route)) codes.add('invalid_request');
  if (route.method !== 'GET') codes.add('body_too_large');
  if (route.access !== 'open') for (const code of OF_PROTECTED) codes.add(code);
  codes.add('internal_error');
  return (Object.keys(FAILURES) as FailureCode[]).filter((code) => codes.has(code));
}

const OF_PROTECTED = ['unauthorized', 'auth_not_configured', 'rate_limited', 'sandbox_unavailable'] as const;

/** Even a route without parameters refuses unknown ones. */
const takesInput = (route: Route): boolean => route.access !== 'open' || Object.keys(route.query).length > 0;

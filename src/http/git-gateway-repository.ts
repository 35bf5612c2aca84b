/** The address of the project's repository, and which redirects from it are followed. */
import type { Refusal } from '../core/git-gateway/address.ts';
import { NO_REPOSITORY_THERE, refuseOtherOrigin } from '../core/git-gateway/host-answer.ts';
import { type Result, err, ok } from '../core/result.ts';

export interface Repository {
  /** Without a slash at the end. */
  base: string;
}

export const parseRepository = (url: string): Result<Repository, Refusal> => {
  const parsed = URL.parse(url);
  if (parsed === null || !isPlain(parsed) || parsed.search !== '')
    return err({ status: 502, text: "The project's repository is not a plain https or http address." });
  return ok({ base: parsed.origin + parsed.pathname.replace(/\/+$/, '') });
};

/** `tail` is what was asked below `base`; the new base is what stands before it. */
export const nextLocation = (
  base: string,
  location: string | null,
  tail: string,
): Result<string, Refusal> => {
  const next = location === null ? null : URL.parse(location, base + tail);
  if (next === null) return err(NO_REPOSITORY_THERE);
  if (next.origin !== new URL(base).origin || !isPlain(next)) return err(refuseOtherOrigin(next.origin));
  const path = next.pathname + next.search;
  return path.endsWith(tail) ? ok(next.origin + path.slice(0, -tail.length)) : err(NO_REPOSITORY_THERE);
};

const isPlain = (url: URL): boolean =>
  (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '';

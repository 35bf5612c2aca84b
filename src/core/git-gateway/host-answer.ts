/** What the gateway says when the repository's host does not answer with git. The host's own words stay away: they may quote the credential. */
import type { Refusal } from './address.ts';

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** null: 200, the only answer that carries git. */
export const refuseHostAnswer = (status: number, hasCredential: boolean): Refusal | null => {
  if (status === 200) return null;
  if (status === 401 || status === 403)
    return { status: 403, text: CREDENTIAL[hasCredential ? 'refused' : 'missing'] };
  if (status === 404 || status === 410)
    return { status: 404, text: "The project's repository was not found, or its credential may not see it." };
  if (status === 413)
    return { status: 413, text: "The repository's host does not take a request of this size." };
  if (status === 429)
    return { status: 429, text: "The repository's host asks for fewer requests. Try again later." };
  if (status === 503) return { status: 503, text: "The repository's host is unavailable. Try again later." };
  return { status: 502, text: `The repository's host answered with status ${status}.` };
};

const CREDENTIAL = {
  refused: "The repository's host refused the project's credential. Set a new one and try again.",
  missing: "The repository's host asks for a credential, and the project has none. Set one and try again.",
};

export const NOT_GIT: Refusal = {
  status: 502,
  text: "The repository's host answered with something that is not git's smart HTTP.",
};

export const OUT_OF_REACH: Refusal = { status: 502, text: "The repository's host is out of reach." };

export const MOVED: Refusal = {
  status: 502,
  text: 'The repository moved during the operation. Try again.',
};

/** `origin` is scheme, host and port. */
export const refuseOtherOrigin = (origin: string): Refusal => ({
  status: 403,
  text: `The repository's host redirects to ${origin}, and the credential is for the first host only. Set the project's repository to its new address.`,
});

export const NO_REPOSITORY_THERE: Refusal = {
  status: 403,
  text: "The repository's host redirects to a page that is no repository, mostly to sign in. Check the project's repository and credential.",
};

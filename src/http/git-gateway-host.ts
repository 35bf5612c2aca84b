/** Speaks with the host of the project's repository: adds the credential, follows redirects within the host. */
import { type GitAddress, type Refusal, stepPath } from '../core/git-gateway/address.ts';
import {
  answerType,
  type ForwardedHeaders,
  buildRequestHeaders,
  isType,
} from '../core/git-gateway/git-headers.ts';
import {
  MOVED,
  NOT_GIT,
  OUT_OF_REACH,
  isRedirect,
  refuseHostAnswer,
} from '../core/git-gateway/host-answer.ts';
import { type Result, err, ok } from '../core/result.ts';
import { type Repository, nextLocation } from './git-gateway-repository.ts';

export interface Host {
  repository: Repository;
  headers: ForwardedHeaders;
  fetch: typeof fetch;
  signal: AbortSignal;
}

/** As many as git's own default allows for is far more than any host needs. */
const MAX_REDIRECTS = 5;
/** Repositories that answered with a redirect, or without one: a hint that saves a request, safe to lose. */
const knownBases = new Map<string, string>();
const MAX_KNOWN_BASES = 500;

/** The list of refs. Its redirects tell where the repository is. */
export const askForRefs = async (
  host: Host,
  service: GitAddress['service'],
): Promise<Result<Response, Refusal>> => {
  const address = { service, step: 'refs' } as const;
  let base = host.repository.base;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answer = await send(host, base + stepPath(address), {
      headers: buildRequestHeaders(address, host.headers),
    });
    if (answer === null) return err(OUT_OF_REACH);
    if (!isRedirect(answer.status)) {
      const judged = await judge(answer, address, host);
      if (judged.ok) rememberBase(host.repository.base, base);
      return judged;
    }
    await discard(answer);
    const next = nextLocation(base, answer.headers.get('location'), stepPath(address));
    if (!next.ok) return next;
    base = next.value;
  }
  return err({ status: 502, text: "The repository's host redirects in a circle." });
};

export interface HostBody {
  body: Uint8Array | ReadableStream<Uint8Array>;
  /** Aborted when the body cannot be read to its end. */
  failed: AbortSignal;
}

/** A body is sent once, so where it goes has to be known before. */
export const exchange = async (
  host: Host,
  service: GitAddress['service'],
  { body, failed }: HostBody,
): Promise<Result<Response, Refusal>> => {
  const base = await findBase(host, service);
  if (!base.ok) return base;
  const address = { service, step: 'exchange' } as const;
  // workerd ends a request as if it were whole when its body fails: only an abort cuts it off.
  const signal = AbortSignal.any([host.signal, failed]);
  const answer = await send({ ...host, signal }, base.value + stepPath(address), {
    method: 'POST',
    headers: buildRequestHeaders(address, host.headers),
    body,
  });
  if (answer === null) return err(OUT_OF_REACH);
  if (!isRedirect(answer.status)) return judge(answer, address, host);
  await discard(answer);
  knownBases.delete(host.repository.base);
  return err(MOVED);
};

const findBase = async (host: Host, service: GitAddress['service']): Promise<Result<string, Refusal>> => {
  const { base } = host.repository;
  const known = knownBases.get(base);
  if (known !== undefined) return ok(known);
  const asked = await askForRefs({ ...host, headers: { ...host.headers, contentEncoding: null } }, service);
  if (!asked.ok) return asked;
  await discard(asked.value);
  return ok(knownBases.get(base) ?? base);
};

const rememberBase = (from: string, to: string): void => {
  const oldest = knownBases.keys().next().value;
  if (knownBases.size >= MAX_KNOWN_BASES && oldest !== undefined) knownBases.delete(oldest);
  knownBases.set(from, to);
};

interface Sent {
  method?: 'POST';
  headers: Record<string, string>;
  body?: Uint8Array | ReadableStream<Uint8Array>;
}

/** null: no answer. Why is not told on, because the platform's words may hold the address or a header. */
const send = async ({ fetch, signal }: Host, url: string, init: Sent): Promise<Response | null> => {
  try {
    // Node streams a body only with `duplex`; workerd's types do not know it.
    return await fetch(url, { ...init, redirect: 'manual', signal, duplex: 'half' } as RequestInit);
  } catch {
    return null;
  }
};

const judge = async (
  answer: Response,
  address: Pick<GitAddress, 'service' | 'step'>,
  host: Host,
): Promise<Result<Response, Refusal>> => {
  const refusal = refuseHostAnswer(answer.status, host.headers.authorization !== null);
  if (refusal === null && isType(answer.headers.get('content-type'), answerType(address))) return ok(answer);
  await discard(answer);
  return err(refusal ?? NOT_GIT);
};

const discard = async (answer: Response): Promise<void> => {
  await answer.body?.cancel().catch(() => undefined);
};

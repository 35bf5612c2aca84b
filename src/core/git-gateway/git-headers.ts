/** Which headers pass the gateway, by name and by value. Whatever is not named here stays outside. */
import type { GitAddress, GitService } from './address.ts';

/** Hosts serve git to clients that call themselves so. */
const USER_AGENT = 'git/2 (edge-harness)';

const requestType = (service: GitService): string => `application/x-${service}-request`;

/** The one content type that a good answer has; anything else is no git server's. */
export const answerType = ({ service, step }: Pick<GitAddress, 'service' | 'step'>): string =>
  `application/x-${service}-${step === 'refs' ? 'advertisement' : 'result'}`;

export const isType = (header: string | null, type: string): boolean =>
  header !== null && header.split(';', 1)[0]?.trim().toLowerCase() === type;

export const isRequestType = (header: string | null, service: GitService): boolean =>
  isType(header, requestType(service));

/** `gzip` is the only coding that git sends; null: none. undefined: one that we do not know. */
export const parseContentEncoding = (header: string | null): 'gzip' | null | undefined => {
  const coding = (header ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return null;
  return coding === 'gzip' || coding === 'x-gzip' ? 'gzip' : undefined;
};

/** Decimal digits only; null: unknown. */
export const parseContentLength = (header: string | null): number | null =>
  header !== null && /^\d{1,15}$/.test(header) ? Number(header) : null;

/** The version alone: further keys are the host's business. Nothing is pushed in version 2, whatever it says. */
export const parseGitProtocol = (header: string | null, service: GitService): string | null => {
  const versions = service === 'git-receive-pack' ? /^version=[01]$/ : /^version=[012]$/;
  return header?.split(':').find((key) => versions.test(key)) ?? null;
};

export interface ForwardedHeaders {
  gitProtocol: string | null;
  contentEncoding: 'gzip' | null;
  /** The credential, as the value of `Authorization`. */
  authorization: string | null;
}

export const buildRequestHeaders = (
  address: Pick<GitAddress, 'service' | 'step'>,
  { gitProtocol, contentEncoding, authorization }: ForwardedHeaders,
): Record<string, string> => ({
  accept: answerType(address),
  // A pack is compressed already, and an answer is passed on without a coding.
  'accept-encoding': 'identity',
  'user-agent': USER_AGENT,
  ...(address.step === 'exchange' ? { 'content-type': requestType(address.service) } : {}),
  ...(contentEncoding === null ? {} : { 'content-encoding': contentEncoding }),
  ...(gitProtocol === null ? {} : { 'git-protocol': gitProtocol }),
  ...(authorization === null ? {} : { authorization }),
});

/** Answers stand at our own origin: no browser may keep one or read anything into it. */
export const buildAnswerHeaders = (contentType: string): Record<string, string> => ({
  'content-type': contentType,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
});

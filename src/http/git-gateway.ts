/** Git's smart HTTP for sandboxes: whoever has the grant speaks with one repository, and never sees its credential. */
import { type GitAddress, type Refusal, parseGitAddress } from '../core/git-gateway/address.ts';
import {
  isRequestType,
  parseContentEncoding,
  parseContentLength,
  parseGitProtocol,
} from '../core/git-gateway/git-headers.ts';
import { requestTooLarge } from '../core/git-gateway/pack-limit.ts';
import { type Result, err, ok } from '../core/result.ts';
import { gitAnswer, refusalAnswer } from './git-gateway-answer.ts';
import { RequestBody } from './git-gateway-body.ts';
import type { GitCall, GitGatewayOptions, GrantAccess } from './git-gateway-call.ts';
import { askForRefs, exchange } from './git-gateway-host.ts';
import { buildHostBody } from './git-gateway-pipe.ts';
import { servePush } from './git-gateway-push.ts';
import { parseRepository } from './git-gateway-repository.ts';

export type { GitAudit, GitGatewayOptions, GrantAccess } from './git-gateway-call.ts';

/** The grant's token in a request for the gateway, to look it up by its hash; else the answer to give. */
export const findGrantToken = (request: Request): Result<string, Response> => {
  const address = addressOf(request);
  return address.ok ? ok(address.value.grant) : err(refusalAnswer(address.error));
};

/** 403, not 401: git would ask for a password. */
export const refuseUnknownGrant = (): Response =>
  refusalAnswer({ status: 403, text: 'This git address is not in force: its operation has ended.' });

/** Never throws for what a client or a host sends. The answer's body streams, so the caller must pass it on as it is. */
export const serveGit = async (
  request: Request,
  grant: GrantAccess,
  fetchHost: typeof fetch,
  options: GitGatewayOptions = {},
): Promise<Response> => {
  const call = openCall(request, grant, { fetchHost, options });
  if (!call.ok) return refusalAnswer(call.error);
  const { address } = call.value;
  if (address.service === 'git-receive-pack' && grant.operation !== 'save') return refuseWriting(call.value);
  if (address.step === 'refs') return passOn(address, await askForRefs(call.value.host, address.service));
  return address.service === 'git-receive-pack' ? servePush(call.value) : serveFetch(call.value);
};

const addressOf = (request: Request): Result<GitAddress, Refusal> => {
  const { pathname, search } = new URL(request.url);
  return parseGitAddress(request.method, pathname, search);
};

const openCall = (
  request: Request,
  grant: GrantAccess,
  { fetchHost, options }: { fetchHost: typeof fetch; options: GitGatewayOptions },
): Result<GitCall, Refusal> => {
  const address = addressOf(request);
  if (!address.ok) return address;
  const { service, step } = address.value;
  const coding = parseContentEncoding(request.headers.get('content-encoding'));
  if (coding === undefined)
    return err({ status: 415, text: 'The only content encoding that is accepted is gzip.' });
  if (step === 'exchange' && !isRequestType(request.headers.get('content-type'), service))
    return err({ status: 415, text: `The content type is not that of a ${service} request.` });
  const repository = parseRepository(grant.repositoryUrl);
  if (!repository.ok) return repository;
  const { authorization } = grant;
  if (authorization !== null && !/^[!-~]+(?: [!-~]+)*$/.test(authorization))
    return err({ status: 502, text: "The project's credential cannot be sent as a header. Set it anew." });
  const gitProtocol = parseGitProtocol(request.headers.get('git-protocol'), service);
  return ok({
    request,
    address: address.value,
    grant,
    host: {
      repository: repository.value,
      headers: { gitProtocol, contentEncoding: null, authorization },
      fetch: fetchHost,
      signal: request.signal,
    },
    coding,
    maxBodyBytes: options.maxBodyBytes ?? null,
    audit: (kind, refs, reason) =>
      options.onAudit?.({
        kind,
        refs: refs.slice(0, MAX_AUDITED_REFS).map((ref) => auditable(ref, address.value.grant)),
        reason,
      }),
  });
};

/** More than a save pushes; a client may name thousands, to fill up what keeps the events. */
const MAX_AUDITED_REFS = 250;
const MAX_AUDITED_LENGTH = 400;

const auditable = (ref: string, grant: string): string =>
  ref.replaceAll(grant, '***').slice(0, MAX_AUDITED_LENGTH);

const refuseWriting = ({ audit }: GitCall): Response => {
  const text = 'This git address is for reading only.';
  audit('push-refused', [], text);
  return refusalAnswer({ status: 403, text });
};

/** What a client wants and has may be coded; hosts decode that as they do for git itself. */
const serveFetch = async (call: GitCall): Promise<Response> => {
  const { request, address, host, coding } = call;
  const limit = call.maxBodyBytes ?? Number.POSITIVE_INFINITY;
  const length = parseContentLength(request.headers.get('content-length'));
  if (length !== null && length > limit) return refusalAnswer(requestTooLarge(limit));
  const body = new RequestBody(request.body, null, limit);
  const whole = await buildHostBody(new Uint8Array(), body);
  if (!whole.ok) return refuseBody(body, limit);
  call.audit('fetch', [], null);
  const coded = { ...host, headers: { ...host.headers, contentEncoding: coding } };
  const answer = await exchange(coded, address.service, { body: whole.value, failed: body.signal });
  return body.fault === null ? passOn(address, answer) : refuseBody(body, limit);
};

const refuseBody = (body: RequestBody, limit: number): Response =>
  refusalAnswer(
    body.fault === 'too_large'
      ? requestTooLarge(limit)
      : { status: 400, text: 'The request cannot be read to its end.' },
  );

const passOn = (address: GitAddress, answer: Result<Response, Refusal>): Response =>
  answer.ok ? gitAnswer(address, answer.value.body) : refusalAnswer(answer.error);

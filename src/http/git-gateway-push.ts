/** A push: its commands are read and judged before anything goes to the host, its pack only passes through. */
import type { Refusal } from '../core/git-gateway/address.ts';
import { joinBytes } from '../core/git-gateway/byte-text.ts';
import { type CommandList, encodeCommandList } from '../core/git-gateway/command-list.ts';
import { CommandReader } from '../core/git-gateway/command-reader.ts';
import { parseContentLength } from '../core/git-gateway/git-headers.ts';
import { HOST_LIMIT, packTooLarge, requestTooLarge } from '../core/git-gateway/pack-limit.ts';
import { type Verdict, refuseAll, refusePush } from '../core/git-gateway/push-check.ts';
import { buildPushReport } from '../core/git-gateway/push-report.ts';
import { type Result, err, ok } from '../core/result.ts';
import { gitAnswer, refusalAnswer, reportAnswer } from './git-gateway-answer.ts';
import { RequestBody } from './git-gateway-body.ts';
import { buildHostBody } from './git-gateway-pipe.ts';
import { exchange } from './git-gateway-host.ts';
import type { GitCall } from './git-gateway-call.ts';

/** A pack of zeros shrinks a thousandfold in gzip: where nothing else limits it, this does. */
const MAX_INFLATED_BYTES = 1024 * 1024 * 1024;

export const servePush = async (call: GitCall): Promise<Response> => {
  const { request, coding, maxBodyBytes } = call;
  const limit = maxBodyBytes ?? (coding === null ? Number.POSITIVE_INFINITY : MAX_INFLATED_BYTES);
  const body = new RequestBody(request.body, coding, limit);
  const list = await readCommands(body, limit);
  if (!list.ok) {
    await body.stop();
    return refusalAnswer(list.error);
  }
  const length = parseContentLength(request.headers.get('content-length'));
  const verdicts =
    length !== null && length > limit
      ? refuseAll(list.value, packTooLarge(length, limit))
      : refusePush(list.value, call.grant.allowedRefs);
  if (verdicts.length > 0) return refuse(call, { list: list.value, verdicts, body });
  return list.value.commands.length === 0
    ? serveProbe(call, { list: list.value, body })
    : forward(call, { list: list.value, body, limit });
};

const malformed = (fault: string): Refusal => ({ status: 400, text: `The push is malformed: ${fault}.` });

const readCommands = async (body: RequestBody, limit: number): Promise<Result<CommandList, Refusal>> => {
  const reader = new CommandReader();
  for (;;) {
    const chunk = await body.next();
    if (!chunk.ok)
      return err(
        chunk.error === 'too_large' ? requestTooLarge(limit) : malformed('it cannot be read to its end'),
      );
    if (chunk.value === null) return err(malformed('it ends before its commands do'));
    const head = reader.add(chunk.value);
    if (!head.ok) return err(malformed(head.error));
    if (head.value === null) continue;
    body.unread(head.value.rest);
    return ok(head.value.list);
  }
};

interface Push {
  list: CommandList;
  body: RequestBody;
}

const refuse = async (
  { address, audit }: GitCall,
  { list, verdicts, body }: Push & { verdicts: Verdict[] },
): Promise<Response> => {
  audit(
    'push-refused',
    verdicts.map((verdict) => verdict.ref),
    [...new Set(verdicts.map((verdict) => verdict.reason))].join('; '),
  );
  const report = buildPushReport(verdicts, list.capabilities);
  if (report !== null) return reportAnswer(address, report, body);
  await body.stop();
  return refusalAnswer({
    status: 403,
    text: verdicts.map(({ ref, reason }) => `${ref}: ${reason}`).join('\n'),
  });
};

/** Before a push in chunks git sends a lone flush to learn whether it may; the host answers that for itself. */
const serveProbe = async (call: GitCall, { list, body }: Push): Promise<Response> => {
  const rest = await body.next();
  await body.stop();
  if (!rest.ok || rest.value !== null) return refusalAnswer(malformed('a pack comes without commands'));
  const answer = await exchange(call.host, 'git-receive-pack', {
    body: encodeCommandList(list),
    failed: body.signal,
  });
  return answer.ok ? gitAnswer(call.address, answer.value.body) : refusalAnswer(answer.error);
};

const forward = async (call: GitCall, { list, body, limit }: Push & { limit: number }): Promise<Response> => {
  if (!(await startsWithPack(body))) {
    await body.stop();
    return refusalAnswer(malformed('no pack follows the commands'));
  }
  const refs = list.commands.map((command) => command.ref);
  const whole = await buildHostBody(encodeCommandList(list), body);
  if (whole.ok) {
    call.audit('push', refs, null);
    const answer = await exchange(call.host, 'git-receive-pack', {
      body: whole.value,
      failed: body.signal,
    });
    if (body.fault === null && answer.ok) return gitAnswer(call.address, answer.value.body);
    if (body.fault === null && !answer.ok && answer.error.status !== 413) {
      await body.stop();
      return refusalAnswer(answer.error);
    }
  }
  if (body.fault === 'broken') return refusalAnswer(malformed('it cannot be read to its end'));
  const reason = body.fault === null ? HOST_LIMIT : packTooLarge(null, limit);
  return refuse(call, { list, body, verdicts: refuseAll(list, reason) });
};

const PACK = [0x50, 0x41, 0x43, 0x4b];

/** Anything else after the commands is a part of the protocol that nobody checked. */
const startsWithPack = async (body: RequestBody): Promise<boolean> => {
  let start: Uint8Array = new Uint8Array();
  while (start.length < PACK.length) {
    const chunk = await body.next();
    if (!chunk.ok || chunk.value === null) return false;
    start = start.length === 0 ? chunk.value : joinBytes([start, chunk.value]);
  }
  body.unread(start);
  return PACK.every((byte, at) => start[at] === byte);
};

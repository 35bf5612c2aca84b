/** Builds the gateway's answers. Their headers are ours alone: no cookie, challenge or cache rule of a host passes. */
import type { GitAddress, Refusal } from '../core/git-gateway/address.ts';
import { answerType, buildAnswerHeaders } from '../core/git-gateway/git-headers.ts';
import type { RequestBody } from './git-gateway-body.ts';

/** Enough for a push that Cloudflare lets in. */
const MAX_DRAINED_BYTES = 128 * 1024 * 1024;

/** Git shows plain text to the person, line by line. */
export const refusalAnswer = ({ status, text, allow }: Refusal): Response =>
  new Response(`${text}\n`, {
    status,
    headers: {
      ...buildAnswerHeaders('text/plain; charset=utf-8'),
      ...(allow === undefined ? {} : { allow }),
    },
  });

export const gitAnswer = (
  address: GitAddress,
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null,
): Response => new Response(body, { status: 200, headers: buildAnswerHeaders(answerType(address)) });

/** The report goes out at once; the answer ends when the client has sent its pack, which nobody keeps. */
export const reportAnswer = (address: GitAddress, report: Uint8Array, body: RequestBody): Response => {
  let isSent = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!isSent) {
          isSent = true;
          return controller.enqueue(report);
        }
        await body.drain(MAX_DRAINED_BYTES);
        controller.close();
      },
      cancel: () => body.stop(),
    },
    { highWaterMark: 0 },
  );
  return gitAnswer(address, stream);
};

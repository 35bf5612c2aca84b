/** The same damaged and forged pushes over the wire. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../support/git-gateway.ts';
import { PUSH_TYPE } from '../support/push-body.ts';
import { MUTATIONS, type PushOutcome, judgeMutations } from '../support/push-verdict.ts';

test(
  `workerd lets none of ${MUTATIONS} mutated pushes through unchecked, and answers none with 500`,
  { timeout: 600_000 },
  async () => {
    const { url, posts } = await startRecorder();
    const allowedRefs = { branch: 'symphony/ABC-1', rescuePrefix: 'symphony-rescue/ABC-1/' };
    const save = { operation: 'save', repositoryUrl: url, authorization: null, allowedRefs } as const;
    const gateway = await startGateway('workerd', { save });
    onTestFinished(() => gateway.close());
    const verdict = await judgeMutations(MUTATIONS, async ({ bytes, headers }) => {
      posts.length = 0;
      const answer = await fetch(`${gateway.address('save')}/git-receive-pack`, {
        method: 'POST',
        headers: { 'content-type': PUSH_TYPE, ...headers },
        body: bytes,
      });
      await answer.arrayBuffer();
      return { status: answer.status, posts: [...posts] };
    });
    expect(verdict.faults).toEqual([]);
    expect(verdict.forwarded).toBeGreaterThan(MUTATIONS / 50);
  },
);

/** A host that keeps what it is sent. */
const startRecorder = async (): Promise<{ url: string; posts: PushOutcome['posts'] }> => {
  const posts: PushOutcome['posts'] = [];
  const server = createServer((incoming, outgoing) => {
    const post = { body: '', coding: incoming.headers['content-encoding'] };
    if (incoming.method === 'POST') posts.push(post);
    incoming.on('data', (piece: Buffer) => (post.body += piece.toString('latin1')));
    incoming.on('end', () => {
      const type = incoming.method === 'POST' ? 'result' : 'advertisement';
      outgoing.setHeader('content-type', `application/x-git-receive-pack-${type}`).end('0000');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/demo.git`, posts };
};

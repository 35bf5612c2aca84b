/** Stands between sandboxes and the Worker at `PUBLIC_URL`: records the git addresses that were given out, and can hold a request up. */
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitPassage {
  /** Without a slash at the end. */
  readonly url: string;
  /** The Worker. */
  target: string;
  /** Every `{project}~{key}~{token}` that was asked for, oldest first. */
  readonly grants: Set<string>;
  /** Runs before a request goes on. `METHOD path?query`. */
  hold: ((call: string) => Promise<void>) | null;
  close(): Promise<void>;
}

export const startGitPassage = async (): Promise<GitPassage> => {
  const http = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const [, grant] = /^\/git\/([^/]+)\//.exec(url) ?? [];
    if (grant !== undefined) passage.grants.add(grant);
    const goOn = () => {
      const onward = sendRequest(passage.target + url, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    };
    (passage.hold?.(`${method} ${url}`) ?? Promise.resolve()).then(goOn, () => outgoing.destroy());
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const passage: GitPassage = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    target: '',
    grants: new Set(),
    hold: null,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return passage;
};

/** A host that asks for a credential, in front of a git server: records what arrives, moves repositories, sets cookies. */
import {
  createServer,
  request as sendRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitHost {
  /** Without a slash at the end. */
  readonly url: string;
  readonly requests: { method: string; url: string; headers: IncomingHttpHeaders }[];
  /** Where `/away/…` redirects to. */
  away: string;
  close(): Promise<void>;
}

export const startGitHost = async (gitServer: string, authorization: string): Promise<GitHost> => {
  const http = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    host.requests.push({ method, url, headers });
    outgoing.setHeader('set-cookie', 'session=1');
    if (headers.authorization !== authorization)
      outgoing.writeHead(401, { 'www-authenticate': 'Basic realm="host"' }).end('Log in\n');
    else if (url.startsWith('/away/')) outgoing.writeHead(302, { location: host.away + url }).end();
    else if (/^\/[^/.]+\/info\/refs/.test(url))
      outgoing.writeHead(301, { location: url.replace('/info/', '.git/info/') }).end();
    else passOn(gitServer, incoming, outgoing);
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const host: GitHost = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests: [],
    away: '',
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return host;
};

const passOn = (gitServer: string, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const { method, url = '', headers } = incoming;
  const onward = sendRequest(gitServer + url, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
};

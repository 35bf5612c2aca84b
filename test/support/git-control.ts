/** The git server for tests that run in workerd: its functions over HTTP, `POST /` with `[name, …arguments]`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startGitServer, type GitServer } from './git-server.ts';

export interface GitControl {
  url: string;
  stop(): Promise<void>;
}

export async function startGitControl(): Promise<GitControl> {
  const server = await startGitServer();
  const control = createServer((request, response) => {
    text(request)
      .then((body) => carryOut(server, JSON.parse(body) as [string, ...never[]]))
      .then(
        (value) => response.end(JSON.stringify(value ?? null)),
        (thrown: unknown) => response.writeHead(500).end(String(thrown)),
      );
  });
  await new Promise<void>((resolve) => {
    control.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
    stop: async () => {
      control.closeAllConnections();
      await new Promise((resolve) => {
        control.close(resolve);
      });
      await server.close();
    },
  };
}

async function carryOut(server: GitServer, [name, ...args]: [string, ...never[]]): Promise<unknown> {
  switch (name) {
    case 'repository':
      return server.repository(...(args as unknown as Parameters<GitServer['repository']>));
    case 'sha':
      return server.sha(...(args as unknown as Parameters<GitServer['sha']>));
    case 'commit':
      return server.commit(...(args as unknown as Parameters<GitServer['commit']>));
    case 'git':
      return server.git(...(args as unknown as Parameters<GitServer['git']>));
    case 'silence':
      return server.silent.add(String(args[0])).size;
    case 'unsilence':
      return server.silent.delete(String(args[0]));
    case 'requests':
      return server.requests.filter((line) => line.includes(`/${args[0] as unknown as string}.git/`)).length;
    case 'refusePushes':
      return server.refusePushes(...(args as unknown as Parameters<GitServer['refusePushes']>));
    default:
      throw new Error(`the git server has no ${name}`);
  }
}

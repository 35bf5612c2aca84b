/** Somebody at a terminal of a workspace, over the API. */
import { WebSocket } from 'ws';
import type { Stack } from '../../scripts/stack/stack.ts';

/** Types a line and leaves with `exit`; answers all that was on the screen, or the status and body of a refusal. */
export function useTerminal({ url, token }: Stack, path: string, line: string): Promise<string> {
  const socket = openTerminal({ url, token }, path);
  let screen = '';
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => {
        body += chunk.toString('utf8');
      });
      answer.on('end', () => resolve(`${answer.statusCode} ${body}`));
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(screen));
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) screen += data.toString('utf8');
      else if (data.toString('utf8').includes('"ready"')) socket.send(Buffer.from(`${line}\nexit\n`));
    });
  });
}

/** `path`: of the workspace. */
export const openTerminal = ({ url, token }: Pick<Stack, 'url' | 'token'>, path: string): WebSocket =>
  new WebSocket(`${url.replace('http', 'ws')}${path}/terminal`, {
    headers: { authorization: `Bearer ${token}` },
  });

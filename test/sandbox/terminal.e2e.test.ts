/** A terminal as the supervisor opens it: confined as it is told to be, and nowhere but in the workspace. */
import { readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { get } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { SupervisorClient } from '../../src/sandbox/client.ts';
import { CONFINEMENT_HEADER, CREATION_HEADER, DIRECTORY_HEADER } from '../../src/sandbox/protocol.ts';
import { answered, buildOpen, clone, type Session } from './session.ts';
import { openHost, type HostReached } from './supervisor-process.ts';

let reached: HostReached;
let session: Session;

beforeAll(async () => {
  reached = await openHost();
  const client = new SupervisorClient(reached.fetcher);
  const request = buildOpen(reached);
  const { directory } = answered(await client.open(request));
  session = { reached, client, target: { creationId: request.creation_id, directory } };
  await clone(session);
});
afterAll(() => reached.end());

/** What is on the screen after a line and `exit`, or the refusal. */
function useTerminal(confinement: string | null, line = ''): Promise<string> {
  const { creationId, directory } = session.target;
  const socket = new WebSocket(`${reached.url().replace('http', 'ws')}/terminal`, {
    headers: {
      authorization: `Bearer ${reached.token}`,
      [CREATION_HEADER]: creationId,
      [DIRECTORY_HEADER]: encodeURIComponent(directory),
      ...(confinement === null ? {} : { [CONFINEMENT_HEADER]: confinement }),
    },
  });
  let screen = '';
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, answer) => {
      answer.on('data', (chunk: Buffer) => resolve(`${answer.statusCode} ${chunk.toString('utf8')}`));
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(screen));
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) screen += data.toString('utf8');
      else if (data.toString('utf8').includes('"ready"')) socket.send(Buffer.from(`${line}\nexit\n`));
    });
  });
}

const PLAIN = '{"kind":"none"}';

/** Asks for a terminal and does not shake hands as a WebSocket does. */
function askWrongly(): Promise<number | undefined> {
  const { creationId, directory } = session.target;
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    authorization: `Bearer ${reached.token}`,
    [CREATION_HEADER]: creationId,
    [DIRECTORY_HEADER]: encodeURIComponent(directory),
    [CONFINEMENT_HEADER]: PLAIN,
  };
  return new Promise((resolve, reject) => {
    get(`${reached.url()}/terminal`, { headers }, (answer) => resolve(answer.resume().statusCode)).on(
      'error',
      reject,
    );
  });
}

const cwdOf = (pid: string): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
};
const shellsInWorkspace = () =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && cwdOf(name) === session.target.directory);

test('a shell in the workspace, with the base set alone', async () => {
  const screen = await useTerminal(PLAIN, 'echo "in $PWD, $TERM, $((40 + 2))"');
  expect(screen).toContain(`in ${session.target.directory}, xterm-256color, 42`);
});

test('a shell that nobody can be connected to goes at once', async () => {
  expect(await askWrongly()).toBe(400);
  await expect.poll(shellsInWorkspace).toEqual([]);
});

test.each([null, '', '{}', '{"kind":"vm"}', '{"kind":"docker"}', 'none'])(
  'without a confinement there is none: %j',
  async (confinement) => {
    expect(await useTerminal(confinement)).toMatch(/^400 .*"bad_request"/);
  },
);

test('a workspace that became a link has no terminal', async () => {
  const { directory } = session.target;
  renameSync(directory, `${directory}.moved`);
  symlinkSync(`${directory}.moved`, directory);
  expect(await useTerminal(PLAIN)).toMatch(/^409 .*"workspace_damaged"/);
});

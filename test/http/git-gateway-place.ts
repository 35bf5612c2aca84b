/** What the gateway's tests with real git share: a server, a host that wants a credential, one grant per case. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { GrantAccess } from '../../src/http/git-gateway.ts';
import { type GitRun, runGit } from '../support/git-client.ts';
import { type Gateway, type GatewayRuntime, startGateway } from '../support/git-gateway.ts';
import { type GitHost, startGitHost } from '../support/git-host.ts';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';

export const CREDENTIAL = `Basic ${Buffer.from('x-access-token:canary-4711').toString('base64')}`;
export const BRANCH = 'symphony/ABC-1';
export const RESCUE = 'symphony-rescue/ABC-1/';

export interface Place {
  server: GitServer;
  host: GitHost;
  gateway: Gateway;
  /** A new clone through the clone grant, on the task branch. */
  clone(...options: string[]): Promise<string>;
  folder(): Promise<string>;
  close(): Promise<void>;
}

export const openPlace = async (
  runtime: GatewayRuntime,
  more: (host: string) => Record<string, Partial<GrantAccess>> = () => ({}),
  maxBodyBytes: number | null = null,
): Promise<Place> => {
  const server = await startGitServer();
  await server.repository('demo');
  const host = await startGitHost(server.url, CREDENTIAL);
  const grant = (changes: Partial<GrantAccess>): GrantAccess => ({
    operation: 'save',
    repositoryUrl: `${host.url}/demo.git`,
    authorization: CREDENTIAL,
    allowedRefs: { branch: BRANCH, rescuePrefix: RESCUE },
    ...changes,
  });
  const named = { save: {}, clone: { operation: 'clone' }, ...more(host.url) } as const;
  const grants = Object.entries(named).map(([name, changes]) => [name, grant(changes)] as const);
  const gateway = await startGateway(runtime, Object.fromEntries(grants), maxBodyBytes);
  const folders: string[] = [];
  const folder = async (): Promise<string> => {
    const made = await mkdtemp(join(tmpdir(), 'git-gateway-'));
    folders.push(made);
    return made;
  };
  return {
    server,
    host,
    gateway,
    folder,
    async clone(...options) {
      const tree = join(await folder(), 'tree');
      await git('/', 'clone', '--quiet', ...options, gateway.address('clone'), tree);
      await git(tree, 'checkout', '--quiet', '-b', BRANCH);
      return tree;
    },
    async close() {
      await gateway.close();
      await host.close();
      await server.close();
      for (const made of folders) await rm(made, { recursive: true, force: true });
    },
  };
};

/** A new commit with a file that does not shrink; answers its sha. */
export const commit = async (tree: string, bytes = 16): Promise<string> => {
  await writeFile(join(tree, `file-${randomBytes(6).toString('hex')}`), randomBytes(bytes));
  await git(tree, 'add', '--all');
  await git(tree, 'commit', '--quiet', '--message', 'Change');
  return git(tree, 'rev-parse', 'HEAD');
};

export const push = (place: Place, tree: string, ...refspecs: string[]): Promise<GitRun> =>
  runGit(tree, 'push', place.gateway.address('save'), ...refspecs);

/** The life of ENCRYPTION_KEY over the whole stack: none, one, a new one beside the previous, and the new one alone. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiClient } from '../../scripts/stack/api-client.ts';
import type { RunningWorker } from '../../scripts/stack/keep-up.ts';
import { type RunningSandboxHost, startSandboxHost } from '../../scripts/stack/sandbox-host.ts';
import { randomSecret } from '../../scripts/stack/stack.ts';
import { startWorker } from '../../scripts/stack/worker.ts';
import type { ProjectView } from '../../src/core/api.ts';
import { type GitHost, startGitHost } from '../support/git-host.ts';
import { type GitPassage, startGitPassage } from '../support/git-passage.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { TestProject } from '../support/stack.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const GIT_TOKEN = 'rotation-push-token-1';
const [FIRST_KEY, SECOND_KEY] = [randomSecret(), randomSecret()];
const TOKEN = randomSecret();
const workflow = () => `---
workspace:
  root: ${folder}/roots/demo
agent:
  max_attempts: 1
  command: echo "$MY_TOKEN $SHARED_TOKEN" > "$TRACE"; echo "$MY_TOKEN"; echo x >> work.txt; git add work.txt; git commit -qm work
---
`;

let folder: string;
let host: RunningSandboxHost;
let server: GitServer;
let gitHost: GitHost;
let passage: GitPassage;
let worker: RunningWorker | null = null;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'edge-harness-key-')));
  for (const name of ['home', 'roots']) mkdirSync(join(folder, name));
  server = await startGitServer();
  await server.repository('guarded');
  gitHost = await startGitHost(server.url, `Basic ${btoa(`x-access-token:${GIT_TOKEN}`)}`);
  passage = await startGitPassage();
  host = await startSandboxHost({
    roots: [join(folder, 'roots')],
    stateDirectory: join(folder, 'host'),
    hidden: [],
    home: join(folder, 'home'),
  });
});
afterAll(async () => {
  await worker?.stop();
  await host.stop();
  await Promise.all([passage.close(), gitHost.close(), server.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** The same service, deployed anew with these secrets. */
async function deploy(keys: Record<string, string>): Promise<{ api: ApiClient; project: TestProject }> {
  await worker?.stop();
  worker = await startWorker({
    port: 0,
    stateDirectory: join(folder, 'worker'),
    vars: {
      API_TOKEN: TOKEN,
      LOCATIONS: 'host',
      PUBLIC_URL: passage.url,
      SANDBOX_HOST_URL: host.url,
      SANDBOX_HOST_TOKEN: host.token,
      ...keys,
    },
  });
  const url = worker.url.origin;
  passage.target = url;
  const api = new ApiClient(url, TOKEN);
  const stack = { url, token: TOKEN, host, worker, stop: () => Promise.resolve() };
  return { api, project: new TestProject({ id: 'demo', api, stack, server, folder }) };
}

const writeSecrets = async ({ api, project }: Awaited<ReturnType<typeof deploy>>) => {
  await api.call('PUT', project.path('/credential'), { kind: 'token', token: GIT_TOKEN });
  await api.call('PUT', project.path('/environment'), { MY_TOKEN: 'mine-1f2e', TRACE: project.tracePath });
  await api.call('PUT', '/v1/environment', { SHARED_TOKEN: 'shared-3d4c' });
};

/** What an attempt makes of the secrets. */
async function attempt({ project }: Awaited<ReturnType<typeof deploy>>) {
  rmSync(project.tracePath, { force: true });
  const { head, saved, last_attempt } = await project.run('ABC-1');
  const { agent } = await project.attempt('ABC-1', last_attempt?.number ?? 0);
  return {
    saved: saved.status,
    isAtTheRemote: (await server.sha('guarded', 'symphony/ABC-1')) === head,
    given: readFileSync(project.tracePath, 'utf8'),
    shown: agent?.stdout?.text,
  };
}

/** All values arrive, none is shown, and the branch gets to the remote with the credential. */
const WORKING = {
  saved: 'saved',
  isAtTheRemote: true,
  given: 'mine-1f2e shared-3d4c\n',
  shown: '***\n',
};

test('without a key every route that would keep a secret answers 503 and says what to set, and keeps nothing', async () => {
  const { api, project } = await deploy({});
  await api.call('PUT', project.path(), {
    repository: { url: `${gitHost.url}/guarded.git` },
    location: 'host',
    workflow: workflow(),
  });
  for (const [path, body] of [
    [project.path('/credential'), { kind: 'token', token: GIT_TOKEN }],
    [project.path('/environment'), { MY_TOKEN: 'mine-1f2e' }],
    ['/v1/environment', { SHARED_TOKEN: 'shared-3d4c' }],
  ] as const)
    expect(await api.call('PUT', path, body, [503])).toMatchObject({
      status: 503,
      body: {
        code: 'encryption_not_configured',
        detail: expect.stringMatching(/set the secret ENCRYPTION_KEY .*wrangler secret put ENCRYPTION_KEY/),
      },
    });
  expect((await api.get<ProjectView>(project.path())).credential).toBe('none');
  for (const path of [project.path('/environment'), '/v1/environment'])
    expect(await api.get(path)).toEqual({ names: [] });
});

test('rotation: beside the previous key everything goes on; written again, the new key alone is enough', async () => {
  const first = await deploy({ ENCRYPTION_KEY: FIRST_KEY });
  await writeSecrets(first);

  const rotating = await deploy({ ENCRYPTION_KEY: SECOND_KEY, ENCRYPTION_KEY_PREVIOUS: FIRST_KEY });
  expect(await attempt(rotating)).toEqual(WORKING);
  await writeSecrets(rotating);

  const rotated = await deploy({ ENCRYPTION_KEY: SECOND_KEY });
  expect(await attempt(rotated)).toEqual(WORKING);
});

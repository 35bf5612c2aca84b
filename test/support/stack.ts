/** The whole service for one test file: sandbox host, Worker and git server as real processes, and a check that nothing of them stays. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredEvent } from '../../durable-objects/rpc.ts';
import { vi } from 'vitest';
import { ApiClient, waitFor } from '../../scripts/stack/api-client.ts';
import { randomSecret, startStack, type Stack } from '../../scripts/stack/stack.ts';
import type { AttemptView, Dispatched, WorkspaceDetail } from '../../src/core/api.ts';
import { startGitServer, type GitServer } from './git-server.ts';
import { findLeftovers, findWorkerd } from './leftovers.ts';
import { tellStory } from './story.ts';

/** A machine that is busy with everything else takes many times as long. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000, maxConcurrency: 4 });

export interface TestStack {
  readonly stack: Stack;
  readonly api: ApiClient;
  readonly server: GitServer;
  /** Real path; everything that this stack writes is below it. */
  readonly folder: string;
  /** Makes a project with a repository of its own on the git server, unless `settings` say otherwise. */
  project(options?: ProjectOptions): Promise<TestProject>;
  /** Fails where a process or a folder of ours is left. */
  stop(): Promise<void>;
}

export interface ProjectOptions {
  /** Front matter of its WORKFLOW.md, indented as it stands there. */
  workflow?: string;
  repository?: { url: string; base_branch?: string; depth?: number } | null;
  files?: Record<string, string>;
  /** `host` where it is left out. */
  location?: 'host' | 'docker';
  isolation?: 'bubblewrap';
}

export interface StackSettings {
  /** Random where it is left out. */
  token?: string;
  vars?: Record<string, string>;
  /** Laid over the launcher's own environment. */
  environment?: Record<string, string>;
  /** Every line that the Worker logs. */
  onLog?: (line: string) => void;
  /** The login profile of the person whose machine it is. */
  profile?: (home: string) => void;
}

/** Of the stacks that run in this process. */
const folders = new Set<string>();

type Refusal = { status: number; code: string; detail: string } & Record<string, unknown>;

type DispatchOptions = {
  id?: string;
  title?: string;
  state?: string;
  agent?: { command: string } | 'external';
};

export async function startTestStack(settings: StackSettings = {}): Promise<TestStack> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'edge-harness-e2e-')));
  folders.add(folder);
  const home = join(folder, 'home');
  mkdirSync(home);
  mkdirSync(join(folder, 'temp'));
  settings.profile?.(home);
  const server = await startGitServer();
  // An empty home keeps this machine's own login profile out; the default workspace root lies in the temporary folder.
  const environment = { HOME: home, TMPDIR: join(folder, 'temp'), ...settings.environment };
  const stack = await withEnvironment(environment, () =>
    startStack({
      port: 0,
      token: settings.token ?? randomSecret(),
      encryptionKey: randomSecret(),
      stateDirectory: join(folder, 'state'),
      roots: [join(folder, 'temp', 'symphony_workspaces')],
      onLog: (line) => {
        settings.onLog?.(line);
        showFault(line);
      },
      ...(settings.vars ? { vars: settings.vars } : {}),
    }),
  ).catch(async (thrown: unknown) => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
    folders.delete(folder);
    throw thrown;
  });
  const api = new ApiClient(stack.url, stack.token);
  let projects = 0;
  return {
    stack,
    api,
    server,
    folder,
    project: async (options = {}) => {
      const id = `p${(projects += 1)}`;
      return putProject({ id, api, stack, server, folder }, options);
    },
    stop: async () => {
      await stack.stop();
      await server.close();
      const left = [...(await findLeftovers(folder)), ...(folders.size === 1 ? findWorkerd() : [])];
      folders.delete(folder);
      rmSync(folder, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`processes are left: ${left.join('; ')}`);
      if (existsSync(folder)) throw new Error(`${folder} is left`);
    },
  };
}

/** A child that is spawned before the first await gets these; afterwards ours are as they were. */
function withEnvironment<T>(environment: Record<string, string>, start: () => Promise<T>): Promise<T> {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  try {
    return start();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Requests are logged one a line; only what went wrong inside is worth showing. */
function showFault(line: string): void {
  if (/"at":"(?:effect|report)"|"level":"error"/.test(line)) console.error(line);
}

interface Setting {
  id: string;
  api: ApiClient;
  stack: Stack;
  server: GitServer;
  folder: string;
}

async function putProject(setting: Setting, options: ProjectOptions): Promise<TestProject> {
  const { id, api, server } = setting;
  const own = options.repository === undefined;
  const url = own ? await server.repository(id, options.files ? { files: options.files } : {}) : null;
  const repository = own ? { url } : options.repository;
  await api.call('PUT', `/v1/projects/${id}`, {
    ...(repository ? { repository } : {}),
    location: options.location ?? 'host',
    ...(options.isolation ? { isolation: options.isolation } : {}),
    workflow: `---\n${options.workflow ?? ''}\n---\n`,
  });
  const project = new TestProject(setting);
  await api.call('PUT', `/v1/projects/${id}/environment`, { TRACE: project.tracePath });
  return project;
}

export class TestProject {
  readonly id: string;
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.id = setting.id;
    this.#setting = setting;
  }

  get #api(): ApiClient {
    return this.#setting.api;
  }

  /** `$TRACE` of every process of this project: hooks append a line to it. */
  get tracePath(): string {
    return join(this.#setting.folder, `trace-${this.id}`);
  }

  trace(): string[] {
    return existsSync(this.tracePath) ? readFileSync(this.tracePath, 'utf8').trimEnd().split('\n') : [];
  }

  path(rest = ''): string {
    return `/v1/projects/${this.id}${rest}`;
  }

  async dispatch(identifier: string, options: DispatchOptions = {}): Promise<Dispatched> {
    const { agent, ...task } = options;
    const body = { task: { identifier, ...task }, ...(agent ? { agent } : {}) };
    return (await this.#api.call<Dispatched>('POST', this.path('/dispatch'), body)).body;
  }

  /** Dispatches and waits until nothing runs and no retry is due. */
  async run(identifier: string, options: DispatchOptions = {}): Promise<WorkspaceDetail> {
    const { workspace } = await this.dispatch(identifier, options);
    return this.settled(workspace.key);
  }

  view(key: string): Promise<WorkspaceDetail> {
    return this.#api.get(this.path(`/workspaces/${key}`));
  }

  attempt(key: string, number: number): Promise<AttemptView> {
    return this.#api.get(this.path(`/workspaces/${key}/attempts/${number}`));
  }

  until(key: string, what: string, isDone: (view: WorkspaceDetail) => boolean): Promise<WorkspaceDetail> {
    return waitFor(`${this.id}/${key} ${what}`, () => this.view(key), isDone, {
      timeoutMs: 150_000,
      stepMs: 150,
    });
  }

  settled(key: string): Promise<WorkspaceDetail> {
    return this.until(
      key,
      'at rest',
      ({ in_use, last_attempt, next_retry_at, status }) =>
        !in_use && status !== 'removing' && last_attempt?.outcome !== null && next_retry_at === null,
    );
  }

  status(key: string, status: WorkspaceDetail['status']): Promise<WorkspaceDetail> {
    return this.until(key, status, (view) => view.status === status);
  }

  /** Waits until a hook or agent has written this line to the trace. */
  async traced(line: string): Promise<void> {
    await waitFor(
      `${this.id} traces ${line}`,
      async () => this.trace(),
      (lines) => lines.includes(line),
      {
        stepMs: 25,
        timeoutMs: 150_000,
      },
    );
  }

  setState(task: string, state: string) {
    const path = this.path(`/tasks/${encodeURIComponent(task)}/state`);
    return this.#api.call<{ effect: string }>('PUT', path, { state });
  }

  remove(key: string, query = '') {
    return this.#api.call('DELETE', this.path(`/workspaces/${key}${query}`));
  }

  /** The typed refusal of a call that must be refused. */
  async refusal(method: string, rest: string, body?: unknown): Promise<Refusal> {
    const all = [400, 401, 403, 404, 409, 413, 422, 503];
    const answer = await this.#api.call<Refusal>(method, this.path(rest), body, all);
    if (answer.status < 400) throw new Error(`${method} ${rest} was accepted`);
    return answer.body;
  }

  /** Straight from the object: what it recorded. */
  async events(key: string): Promise<{ name: string; data: Record<string, unknown> }[]> {
    const namespace = await this.#setting.stack.worker.namespace('WORKSPACE');
    const object = namespace.get(namespace.idFromName(`${this.id}/${key}`)) as unknown as {
      events(after: number, limit: number): Promise<StoredEvent[]>;
    };
    const events = await object.events(0, 1000);
    return events.map(({ name, data }) => ({ name, data: JSON.parse(data) as Record<string, unknown> }));
  }

  async story(key: string): Promise<string[]> {
    return tellStory(await this.events(key));
  }
}

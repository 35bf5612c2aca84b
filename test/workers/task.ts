/** One task in a project of its own, driven through the Durable Objects in workerd; its sandbox is the SDK double's. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { inject, vi } from 'vitest';
import { projectOf, workspaceOf } from '../../durable-objects/stubs.ts';
import type { AttemptView, Dispatch, ProjectView, PutProject, WorkspaceDetail } from '../../src/core/api.ts';
import type { Failure } from '../../src/core/failure.ts';
import { sandboxId } from '../../src/core/key.ts';
import type { Result } from '../../src/core/result.ts';
import type { Env } from '../../src/sandbox/env.ts';
import { tellStory } from '../support/story.ts';

/** A machine that is busy with everything else takes many times as long. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000, maxConcurrency: 3 });

export const workerEnv = env as unknown as Env;

export const unwrap = <T>(result: Result<T, Failure>): T => {
  if (result.ok) return result.value;
  throw new Error(`${result.error.code}: ${result.error.detail}`);
};

/** The git server beside workerd; see support/git-control.ts. */
export async function git<T>(...call: [string, ...unknown[]]): Promise<T> {
  const answer = await fetch(inject('gitControlUrl'), { method: 'POST', body: JSON.stringify(call) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json<T>();
}

export class Task {
  readonly project: string;
  readonly key: string;

  constructor(project: string, key = 'ABC-1') {
    this.project = project;
    this.key = key;
  }

  /** With a repository on the git server, unless `settings` say otherwise. */
  static async create(project: string, workflow: string, settings: Partial<PutProject> = {}): Promise<Task> {
    const url = await git<string>('repository', project);
    const text = `---\n${workflow}\n---\n`;
    const input = { repository: { url }, location: 'cloudflare', workflow: text, ...settings } as const;
    unwrap(await projectOf(workerEnv, project).put(project, input));
    return new Task(project);
  }

  get #projectObject() {
    return projectOf(workerEnv, this.project);
  }

  get object() {
    return workspaceOf(workerEnv, this.project, this.key);
  }

  get stub(): DurableObjectStub {
    return workerEnv.WORKSPACE.getByName(`${this.project}/${this.key}`);
  }

  async dispatch(agent?: Dispatch['agent']): Promise<void> {
    const task = { identifier: this.key, state: 'Todo' };
    unwrap(await this.#projectObject.dispatch({ task, ...(agent ? { agent } : {}) }, null));
  }

  async run(agent?: Dispatch['agent']): Promise<WorkspaceDetail> {
    await this.dispatch(agent);
    return this.settled();
  }

  async end(state = 'Done'): Promise<void> {
    unwrap(await this.#projectObject.setTaskState(this.key, state));
  }

  async view(): Promise<WorkspaceDetail> {
    return unwrap(await this.object.view());
  }

  async attempt(number: number): Promise<AttemptView> {
    return unwrap(await this.object.attempt(number));
  }

  /** Objects may be reset meanwhile: a call that breaks off is asked again. */
  async until(isDone: (view: WorkspaceDetail) => boolean): Promise<WorkspaceDetail> {
    return vi.waitFor(
      async () => {
        const view = await this.view();
        if (!isDone(view)) throw new Error(`still ${view.status} in ${view.phase}: ${JSON.stringify(view)}`);
        return view;
      },
      { timeout: 150_000, interval: 100 },
    );
  }

  settled(): Promise<WorkspaceDetail> {
    return this.until(
      ({ in_use, last_attempt, next_retry_at, status }) =>
        !in_use && status !== 'removing' && last_attempt?.outcome !== null && next_retry_at === null,
    );
  }

  status(status: WorkspaceDetail['status']): Promise<WorkspaceDetail> {
    return this.until((view) => view.status === status);
  }

  async events(): Promise<{ name: string; data: Record<string, unknown> }[]> {
    const events = await this.object.events(0, 1000);
    return events.map(({ name, data }) => ({ name, data: JSON.parse(data) as Record<string, unknown> }));
  }

  async story(): Promise<string[]> {
    return tellStory(await this.events());
  }

  /** What a hook of an attempt wrote to stdout, in lines. */
  async output(number: number, of: string): Promise<string[]> {
    const { hooks, agent } = await this.attempt(number);
    const run = of === 'agent' ? agent : hooks.find(({ hook }) => hook === of);
    return (run?.stdout?.text ?? '').trimEnd().split('\n');
  }

  // Its sandbox, as the engine beside workerd knows it.

  async #engine(verb: string, method = 'GET'): Promise<string> {
    const id = sandboxId(this.project, this.key);
    const answer = await fetch(`${inject('containerEngineUrl')}/${id}/${verb}`, { method });
    if (!answer.ok) throw new Error(`the container engine answers ${answer.status} to ${verb}`);
    return answer.text();
  }

  async isAwake(): Promise<boolean> {
    return (await this.#engine('state')).includes('healthy');
  }

  /** The disk is lost, as on every stop of a real one. */
  async putToSleep(): Promise<void> {
    await this.#engine('kill', 'POST');
  }

  async hangNextCall(): Promise<void> {
    await this.#engine('hang', 'POST');
  }

  /** The next call that begins like this does not get there; `pty`: the next terminal. */
  async cutNextCall(start: string): Promise<void> {
    await this.#engine(`cut/${encodeURIComponent(start)}`, 'POST');
  }

  /** The next call that says this arrives, and its answer never does. */
  async muteNextCall(text: string): Promise<void> {
    await this.#engine(`mute/${encodeURIComponent(text)}`, 'POST');
  }

  async hasMuted(): Promise<boolean> {
    return (await this.#engine('muted')) === '';
  }

  /** The sandbox's disk is full for the next call of this kind. */
  async fillDiskForNextCall(text: string): Promise<void> {
    await this.#engine(`fill/${encodeURIComponent(text)}`, 'POST');
  }

  async refuseNextDestroy(): Promise<void> {
    await this.#engine('refuse-destroy', 'POST');
  }

  async hangNextDestroy(): Promise<void> {
    await this.#engine('hang-destroy', 'POST');
  }

  /** Awake all the time, but another one: its disk is fresh. */
  async replace(): Promise<void> {
    await this.putToSleep();
    // The first call boots it and is cut off.
    await vi.waitFor(() => this.#engine('call/healthz'), { timeout: 60_000, interval: 100 });
  }

  /** Its objects see these variables until they are reset. */
  async setVars(vars: { [Name in keyof Env]?: Env[Name] | undefined }): Promise<void> {
    for (const stub of [this.stub, workerEnv.PROJECT.getByName(this.project)])
      await runInDurableObject(stub, (object) => {
        Object.assign(object, { env: { ...workerEnv, ...vars } });
      });
  }

  async projectView(): Promise<ProjectView> {
    return unwrap(await this.#projectObject.get());
  }

  async putWorkflow(workflow: string): Promise<void> {
    unwrap(await this.#projectObject.putWorkflow(`---\n${workflow}\n---\n`));
  }

  async calls(): Promise<string[]> {
    return JSON.parse(await this.#engine('calls')) as string[];
  }

  sha(branch = `symphony/${this.key}`): Promise<string | null> {
    return git('sha', this.project, branch);
  }
}

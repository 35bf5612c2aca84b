/** One project: its settings, WORKFLOW.md and environment, and the index of its workspaces. It decides on identity and on terminal states. */
import { DurableObject } from 'cloudflare:workers';
import type {
  Dispatch,
  Dispatched,
  Credential,
  EnvironmentView,
  PatchEnvironment,
  ProjectView,
  PutProject,
  TaskStateAnswer,
  WorkspacePage,
  WorkspaceView,
} from '../src/core/api.ts';
import { failure, type Failure } from '../src/core/failure.ts';
import { branchName, sandboxId, workspaceKey } from '../src/core/key.ts';
import { REMOVED_RECORD_MS } from '../src/core/lifecycle/timer.ts';
import type { Identity } from '../src/core/lifecycle/state.ts';
import { recordRefusal } from '../src/core/refused-workflow.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import {
  DEFAULT_WORKFLOW,
  isTerminalState,
  parseWorkflow,
  checkLocation,
  type Workflow,
} from '../src/core/workflow.ts';
import { findOwner, idAfter } from '../src/core/task-owner.ts';
import type { Env } from '../src/sandbox/env.ts';
import { AnswerTable } from './answer-table.ts';
import { EnvironmentTable } from './environment-table.ts';
import { EventStreams } from './event-streams.ts';
import { IdempotentAnswers } from './idempotency.ts';
import type { ProcessEnvironment, ProjectForWorkspace, WorkspaceSummary } from './project-for-workspace.ts';
import { secretsOf } from './git-credential.ts';
import { RepositoryCredential } from './repository-credential.ts';
import { ProjectStore, type WorkspaceRow } from './project-store.ts';
import { checkHost } from './host-check.ts';
import type { Answer, Idempotency, ListQuery, ProjectRpc } from './rpc.ts';
import { buildSettings, viewProject, type Settings } from './settings.ts';
import { directoryOf, workspaceOf } from './stubs.ts';

/** A reservation that no workspace confirmed within this time never will be: its dispatch was refused or cut off. */
const RESERVED_MS = 10 * 60_000;

export class Project extends DurableObject<Env> implements ProjectRpc, ProjectForWorkspace {
  readonly #store: ProjectStore;
  readonly #answers: IdempotentAnswers;
  readonly #events = new EventStreams();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new ProjectStore(ctx.storage);
    this.#answers = new IdempotentAnswers(new AnswerTable(ctx.storage.sql));
  }

  // Settings.

  async put(project: string, input: PutProject): Answer<{ created: boolean; project: ProjectView }> {
    const before = this.#settings();
    const settings = buildSettings(this.env, project, input, before, Date.now());
    if (!settings.ok) return settings;
    const text = input.workflow ?? this.#store.meta('workflow');
    const workflow = await this.#checkWorkflow(text ?? '', settings.value);
    if (!workflow.ok) {
      if (input.workflow !== undefined && before !== null)
        this.#refuseWorkflow(input.workflow, workflow.error);
      return workflow;
    }
    await directoryOf(this.env).addProject(project);
    this.#store.setMeta('settings', JSON.stringify(settings.value));
    if (input.workflow !== undefined) this.#takeWorkflow(input.workflow, workflow.value);
    return ok({ created: before === null, project: this.#view(settings.value) });
  }

  async get(): Answer<ProjectView> {
    return this.#withSettings((settings) => ok(this.#view(settings)));
  }

  async remove(): Answer<null> {
    const settings = this.#settings();
    if (settings === null) return notFound(this.ctx);
    if (this.#store.hasLive())
      return err(
        failure('project_not_empty', `project ${settings.id} still has workspaces; remove them first`),
      );
    // A task that was dispatched in between would have a workspace that no project knows of.
    await this.ctx.blockConcurrencyWhile(async () => {
      await directoryOf(this.env).dropProject(settings.id);
      await this.#store.clear();
    });
    return ok(null);
  }

  async putWorkflow(text: string): Answer<ProjectView> {
    const settings = this.#settings();
    if (settings === null) return notFound(this.ctx);
    const workflow = await this.#checkWorkflow(text, settings);
    if (!workflow.ok) {
      this.#refuseWorkflow(text, workflow.error);
      return workflow;
    }
    this.#takeWorkflow(text, workflow.value);
    return ok(this.#view(settings));
  }

  async getWorkflow(): Answer<string> {
    return this.#withSettings(() => ok(this.#store.meta('workflow') ?? ''));
  }

  async #checkWorkflow(text: string, settings: Settings): Promise<Result<Workflow, Failure>> {
    const parsed = parseWorkflow(text);
    if (!parsed.ok) return parsed;
    const fits = checkLocation(parsed.value, settings.location, text);
    if (!fits.ok) return fits;
    const host = await checkHost(this.env, settings, parsed.value.workspaceRoot);
    return host.ok ? parsed : host;
  }

  #takeWorkflow(text: string, workflow: Workflow): void {
    this.#store.setMeta('workflow', text);
    this.#store.setRefused(null);
    this.#store.retagTerminal((state) => isTerminalState(state, workflow.terminalStates));
  }

  #refuseWorkflow(text: string, refusal: Failure): void {
    this.#store.setRefused(recordRefusal(text, refusal, Date.now()));
  }

  #settings(): Settings | null {
    const value = this.#store.meta('settings');
    return value === null ? null : (JSON.parse(value) as Settings);
  }

  #workflow(): Workflow {
    const text = this.#store.meta('workflow');
    const parsed = text === null ? null : parseWorkflow(text);
    return parsed?.ok ? parsed.value : DEFAULT_WORKFLOW;
  }

  #view(settings: Settings): ProjectView {
    const workflow = {
      text: this.#store.meta('workflow'),
      parsed: this.#workflow(),
      refused: this.#store.refused(),
      hasCredential: this.#credential(settings).isSet,
    };
    return viewProject(settings, workflow, { hasSnapshots: this.env.SNAPSHOTS !== undefined });
  }

  #withSettings<T>(use: (settings: Settings) => Result<T, Failure>): Result<T, Failure> {
    const settings = this.#settings();
    return settings === null ? notFound(this.ctx) : use(settings);
  }

  // Environment.

  async patchEnvironment(patch: PatchEnvironment): Answer<EnvironmentView> {
    const settings = this.#settings();
    return settings === null ? notFound(this.ctx) : this.#environment(settings).patch(patch);
  }

  async listEnvironment(): Answer<EnvironmentView> {
    return this.#withSettings((settings) => ok(this.#environment(settings).view()));
  }

  #environment(settings: Settings): EnvironmentTable {
    return new EnvironmentTable(this.ctx.storage, this.env, scopeOf(settings));
  }

  async putCredential(credential: Credential | null): Answer<ProjectView> {
    const settings = this.#settings();
    if (settings === null) return notFound(this.ctx);
    const set = await this.#credential(settings).set(credential, settings.repository?.url ?? null);
    return set.ok ? ok(this.#view(settings)) : set;
  }

  // Tasks.

  async dispatch(input: Dispatch, idempotency: Idempotency | null): Answer<Dispatched> {
    const settings = this.#settings();
    if (settings === null) return notFound(this.ctx);
    return this.#answers.once(idempotency, () => this.#dispatch(settings, input));
  }

  async #dispatch(settings: Settings, input: Dispatch): Answer<Dispatched> {
    const { task } = input;
    const key = workspaceKey(task.identifier);
    if (!key.ok) return key;
    const byId = this.#store.rowByTask(task.id ?? task.identifier);
    const owner = findOwner(task, { key: key.value, byId, byKey: this.#store.rowByKey(key.value) });
    if (!owner.ok) return owner;
    const workflow = this.#workflow();
    const row = owner.value.known ?? this.#reserve(settings, owner.value.key, task);
    const request = {
      type: 'dispatched',
      identity: buildIdentity(settings, workflow, row.key),
      task: {
        identifier: task.identifier,
        id: task.id ?? null,
        title: task.title ?? null,
        state: task.state ?? null,
      },
      agent: input.agent ?? null,
    } as const;
    const workspace = workspaceOf(this.env, settings.id, row.key);
    const id = idAfter(row, task);
    // Before the workspace is asked: a dispatch meanwhile that gives the same id finds this row by it.
    this.#store.markTask(row.seq, id, row.identifier);
    const answer = await workspace.dispatch(request, workflow.terminalStates).catch((thrown: unknown) => {
      this.#store.unmarkTask(row);
      throw thrown;
    });
    if (answer.ok) this.#store.markTask(row.seq, id, task.identifier);
    else if (row.view === null && answer.error.code === 'task_terminal') this.#store.dropRow(row.seq);
    else this.#store.unmarkTask(row);
    return answer;
  }

  #reserve(settings: Settings, key: string, task: Dispatch['task']): WorkspaceRow {
    this.#store.reserve({
      key,
      taskId: task.id ?? task.identifier,
      idGiven: task.id !== undefined,
      identifier: task.identifier,
      sandboxId: sandboxId(settings.id, key),
      taskState: task.state ?? '',
      atMs: Date.now(),
    });
    const row = this.#store.rowByKey(key);
    if (row === null) throw new Error(`the reservation of ${key} is not there`);
    return row;
  }

  async setTaskState(task: string, state: string): Answer<TaskStateAnswer> {
    const settings = this.#settings();
    if (settings === null) return notFound(this.ctx);
    const row = this.#store.rowByTask(task) ?? this.#rowOfDotTask(task);
    if (row === null)
      return err(
        failure(
          'task_not_found',
          `project ${settings.id} has no workspace for the task ${JSON.stringify(task)}`,
        ),
      );
    const terminal = isTerminalState(state, this.#workflow().terminalStates);
    return workspaceOf(this.env, settings.id, row.key).changeTaskState(state, terminal);
  }

  /** No URL can carry the ids `.` and `..`, which it takes for folders: such a task goes by its workspace's key. */
  #rowOfDotTask(key: string): WorkspaceRow | null {
    const row = this.#store.rowByKey(key);
    return row !== null && /^\.{1,2}$/.test(row.task_id) ? row : null;
  }

  async listWorkspaces({ limit, cursor, status, saved }: ListQuery): Answer<WorkspacePage> {
    return this.#withSettings(() => {
      const before = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
      const { rows, hasMore } = this.#store.page(before, limit, status, saved);
      const last = rows.at(-1);
      return ok({
        workspaces: rows.map(({ view }) => JSON.parse(view ?? '{}') as WorkspaceView),
        next_cursor: hasMore && last ? String(last.seq) : null,
      });
    });
  }

  async openEvents(after: number | null): Answer<ReadableStream<Uint8Array>> {
    return this.#withSettings(() => {
      const changed = after === null ? [] : this.#store.changedSince(after);
      const missed = changed.map(({ change, view }) => ({
        id: change,
        name: 'workspace',
        data: JSON.parse(view) as WorkspaceView,
      }));
      return ok(this.#events.open(missed));
    });
  }

  // Cleanup.

  async sweep(cursor: string | null, limit: number, options: { force: boolean; waitMs: number }) {
    const settings = this.#settings();
    if (settings === null) return notFound(this.ctx);
    const now = Date.now();
    this.#store.purgeRemoved(now - REMOVED_RECORD_MS);
    const rows = this.#store.toSweep(Number(cursor ?? 0), limit, now - RESERVED_MS);
    const results = await Promise.all(rows.map((row) => this.#sweepOne(settings, row, options)));
    const kept = results.filter((result) => result !== 'removed' && result !== 'stays');
    return ok({
      lookedAt: rows.length,
      removed: results.filter((result) => result === 'removed').length,
      kept,
      nextCursor: rows.length === limit ? String(rows.at(-1)?.seq) : null,
    });
  }

  /** One that fails does not delay the others. */
  async #sweepOne(
    settings: Settings,
    row: WorkspaceRow,
    { force, waitMs }: { force: boolean; waitMs: number },
  ) {
    const kept = (reason: string) => ({ project: settings.id, key: row.key, reason });
    try {
      const { terminalStates } = this.#workflow();
      const view = await workspaceOf(this.env, settings.id, row.key).sweep(terminalStates, force, waitMs);
      if (view === null) {
        this.#store.dropRow(row.seq);
        return 'stays';
      }
      if (view.status === 'removed') return 'removed';
      if (view.kept !== null) return kept(view.kept.reason);
      const isGoing = isTerminalState(view.task.state, terminalStates);
      return isGoing ? kept(`${view.status}: the removal is under way`) : 'stays';
    } catch (thrown) {
      return kept(`the workspace did not answer: ${String(thrown)}`);
    }
  }

  async keysWithoutWorkspace(keys: string[]): Promise<string[]> {
    return keys.filter((key) => this.#store.rowByKey(key) === null);
  }

  // What its workspaces ask.

  async workflowInForce(): Answer<{ workflow: Workflow; text: string }> {
    return this.#withSettings(() =>
      ok({ workflow: this.#workflow(), text: this.#store.meta('workflow') ?? '' }),
    );
  }

  async processEnvironment(): Answer<ProcessEnvironment> {
    const settings = this.#settings();
    if (settings === null) return notFound(this.ctx);
    const global = await directoryOf(this.env).environmentValues();
    if (!global.ok) return global;
    const project = await this.#environment(settings).values();
    if (!project.ok) return project;
    const credential = await this.#credential(settings).read();
    if (!credential.ok) return credential;
    return ok({
      global: global.value.values,
      project: project.value.values,
      secretNames: [...global.value.flagged, ...project.value.flagged],
      gitSecrets: secretsOf(credential.value),
    });
  }

  async hasCredential(): Promise<boolean> {
    const settings = this.#settings();
    return settings !== null && this.#credential(settings).isSet;
  }

  async gitAuthorization(repositoryUrl: string): Answer<string | null> {
    const settings = this.#settings();
    if (settings === null) return notFound(this.ctx);
    return this.#credential(settings).authorizationFor(repositoryUrl);
  }

  #credential(settings: Settings): RepositoryCredential {
    return new RepositoryCredential(this.#store, this.env, scopeOf(settings));
  }

  async report(summary: WorkspaceSummary): Promise<void> {
    const change = this.#store.report(summary);
    if (change !== null) this.#events.publish([{ id: change, name: 'workspace', data: summary.view }]);
  }
}

const scopeOf = ({ id }: Settings): string => `project/${id}`;

const notFound = (ctx: DurableObjectState) =>
  err(
    failure(
      'project_not_found',
      `there is no project ${JSON.stringify(ctx.id.name ?? '')}; create it with PUT /v1/projects/{project}`,
    ),
  );

const buildIdentity = (settings: Settings, workflow: Workflow, key: string): Identity => ({
  project: settings.id,
  key,
  branch: branchName(key),
  sandboxId: sandboxId(settings.id, key),
  location: settings.location,
  isolation: settings.isolation,
  limited: settings.location === 'cloudflare' && workflow.network !== 'all',
  repository: settings.repository,
  root: settings.location === 'cloudflare' ? null : workflow.workspaceRoot,
});

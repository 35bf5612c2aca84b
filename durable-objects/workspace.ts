/** One task's workspace. Every entry: gate → load → step → commit → arm the alarm; effects run afterwards, from the alarm. */
import { DurableObject } from 'cloudflare:workers';
import type {
  AttemptPage,
  AttemptView,
  Dispatched,
  TaskStateAnswer,
  WorkspaceDetail,
  WorkspaceView,
} from '../src/core/api.ts';
import { isTaskTerminal, ownershipOf, type Ownership } from '../src/core/cleanup.ts';
import { planConfinement } from '../src/core/confinement.ts';
import { failure, type Failure } from '../src/core/failure.ts';
import type { Event, Request } from '../src/core/lifecycle/event.ts';
import { refuseExec } from '../src/core/lifecycle/exec.ts';
import type { State } from '../src/core/lifecycle/state.ts';
import { step } from '../src/core/lifecycle/step.ts';
import { nextTimerAtMs, REMOVED_RECORD_MS } from '../src/core/lifecycle/timer.ts';
import { err, ok, type Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';
import { AnswerTable } from './answer-table.ts';
import { streamLog, viewAttempt, viewAttempts, viewWorkspace } from './attempt-reader.ts';
import { EffectRunner } from './effect-runner.ts';
import { EffectValues } from './effect-values.ts';
import { at, type EffectContext, type EffectEnd } from './effects/context.ts';
import { streamExec } from './effects/exec.ts';
import { maskData } from './effects/masking.ts';
import { runEffect } from './effects/run.ts';
import { keptWorkflow } from './effects/scripts.ts';
import { redeemGrant } from './grant-redemption.ts';
import { GrantTable } from './grant-table.ts';
import { HandedSecrets } from './handed-secrets.ts';
import { IdempotentAnswers } from './idempotency.ts';
import { IndexReporter } from './index-reporter.ts';
import type { Answer, GitGrant, Idempotency, StoredEvent, WorkspaceRpc } from './rpc.ts';
import { reachSandbox } from './sandbox-access.ts';
import { projectOf } from './stubs.ts';
import type { DispatchRequest, WorkspaceForProject } from './workspace-for-project.ts';
import { Terminals } from './terminals.ts';
import { WorkspaceFeed } from './workspace-feed.ts';
import { areFilesComing, hasFiles, isFreshSandbox, readFile, writeFile } from './workspace-files.ts';
import type { FileAnswer } from './workspace-files.ts';
import { WorkspaceStore, type StoredEffect } from './workspace-store.ts';

/** An alarm handler may run 15 minutes; it hands over to the next alarm well before. */
const RUN_MS = 10 * 60_000;

/** How long somebody who opens a file or a terminal waits for a sandbox that slept. */
const WAKE_MS = 120_000;
const AGENT_ACTIVE = 'An agent is working in this workspace: what you change here, it sees.';

/** After a bug or a platform error an alarm comes again so much later. */
const FAULT_PAUSE_MS = 5_000;

const NOT_FOUND = err(failure('workspace_not_found', 'no task was ever dispatched to this workspace'));

export class Workspace extends DurableObject<Env> implements WorkspaceRpc, WorkspaceForProject {
  readonly #store: WorkspaceStore;
  readonly #answers: IdempotentAnswers;
  readonly #reporter: IndexReporter;
  readonly #grants: GrantTable;
  readonly #handed: HandedSecrets;
  readonly #runner: EffectRunner;
  readonly #feed: WorkspaceFeed;
  readonly #terminals = new Terminals();
  #settled: (() => void)[] = [];

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new WorkspaceStore(ctx.storage);
    this.#answers = new IdempotentAnswers(new AnswerTable(ctx.storage.sql));
    this.#grants = new GrantTable(ctx.storage.sql);
    this.#handed = new HandedSecrets(ctx.storage.sql, env, ctx.id.toString());
    this.#reporter = new IndexReporter(env, this.#store);
    this.#runner = new EffectRunner({
      pending: () => this.#store.effects(),
      perform: (effect, deadlineAtMs) => runEffect(this.#context(effect, deadlineAtMs), effect.command),
      end: (effect, outcome) => this.#endEffect(effect, outcome),
    });
    this.#feed = new WorkspaceFeed(this.#store, (state) => ({
      client: reachSandbox(env, state.identity).client,
      target: at(state),
      masker: () => new EffectValues(env, projectOf(env, state.identity.project), this.#handed).masker(),
    }));
    // An alarm may be lost, as where the platform gave one up: whatever wakes the object sets it again.
    void ctx.blockConcurrencyWhile(async () => {
      if ((await ctx.storage.getAlarm()) === null) await this.#arm();
    });
  }

  /** Server-Sent Events; see `WorkspaceFeed`. */
  async openEvents(after: number | null): Answer<ReadableStream<Uint8Array>> {
    const state = this.#store.load();
    return state === null ? NOT_FOUND : ok(this.#feed.open(state, after));
  }

  override async alarm(): Promise<void> {
    try {
      await this.#runOwedWork();
    } catch (thrown) {
      // The platform gives up an alarm that fails a few times; what is owed stays owed.
      console.error(JSON.stringify({ at: 'alarm', error: String(thrown) }));
      await this.ctx.storage.setAlarm(Date.now() + FAULT_PAUSE_MS);
    }
  }

  async #runOwedWork(): Promise<void> {
    const state = this.#store.load();
    if (state?.stage.name === 'removed' && Date.now() >= state.stage.atMs + REMOVED_RECORD_MS)
      return this.#forget();
    if (state !== null && isDue(nextTimerAtMs(state))) await this.#apply({ type: 'timer-fired' });
    const deadlineAtMs = Date.now() + RUN_MS;
    await Promise.all([this.#runner.run(deadlineAtMs), this.#reporter.run(deadlineAtMs)]);
    await this.#arm();
  }

  async #forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.#store.clear();
  }

  // What its project asks.

  async dispatch(request: DispatchRequest, terminalStates: readonly string[]): Answer<Dispatched> {
    const terminal = isTaskTerminal(this.#store.load(), request.task.state, terminalStates);
    const applied = await this.#apply({ ...request, terminal });
    if (!applied.ok) return applied;
    const { attempt, queued } = applied.value;
    return ok({
      workspace: viewWorkspace(applied.value),
      attempt:
        attempt === null || queued ? null : viewAttempt(this.#store, applied.value, attempt, 'summary'),
    });
  }

  async changeTaskState(state: string, terminal: boolean): Answer<TaskStateAnswer> {
    const applied = await this.#apply({ type: 'task-state-changed', state, terminal });
    if (!applied.ok) return applied;
    const { stage } = applied.value;
    const stopping = stage.name === 'work' && terminal;
    const effect = stage.name === 'removal' ? 'removal_started' : stopping ? 'cancelling' : 'none';
    return ok({ workspace: viewWorkspace(applied.value), effect });
  }

  async sweep(terminalStates: readonly string[], force: boolean, waitMs: number) {
    if (this.#store.load() === null) return null;
    const terminal = isTaskTerminal(this.#store.load(), null, terminalStates);
    await this.#apply({ type: 'swept', terminal, force });
    await this.#waitWhile(({ stage }) => stage.name === 'removal', waitMs);
    const state = this.#store.load();
    return state === null ? null : viewWorkspace(state);
  }

  async #waitWhile(isGoingOn: (state: State) => boolean, waitMs: number): Promise<void> {
    const endAtMs = Date.now() + waitMs;
    const isNow = () => {
      const state = this.#store.load();
      return state !== null && isGoingOn(state);
    };
    while (isNow() && Date.now() < endAtMs) {
      const committed = new Promise<void>((resolve) => this.#settled.push(resolve));
      await Promise.race([committed, new Promise((resolve) => setTimeout(resolve, endAtMs - Date.now()))]);
    }
  }

  // What callers ask.

  async view(): Answer<WorkspaceDetail> {
    const state = this.#store.load();
    if (state === null) return NOT_FOUND;
    const attempts = viewAttempts(this.#store, state, Number.MAX_SAFE_INTEGER, 20);
    return ok({ ...viewWorkspace(state), attempts });
  }

  async listAttempts(limit: number, cursor: string | null): Answer<AttemptPage> {
    const state = this.#store.load();
    if (state === null) return NOT_FOUND;
    const before = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const attempts = viewAttempts(this.#store, state, before, limit + 1);
    const page = attempts.slice(0, limit);
    const last = page.at(-1);
    return ok({ attempts: page, next_cursor: attempts.length > limit && last ? String(last.number) : null });
  }

  async attempt(number: number): Answer<AttemptView> {
    const found = this.#findAttempt(number);
    return found.ok
      ? ok(viewAttempt(this.#store, found.value.state, found.value.attempt, 'with output'))
      : found;
  }

  async attemptLog(number: number): Answer<ReadableStream<Uint8Array>> {
    const found = this.#findAttempt(number);
    return found.ok ? ok(streamLog(this.#store, found.value.attempt)) : found;
  }

  #findAttempt(number: number) {
    const state = this.#store.load();
    if (state === null) return NOT_FOUND;
    const attempt = this.#store.attempt(number);
    if (attempt === null)
      return err(failure('attempt_not_found', `${state.identity.key} has no attempt ${number}`));
    return ok({ state, attempt });
  }

  async events(after: number, limit: number): Promise<StoredEvent[]> {
    return this.#store.events(after, limit);
  }

  // What people look into.

  async readFile(path: string): Answer<FileAnswer> {
    return this.#withFiles((context) => readFile(context.client, at(context.state()), path));
  }

  async writeFile(file: Parameters<WorkspaceRpc['writeFile']>[0]): Answer<string | null> {
    const written = await this.#withFiles((context) => writeFile(context.client, at(context.state()), file));
    if (written.ok) await this.#apply({ type: 'files-changed' });
    return written;
  }

  /** A terminal; the only request that is no call. See `terminalOf`. */
  override async fetch(request: globalThis.Request): Promise<Response> {
    const query = new URL(request.url).searchParams;
    const actor = query.get('actor') ?? '';
    const size = { cols: Number(query.get('cols')), rows: Number(query.get('rows')) };
    const opened = await this.#withFiles(async (context) => {
      const state = context.state();
      // A shell opens in any sandbox, also in one that came up empty: only the supervisor can tell.
      const looked = await readFile(context.client, at(state), '');
      if (!looked.ok) return looked;
      const warning = state.stage.name === 'work' ? AGENT_ACTIVE : null;
      const onClose = () => void this.#closeTerminal(actor);
      const confinement = planConfinement(state.identity, keptWorkflow(this.#store), 'agent');
      const { access } = context;
      return this.#terminals.open({ access, target: at(state), size, confinement, warning, onClose });
    });
    if (!opened.ok) return Response.json(opened.error, { status: 409 });
    // Now, too: nobody hears of a close when the object is reset.
    await this.#apply({ type: 'files-changed' });
    await this.recordAudit('terminal-opened', { actor });
    return opened.value;
  }

  async #closeTerminal(actor: string): Promise<void> {
    await this.#apply({ type: 'files-changed' });
    await this.recordAudit('terminal-closed', { actor });
  }

  /** A sandbox that sleeps, or was replaced, gets its files back before they are used. */
  async #withFiles<T>(use: (context: EffectContext) => Answer<T>): Answer<T> {
    const state = this.#store.load();
    if (state === null) return NOT_FOUND;
    if (hasFiles(state)) {
      const used = await use(this.#context(null, Date.now() + WAKE_MS));
      if (used.ok || !isFreshSandbox(used.error)) return used;
    }
    const asked = await this.#apply({ type: 'wake-requested' });
    if (!asked.ok) return asked;
    await this.#waitWhile(areFilesComing, WAKE_MS);
    const woken = this.#present();
    if (hasFiles(woken)) return use(this.#context(null, Date.now() + WAKE_MS));
    const detail = woken.error?.detail ?? woken.damaged ?? 'its files did not come back in time';
    return err(failure('sandbox_unavailable', detail));
  }

  async ownershipOf(creationId: string): Promise<Ownership> {
    return ownershipOf(this.#store.load(), creationId, this.#store.hasMinted(creationId));
  }

  async save(): Answer<WorkspaceView> {
    const applied = await this.#apply({ type: 'save-requested' });
    return applied.ok ? ok(viewWorkspace(applied.value)) : applied;
  }

  async cancelAttempt(number: number): Answer<AttemptView> {
    const applied = await this.#apply({ type: 'cancel-requested', attempt: number });
    return applied.ok ? this.attempt(number) : applied;
  }

  async finishAttempt(
    number: number,
    input: { outcome: 'succeeded' | 'failed'; detail: string | null },
    idempotency: Idempotency | null,
  ): Answer<AttemptView> {
    return this.#answers.once(idempotency, async () => {
      const applied = await this.#apply({ type: 'finish-requested', attempt: number, ...input });
      return applied.ok ? this.attempt(number) : applied;
    });
  }

  async remove(
    options: { cancel: boolean; discard: boolean },
    idempotency: Idempotency | null,
  ): Answer<{ gone: boolean; workspace: WorkspaceView }> {
    return this.#answers.once(idempotency, async () => {
      const gone = this.#store.load()?.stage.name === 'removed';
      const applied = await this.#apply({ type: 'delete-requested', ...options });
      return applied.ok ? ok({ gone, workspace: viewWorkspace(applied.value) }) : applied;
    });
  }

  async exec(command: string, timeoutMs: number): Answer<ReadableStream<Uint8Array>> {
    const state = this.#store.load();
    if (state === null) return NOT_FOUND;
    const refused = refuseExec(state, null);
    if (refused) return err(refused);
    return streamExec(this.#context(null, Date.now() + timeoutMs), crypto.randomUUID(), command, timeoutMs);
  }

  async redeemGrant(hash: string): Promise<GitGrant | null> {
    const keeping = { store: this.#store, grants: this.#grants, handed: this.#handed };
    return redeemGrant({ ...keeping, projectOf: (project) => projectOf(this.env, project) }, hash);
  }

  async recordAudit(event: string, data: Record<string, unknown>): Promise<void> {
    const masker = await this.#context(null, Date.now()).values.masker();
    this.#store.addEvent(Date.now(), event, maskData(masker, data));
  }

  // The one way that anything changes.

  async #apply(event: Request | { type: 'timer-fired' }): Promise<Result<State, Failure>> {
    return this.#commit({ ...event, atMs: Date.now(), newId: crypto.randomUUID() }, null);
  }

  async #endEffect(effect: StoredEffect, outcome: EffectEnd): Promise<void> {
    if (outcome === 'later') return;
    if (outcome === 'done') return this.#store.deleteEffect(effect.id);
    const event = { type: 'effect-ended', effect: effect.id, outcome } as const;
    await this.#commit({ ...event, atMs: Date.now(), newId: crypto.randomUUID() }, effect.id);
  }

  async #commit(event: Event, done: string | null): Promise<Result<State, Failure>> {
    const { state, effects, notes, refused } = step(this.#store.load(), event);
    if (refused) return err(refused);
    if (state === null) return NOT_FOUND;
    this.#store.commit({ state, effects, notes, done, atMs: event.atMs });
    await this.#arm();
    this.#runner.notify();
    this.#reporter.notify();
    this.#feed.notify(state);
    if (state.stage.name === 'idle' || state.stage.name === 'removed') this.#handed.forget();
    if (state.stage.name === 'removal' || state.stage.name === 'removed')
      this.#terminals.closeAll('the workspace is being removed');
    for (const resolve of this.#settled.splice(0)) resolve();
    return ok(state);
  }

  /** Work that is owed runs from the alarm, so that it goes on after a crash between this commit and its first call. */
  async #arm(): Promise<void> {
    const state = this.#store.load();
    if (state === null) return;
    const owed = this.#store.effects().length > 0 || !this.#reporter.isDone();
    const atMs = owed ? Date.now() : nextTimerAtMs(state);
    if (atMs !== null) await this.ctx.storage.setAlarm(atMs);
  }

  #context(effect: StoredEffect | null, deadlineAtMs: number): EffectContext {
    const state = this.#present();
    const { access, client } = reachSandbox(this.env, state.identity);
    const project = projectOf(this.env, state.identity.project);
    return {
      env: this.env,
      store: this.#store,
      state: () => this.#present(),
      isAwaited: () => {
        const { stage } = this.#present();
        return (stage.name === 'work' || stage.name === 'removal') && stage.awaiting === effect?.id;
      },
      project,
      access,
      client,
      grants: this.#grants,
      values: new EffectValues(this.env, project, this.#handed),
      issuedAtMs: effect?.issuedAtMs ?? Date.now(),
      deadlineAtMs,
    };
  }

  #present(): State {
    const state = this.#store.load();
    if (state === null) throw new Error('an effect ran before the first dispatch');
    return state;
  }
}

const isDue = (atMs: number | null): boolean => atMs !== null && atMs <= Date.now();

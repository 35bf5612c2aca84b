/** Drives `step` through a scripted world with a clock of its own, and writes down every effect as a short string. */
import type { Command, Effect } from '../../../src/core/lifecycle/effect.ts';
import type { Note, Outcome, Request } from '../../../src/core/lifecycle/event.ts';
import type { Attempt, Hook, Identity, Plan, State } from '../../../src/core/lifecycle/state.ts';
import { step } from '../../../src/core/lifecycle/step.ts';
import { nextTimerAtMs } from '../../../src/core/lifecycle/timer.ts';
import { answerWell, scriptEnded } from './outcomes.ts';

export const START_AT_MS = Date.UTC(2026, 0, 1);

export const IDENTITY: Identity = {
  project: 'demo',
  key: 'ABC-1',
  branch: 'symphony/ABC-1',
  sandboxId: 'ws-1',
  location: 'host',
  isolation: null,
  limited: false,
  repository: { url: 'https://git.example/demo.git', baseBranch: null, depth: null },
  root: null,
};

export const ALL_HOOKS: Record<Hook, boolean> = {
  after_create: true,
  before_run: true,
  after_run: true,
  before_remove: true,
};

const PLAN: Plan = {
  hooks: ALL_HOOKS,
  agent: 'command',
  agentTimeoutMs: 3_600_000,
  maxAttempts: 5,
  maxRetryBackoffMs: 300_000,
  snapshots: false,
};

/** What an effect is called in a trace; scripts of answers go by the same names. */
export function nameOf(command: Command): string {
  switch (command.type) {
    case 'open':
      return command.claim ? 'claim' : 'open';
    case 'run-hook':
      return `hook ${command.hook}`;
    case 'run-agent':
      return 'agent';
    case 'clone':
      return command.snapshot === null ? 'clone' : 'clone from snapshot';
    case 'destroy':
      return command.forget ? 'destroy' : 'discard';
    case 'cancel-operation':
      return `cancel ${command.operation.replace(/^g\d+-a\d+-e\d+-/, '')}`;
    case 'kill-leftovers':
    case 'save':
    case 'snapshot':
    case 'look':
    case 'touch':
      return command.type;
  }
}

const isSideCommand = ({ command }: Effect) =>
  command.type === 'touch' || command.type === 'cancel-operation';

export interface SceneOptions {
  plan?: Partial<Plan>;
  identity?: Partial<Identity>;
}

export class Scene {
  current: State | null = null;
  nowMs = START_AT_MS;
  readonly plan: Plan;
  readonly identity: Identity;
  readonly trace: string[] = [];
  readonly notes: Note[] = [];
  pending: Effect[] = [];
  /** Creation ids in the order in which the sandbox was asked to take them. */
  readonly claims: string[] = [];
  /** Outcomes that after_run was told. */
  readonly toldOutcomes: (string | null)[] = [];
  #ids = 0;
  #taken = 0;
  readonly #scripts = new Map<string, Outcome[]>();
  readonly #cancelled = new Set<string>();

  constructor({ plan, identity }: SceneOptions = {}) {
    this.plan = { ...PLAN, ...plan };
    this.identity = { ...IDENTITY, ...identity };
  }

  get state(): State {
    if (this.current === null) throw new Error('nothing was dispatched yet');
    return this.current;
  }

  get attempt(): Attempt {
    if (this.state.attempt === null) throw new Error('there is no attempt yet');
    return this.state.attempt;
  }

  /** What the state waits for, by name; null: nothing. */
  get awaited(): string | null {
    const effect = this.#awaitedEffect();
    return effect === undefined ? null : nameOf(effect.command);
  }

  #awaitedEffect(): Effect | undefined {
    const stage = this.current?.stage;
    if (stage?.name !== 'work' && stage?.name !== 'removal') return undefined;
    return this.pending.find((effect) => effect.id === stage.awaiting);
  }

  /** Effects since the last call. */
  take(): string[] {
    const fresh = this.trace.slice(this.#taken);
    this.#taken = this.trace.length;
    return fresh;
  }

  // Events

  /** The failure code of a refused request, else null. */
  send(request: Request): string | null {
    return this.apply(request);
  }

  dispatch(more: Partial<Extract<Request, { type: 'dispatched' }>> = {}): string | null {
    return this.send({
      type: 'dispatched',
      identity: this.identity,
      task: { identifier: 'ABC-1', id: null, title: 'A task', state: 'In Progress' },
      terminal: false,
      agent: null,
      ...more,
    });
  }

  setTask(state: string): string | null {
    return this.send({ type: 'task-state-changed', state, terminal: state === 'Done' });
  }

  cancel(attempt = this.state.attemptCount): string | null {
    return this.send({ type: 'cancel-requested', attempt });
  }

  finish(outcome: 'succeeded' | 'failed' = 'succeeded', attempt = this.state.attemptCount): string | null {
    return this.send({ type: 'finish-requested', attempt, outcome, detail: null });
  }

  delete(options: { cancel?: boolean; discard?: boolean } = {}): string | null {
    return this.send({ type: 'delete-requested', cancel: false, discard: false, ...options });
  }

  sweep(options: { terminal?: boolean; force?: boolean } = {}): string | null {
    const terminal = options.terminal ?? this.state.task.terminal;
    return this.send({ type: 'swept', terminal, force: options.force ?? false });
  }

  /** Fires the timer at the instant that the state asked for. */
  fireTimer(): void {
    const atMs = nextTimerAtMs(this.state);
    if (atMs === null) throw new Error('the state asked for no timer');
    this.nowMs = Math.max(this.nowMs, atMs);
    this.apply({ type: 'timer-fired' });
  }

  endEffect(effect: string, outcome: Outcome): void {
    this.apply({ type: 'effect-ended', effect, outcome });
  }

  apply(
    event: Request | { type: 'timer-fired' } | { type: 'effect-ended'; effect: string; outcome: Outcome },
  ) {
    this.nowMs += 1;
    this.#ids += 1;
    const stamped = { ...event, atMs: this.nowMs, newId: `creation-${this.#ids}` };
    const { state, effects, notes, refused } = step(this.current, stamped);
    this.current = state;
    this.notes.push(...notes);
    for (const effect of effects) this.#record(effect);
    return refused?.code ?? null;
  }

  #record(effect: Effect): void {
    const { command } = effect;
    this.trace.push(nameOf(command));
    this.pending.push(effect);
    if (command.type === 'open' && command.claim) this.claims.push(command.creationId);
    if (command.type === 'run-hook' && command.hook === 'after_run') this.toldOutcomes.push(command.outcome);
    if (command.type === 'cancel-operation') this.#cancelled.add(command.awaiting);
  }

  // The world

  /** The next effects of this name end so; later ones well. */
  script(name: string, ...outcomes: Outcome[]): this {
    this.#scripts.set(name, [...(this.#scripts.get(name) ?? []), ...outcomes]);
    return this;
  }

  /** Ends the awaited effect, as scripted, else well. */
  answer(outcome?: Outcome): void {
    const effect = this.#awaitedEffect();
    if (effect === undefined) throw new Error('nothing is awaited');
    this.pending = this.pending.filter((other) => other !== effect && !isSideCommand(other));
    this.endEffect(effect.id, outcome ?? this.#outcomeOf(effect));
  }

  #outcomeOf({ id, command }: Effect): Outcome {
    const scripted = this.#scripts.get(nameOf(command))?.shift();
    if (scripted) return scripted;
    if (!this.#cancelled.has(id)) return answerWell(command, this.plan, this.nowMs);
    return command.type === 'clone'
      ? { type: 'clone-failed', detail: 'cancelled', cancelled: true }
      : scriptEnded('cancelled');
  }

  /** Ends effects until nothing is awaited. */
  run(): this {
    while (this.awaited !== null) this.answer();
    return this;
  }

  /** Ends effects until this one is awaited. */
  runTo(name: string): this {
    while (this.awaited !== name) this.answer();
    return this;
  }
}

/** A workspace whose first attempt has ended. */
export function idleScene(options: SceneOptions = {}): Scene {
  const scene = new Scene(options);
  scene.dispatch();
  if (scene.plan.agent === 'external') {
    while (scene.awaited !== null) scene.answer();
    scene.finish();
  }
  scene.run().take();
  return scene;
}

/** A world that does anything it plausibly could, chosen by numbers, and the promises that every step of the machine keeps in it. */
import type { Command, Effect } from '../../../src/core/lifecycle/effect.ts';
import type { Event, Outcome, Request } from '../../../src/core/lifecycle/event.ts';
import type { Plan, State } from '../../../src/core/lifecycle/state.ts';
import { step } from '../../../src/core/lifecycle/step.ts';
import { nextTimerAtMs } from '../../../src/core/lifecycle/timer.ts';
import { ALL_HOOKS, IDENTITY, nameOf, START_AT_MS } from './driver.ts';
import * as answers from './outcomes.ts';
import { checkStep } from './promises.ts';

/** What to do, and two numbers that choose how. */
export type Action = readonly [kind: number, a: number, b: number];
export type Happening =
  | Request
  | { type: 'timer-fired' }
  | { type: 'effect-ended'; effect: string; outcome: Outcome };
export type Answerer = (command: Command, world: RandomWorld) => Outcome;

const isMain = ({ command }: Effect) => command.type !== 'touch' && command.type !== 'cancel-operation';
const pick = <T>(list: readonly [T, ...T[]], at: number): T => list[at % list.length] ?? list[0];

export class RandomWorld {
  state: State | null = null;
  nowMs = START_AT_MS;
  plan: Plan;
  /** Main effects that have had no result yet: what the Durable Object has stored. */
  pending: Effect[] = [];
  readonly ended: Effect[] = [];
  /** Scripts and incarnations that may come up once only. */
  readonly seen = new Set<string>();
  /** before_run or the agent ran since the last save that made the branch safe. */
  isDirty = false;
  readonly destroyed: string[] = [];
  #ids = 0;

  constructor(seed: number) {
    this.plan = {
      hooks: {
        ...ALL_HOOKS,
        after_create: (seed & 1) === 0,
        before_run: (seed & 2) === 0,
        after_run: (seed & 4) === 0,
        before_remove: (seed & 8) === 0,
      },
      agent: (seed & 16) === 0 ? 'command' : 'external',
      agentTimeoutMs: 3_600_000,
      maxAttempts: 1 + ((seed >> 5) & 3),
      maxRetryBackoffMs: 300_000,
      snapshots: (seed & 128) !== 0,
    };
    this.location = (seed & 256) === 0 ? 'host' : 'cloudflare';
  }
  readonly location: 'host' | 'cloudflare';

  apply(happening: Happening): void {
    this.nowMs += 1;
    this.#ids += 1;
    const event: Event = { ...happening, atMs: this.nowMs, newId: `creation-${this.#ids}` };
    const before = this.state;
    const result = step(before, event);
    if (happening.type === 'effect-ended') this.#settle(happening.effect);
    this.pending.push(...result.effects.filter(isMain));
    this.state = result.state;
    checkStep(this, before, happening, result);
  }

  #settle(id: string): void {
    const effect = this.pending.find((other) => other.id === id);
    if (!effect) return;
    this.pending = this.pending.filter((other) => other !== effect);
    this.ended.push(effect);
  }

  get isRemoved(): boolean {
    return this.state === null || this.state.stage.name === 'removed';
  }

  // Chance

  act([kind, a, b]: Action): void {
    if (kind < 190) return this.#answer(b < 205 ? answerAsAsked : (command) => answerBadly(command, this, a));
    if (kind < 196) return this.#repeat(a, b);
    if (kind < 212) return this.#fireTimer();
    if (kind < 215) this.nowMs += a * 60_000;
    else if (kind < 217) this.plan = { ...this.plan, hooks: { ...this.plan.hooks, after_run: a < 128 } };
    else this.apply(this.#request(kind, a, b));
  }

  #answer(answerer: Answerer): void {
    const effect = this.pending[0];
    if (effect)
      this.apply({ type: 'effect-ended', effect: effect.id, outcome: answerer(effect.command, this) });
  }

  #repeat(a: number, b: number): void {
    const effect = this.ended[a % Math.max(1, this.ended.length)];
    if (!effect) return;
    const outcome = b < 128 ? answerAsAsked(effect.command, this) : answerBadly(effect.command, this, b);
    this.apply({ type: 'effect-ended', effect: effect.id, outcome });
  }

  #fireTimer(): void {
    const atMs = this.state === null ? null : nextTimerAtMs(this.state);
    if (atMs === null || this.isRemoved) return;
    this.nowMs = Math.max(this.nowMs, atMs);
    this.apply({ type: 'timer-fired' });
  }

  #request(kind: number, a: number, b: number): Request {
    const attempt = Math.max(0, (this.state?.attemptCount ?? 0) - (a < 200 ? 0 : a - 200));
    if (kind < 229 || this.state === null) return this.buildDispatch(a < 20, pick(AGENTS, b));
    if (kind < 232) return { type: 'task-state-changed', state: 'Done', terminal: true };
    if (kind < 235) return { type: 'task-state-changed', state: 'In Progress', terminal: false };
    if (kind < 238) return { type: 'cancel-requested', attempt };
    if (kind < 244) {
      const outcome = b < 128 ? 'succeeded' : 'failed';
      return { type: 'finish-requested', attempt, outcome, detail: null };
    }
    if (kind < 247) return { type: 'delete-requested', cancel: a < 128, discard: b < 128 };
    if (kind < 249) return { type: 'save-requested' };
    if (kind < 251) return { type: 'wake-requested' };
    if (kind < 252) return { type: 'files-changed' };
    return { type: 'swept', terminal: a < 128, force: b < 128 };
  }

  buildDispatch(terminal: boolean, agent: null | 'external' | { command: string }): Request {
    const task = { identifier: 'ABC-1', id: null, title: null, state: 'In Progress' };
    return { type: 'dispatched', identity: { ...IDENTITY, location: this.location }, task, terminal, agent };
  }

  // Order

  /** Goes on by effects and timers until nothing is owed any more, or until a number of steps that no life needs. */
  settle(answerer: Answerer, isDone: () => boolean = () => false): void {
    for (let count = 0; count < 400; count += 1) {
      if (this.isRemoved || isDone()) return;
      if (this.pending.length > 0) this.#answer(answerer);
      else if (this.#isResting()) return;
      else this.#fireTimer();
    }
    throw new Error(`still busy after 400 steps: ${JSON.stringify(this.state)}`);
  }

  /** Only keep-awake calls are owed, if anything. */
  #isResting(): boolean {
    const { state } = this;
    if (state === null) return true;
    return nextTimerAtMs({ ...state, identity: { ...state.identity, location: 'host' } }) === null;
  }
}

const AGENTS: [null, 'external', { command: string }] = [null, 'external', { command: 'true' }];

export const answerAsAsked: Answerer = (command, world) =>
  answers.answerWell(command, planOf(world), world.nowMs);

/** The dispatch's own choice of an agent is part of the plan that is read. */
const planOf = ({ plan, state }: RandomWorld): Plan => {
  if (state === null || state.agentChoice === 'workflow') return plan;
  return { ...plan, agent: state.agentChoice };
};

const { GONE, UNREACHABLE, REFUSED, DAMAGED, scriptEnded, saved } = answers;
const ABSENT: [Outcome, ...Outcome[]] = [GONE, UNREACHABLE, REFUSED, DAMAGED];
const SCRIPTS = (['failed', 'killed', 'timeout', 'cancelled', 'lost'] as const).map((how) =>
  scriptEnded(how, 1),
);
const SAVES = [
  answers.SAVE_FAILED,
  answers.SAVED_BUT_DIRTY,
  saved('nothing_to_save'),
  saved('diverged'),
  saved('head_elsewhere'),
  saved('unsaved', { stashes: 1 }),
  saved('no_repository', { head: null }),
  saved('no_repository', { unsavedCount: 2 }),
];

export const answerBadly = (command: Command, world: RandomWorld, choice: number): Outcome => {
  switch (command.type) {
    case 'open':
      return pick([...ABSENT, answers.PLAN_REFUSED, answers.FOLDER_GONE], choice);
    case 'clone':
      return pick(
        [...ABSENT, answers.CLONE_FAILED, answers.cloned('remote', 'c'), answers.cloned('nothing')],
        choice,
      );
    case 'run-hook':
    case 'run-agent':
      return pick([...ABSENT, ...SCRIPTS, ...SCRIPTS], choice);
    case 'save':
      return pick([...ABSENT, ...SAVES], choice);
    case 'snapshot':
      return pick([...ABSENT, answers.snapshotSkipped(world.nowMs)], choice);
    case 'look':
      return pick([...ABSENT, answers.looked('gone', world.plan.hooks), answers.TASK_OPEN], choice);
    case 'destroy':
      return pick([...ABSENT, answers.DESTROY_FAILED], choice);
    case 'kill-leftovers':
      return pick(ABSENT, choice);
    case 'touch':
    case 'cancel-operation':
      throw new Error(`${nameOf(command)} has no result`);
  }
};

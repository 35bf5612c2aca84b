/** What holds for every single step, whatever the world does. Each check throws with what it found. */
import type { Effect } from '../../../src/core/lifecycle/effect.ts';
import type { Step } from '../../../src/core/lifecycle/event.ts';
import { hasWorkToSave, isRemovable, usableSnapshot } from '../../../src/core/lifecycle/saving.ts';
import type { Attempt, State } from '../../../src/core/lifecycle/state.ts';
import { step } from '../../../src/core/lifecycle/step.ts';
import { nextTimerAtMs } from '../../../src/core/lifecycle/timer.ts';
import { nameOf } from './driver.ts';
import type { Happening, RandomWorld } from './random-world.ts';

export function checkStep(
  world: RandomWorld,
  before: State | null,
  happening: Happening,
  result: Step<State | null, Effect>,
): void {
  if (result.refused !== null) {
    insist(result.state === before && result.effects.length === 0, 'a refused request changed something');
    return;
  }
  for (const effect of result.effects) checkOnce(world, effect);
  if (result.state === null) return;
  noteSave(world, happening, result.state);
  for (const effect of result.effects) checkDestroy(world, before, happening, result.state, effect);
  checkAttempts(before, result.state);
  checkAwaiting(world, result.state);
  checkRest(result.state);
}

function insist(fact: boolean, otherwise: string): asserts fact {
  if (!fact) throw new Error(otherwise);
}

/** Ids, incarnations, after_create per incarnation, hooks and agent per attempt. */
function checkOnce(world: RandomWorld, { id, command }: Effect): void {
  const state = world.state as State;
  const attempt = `g${state.generation} attempt ${state.attemptCount}`;
  const facts = [id];
  if ('operation' in command && command.type !== 'cancel-operation') facts.push(command.operation);
  if (command.type === 'open' && command.claim) facts.push(command.creationId);
  if (command.type === 'run-agent') facts.push(`${attempt} agent`);
  if (command.type === 'run-hook' && command.hook === 'after_create')
    facts.push(`after_create in ${state.creationId}`);
  if (command.type === 'run-hook' && command.hook.endsWith('_run')) facts.push(`${attempt} ${command.hook}`);
  for (const fact of facts) {
    insist(!world.seen.has(fact), `twice: ${fact}`);
    world.seen.add(fact);
  }
  const runs = command.type === 'run-agent' || (command.type === 'run-hook' && command.hook === 'before_run');
  if (runs) world.isDirty = true;
}

function noteSave(world: RandomWorld, happening: Happening, state: State): void {
  if (happening.type === 'dispatched' && state.attemptCount === 1) world.isDirty = false;
  if (happening.type !== 'effect-ended' || happening.outcome.type !== 'saved') return;
  if (world.ended.at(-1)?.id === happening.effect && isRemovable(state.saved)) world.isDirty = false;
}

/** Nothing goes for good unless it is safe, given up by a person, or not there any more. */
function checkDestroy(
  world: RandomWorld,
  before: State | null,
  happening: Happening,
  state: State,
  effect: Effect,
): void {
  if (effect.command.type !== 'destroy' || !effect.command.forget) return;
  world.destroyed.push(effect.id);
  insist(state.removalWish !== null, 'destroyed without a wish');
  if (state.removalWish.discard || before === null || before.files === 'none') return;
  if (isGone(before, happening)) {
    insist(isRemovable(state.saved) || usableSnapshot(before) === null, 'destroyed with work in a snapshot');
    return;
  }
  insist(isRemovable(state.saved), `destroyed with saved status ${state.saved.status}`);
  const isStale = world.isDirty && before.files === 'present';
  insist(!isStale, 'destroyed although an attempt ran since the last save');
}

function isGone(before: State, happening: Happening): boolean {
  if (before.files === 'lost') return true;
  if (happening.type !== 'effect-ended') return false;
  const { outcome } = happening;
  return (
    (outcome.type === 'absent' && outcome.absence.kind === 'gone') ||
    (outcome.type === 'looked' && outcome.found === 'gone') ||
    (outcome.type === 'opened' && outcome.files === 'absent')
  );
}

function checkAttempts(before: State | null, state: State): void {
  const isNew = before === null || state.generation !== before.generation;
  const count = isNew ? 0 : before.attemptCount;
  if (state.attemptCount !== count) {
    insist(state.attemptCount === count + 1, `attempt ${state.attemptCount} follows ${count}`);
    const previous = isNew ? null : before.attempt;
    insist(previous === null || previous.outcome !== null, 'an attempt began while another ran');
  }
  const { attempt, stage } = state;
  insist(attempt?.number === state.attemptCount, 'the attempt at hand is not the last one');
  const isRunning = stage.name === 'work' && stage.goal === 'attempt';
  insist(
    (attempt.outcome === null) === isRunning,
    `outcome ${attempt.outcome} while running is ${isRunning}`,
  );
  checkRuns(attempt);
}

function checkRuns(attempt: Attempt): void {
  const names = attempt.hooks.map(({ hook }) => hook);
  insist(new Set(names).size === names.length, `hooks twice on one attempt: ${names.join()}`);
  if (attempt.outcome === null || attempt.plan === null) return;
  const isShown = names.includes('after_run');
  insist(isShown || !attempt.plan.hooks.after_run, 'an ended attempt says nothing of its after_run');
  insist(attempt.outcome !== 'succeeded' || attempt.save !== null, 'a success without a save');
}

/** One main effect at a time, and always the one that is waited for. */
function checkAwaiting({ pending }: RandomWorld, { stage }: State): void {
  const awaiting = stage.name === 'work' || stage.name === 'removal' ? stage.awaiting : null;
  const names = pending.map(({ command }) => nameOf(command)).join();
  insist(pending.length <= 1, `several effects at once: ${names}`);
  insist((pending[0]?.id ?? null) === awaiting, `awaits ${awaiting}, owed is ${names}`);
}

/** Nothing is awaited: then a timer goes on with whatever is still owed. */
function checkRest(state: State): void {
  const { stage } = state;
  const timer = nextTimerAtMs(state);
  if (stage.name === 'work' && stage.awaiting === null)
    insist(stage.phase === 'agent_wait' && timer !== null, `stuck in ${stage.phase}`);
  insist(stage.name !== 'removal' || stage.awaiting !== null, 'stuck in a removal');
  if (stage.name !== 'idle') return;
  insist(state.files !== 'present' || state.saved.status !== 'unknown', 'files that no save was tried for');
  insist(!state.queued, 'a queued dispatch was forgotten');
  insist((state.removalWish === null) === (state.kept === null), 'a wish to remove without a next try');
  const isOwed = state.retry !== null || state.kept !== null;
  const isSaveOwed = state.saved.status === 'failed' && state.damaged === null && hasWorkToSave(state);
  insist(timer !== null || (!isOwed && !isSaveOwed), 'work is owed and no timer is set');
}

/** The timer is set to the first instant at which it changes something. */
export function checkTimer(state: State, nowMs: number): void {
  const atMs = nextTimerAtMs(state);
  if (state.stage.name === 'removed') return;
  const fire = (at: number) =>
    step(state, { type: 'timer-fired', atMs: at, newId: 'unused' }).state !== state;
  if (atMs === null) return insist(!fire(nowMs + 1e12), 'a timer that was not asked for does something');
  insist(fire(atMs), 'a timer that was asked for does nothing');
  insist(!fire(atMs - 1), 'a timer could have come earlier');
}

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasWorkToSave } from '../../../src/core/lifecycle/saving.ts';
import { DESTROY_FAILED, SAVE_FAILED, UNREACHABLE } from './outcomes.ts';
import { actions, beginLife, byte, chances, faultOf } from './any-life.ts';
import { answerAsAsked, answerBadly, type RandomWorld, type Answerer } from './random-world.ts';

const LONG = process.env['TEST_LONG'] === '1';
/** Eight ways to end a life, each after as many lives as this. */
const ENDINGS = LONG ? 20_000 : 200;
const TIMEOUT_MS = LONG ? 3_600_000 : 60_000;

/** What a check finds wrong in a world that lived through anything, with the way to see it again; null: nothing. */
const faultInAnyLife = (check: (world: RandomWorld, choice: number) => string | null): string | null => {
  const property = fc.property(chances, actions, byte, (chance, deeds, choice) => {
    const world = beginLife(chance);
    for (const deed of deeds) world.act(deed);
    const fault = check(world, choice);
    if (fault !== null) throw new Error(fault);
  });
  return faultOf(property, ENDINGS);
};

const endTask = (world: RandomWorld): void =>
  world.apply({ type: 'task-state-changed', state: 'Done', terminal: true });
const giveUp = (world: RandomWorld): void =>
  world.apply({ type: 'delete-requested', cancel: true, discard: true });
const triesOf = ({ state }: RandomWorld): number => state?.kept?.tries ?? 0;
const SILENT: Answerer = ({ type }) => (type === 'destroy' ? DESTROY_FAILED : UNREACHABLE);
const wrongUnlessRemoved = (world: RandomWorld): string | null =>
  world.isRemoved ? null : `ends as ${JSON.stringify(world.state)}`;
const saveFails =
  (world: RandomWorld): Answerer =>
  (command) =>
    command.type === 'save' ? SAVE_FAILED : answerAsAsked(command, world);
const badly = (world: RandomWorld, choice: number): Answerer => {
  let count = choice;
  return (command) => answerBadly(command, world, (count += 7));
};

describe('whatever is asked and whatever the world answers', { timeout: TIMEOUT_MS }, () => {
  test('left alone in a good world, the workspace comes to rest with its branch saved', () => {
    const fault = faultInAnyLife((world) => {
      world.settle(answerAsAsked);
      const { state } = world;
      if (state === null || world.isRemoved) return null;
      const isSaved = state.damaged !== null || state.saved.status !== 'failed' || !hasWorkToSave(state);
      const isAtRest = state.stage.name === 'idle' && state.retry === null && state.kept === null;
      return isAtRest && isSaved ? null : `ends as ${JSON.stringify(state)}`;
    });
    expect(fault).toBeNull();
  });

  test('left alone in a bad world, it comes to rest, is removed, or waits ever longer', () => {
    const fault = faultInAnyLife((world, choice) => {
      const tries = () => Math.max(world.state?.kept?.tries ?? 0, world.state?.saved.tries ?? 0);
      world.settle(badly(world, choice), () => tries() > 3);
      return null;
    });
    expect(fault).toBeNull();
  });

  test('a task that becomes terminal in a good world ends removed', () => {
    const fault = faultInAnyLife((world) => {
      if (!world.isRemoved) endTask(world);
      world.settle(answerAsAsked);
      return wrongUnlessRemoved(world);
    });
    expect(fault).toBeNull();
  });

  test('a sweep that finds the task terminal does the same', () => {
    const fault = faultInAnyLife((world) => {
      world.apply({ type: 'swept', terminal: true, force: true });
      world.settle(answerAsAsked);
      return wrongUnlessRemoved(world);
    });
    expect(fault).toBeNull();
  });

  test('a delete with cancel and discard ends removed in a good world', () => {
    const fault = faultInAnyLife((world) => {
      giveUp(world);
      world.settle(answerAsAsked);
      return wrongUnlessRemoved(world);
    });
    expect(fault).toBeNull();
  });

  test('a delete with cancel and discard ends removed where nothing works but destroying', () => {
    const fault = faultInAnyLife((world, choice) => {
      giveUp(world);
      const bad = badly(world, choice);
      world.settle((command) => (command.type === 'destroy' ? { type: 'destroyed' } : bad(command, world)));
      return wrongUnlessRemoved(world);
    });
    expect(fault).toBeNull();
  });

  test('a terminal task whose saves keep failing is kept and never destroyed', () => {
    const fault = faultInAnyLife((world) => {
      // What is under way ends first, so that the removal begins with files that nobody has saved.
      world.settle(saveFails(world), () => world.state?.stage.name === 'idle');
      if (world.state?.files !== 'present' || world.state.removalWish?.discard === true) return null;
      const destroyed = world.destroyed.length;
      const tries = triesOf(world);
      endTask(world);
      world.settle(saveFails(world), () => triesOf(world) > tries + 4);
      const isKept = world.state.kept !== null && world.destroyed.length === destroyed;
      return isKept ? null : `ends as ${JSON.stringify(world.state)}`;
    });
    expect(fault).toBeNull();
  });

  test('a terminal task whose sandbox does not answer is kept, and ends removed once it does', () => {
    const fault = faultInAnyLife((world) => {
      if (!world.isRemoved) endTask(world);
      const tries = triesOf(world);
      world.settle(SILENT, () => triesOf(world) > tries + 4);
      world.settle(answerAsAsked);
      return wrongUnlessRemoved(world);
    });
    expect(fault).toBeNull();
  });
});

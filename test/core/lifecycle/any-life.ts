/** Lives of a workspace in which anything happens, as fast-check makes them up. */
import * as fc from 'fast-check';
import { answerAsAsked, RandomWorld, type Action } from './random-world.ts';

export const byte = fc.nat({ max: 255 });
export const actions: fc.Arbitrary<Action[]> = fc.array(fc.tuple(byte, byte, byte), {
  maxLength: 60,
  size: 'max',
});
export const chances = fc.nat({ max: 1023 });

/** Half of the lives begin with a workspace that has its first attempt behind it. */
export const beginLife = (chance: number): RandomWorld => {
  const world = new RandomWorld(chance);
  world.apply(world.buildDispatch(false, null));
  if ((chance & 512) !== 0) world.settle(answerAsAsked);
  return world;
};

/** What fast-check found against the property, with the way to see it again; null: nothing. */
export const faultOf = <T>(property: fc.IProperty<T>, numRuns: number): string | null =>
  fc.defaultReportMessage(fc.check(property, { numRuns })) ?? null;

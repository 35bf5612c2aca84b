import * as fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { actions, beginLife, chances, faultOf } from './any-life.ts';
import { checkTimer } from './promises.ts';

const LONG = process.env['TEST_LONG'] === '1';
const RUNS = LONG ? 100_000 : 300;
const TIMEOUT_MS = LONG ? 3_600_000 : 60_000;

/** Assertions of vitest would take as long as everything else here: a fault is thrown. */
const property = fc.property(chances, actions, (chance, deeds) => {
  const world = beginLife(chance);
  let text = JSON.stringify(world.state);
  for (const deed of deeds) {
    const before = world.state;
    world.act(deed);
    if (JSON.stringify(before) !== text) throw new Error('a step changed the state that it came from');
    if (world.state === null || world.state === before) continue;
    text = JSON.stringify(world.state);
    if (!isDeepStrictEqual(JSON.parse(text), world.state)) throw new Error(`no plain data: ${text}`);
    checkTimer(world.state, world.nowMs);
  }
});

test(
  'whatever is asked and answered, every step keeps its promises, its timer is exact, its state plain data',
  { timeout: TIMEOUT_MS },
  () => {
    expect(faultOf(property, RUNS)).toBeNull();
  },
);

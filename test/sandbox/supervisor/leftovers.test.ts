import { describe, expect, test } from 'vitest';
import {
  planKills,
  type Family,
  type MarkedProcess,
  type Selection,
} from '../../../src/sandbox/supervisor/leftovers.ts';

const SUPERVISOR = 100;

const proc = (pid: number, more: Partial<MarkedProcess> = {}): MarkedProcess => ({
  pid,
  parent: 1,
  session: pid,
  hasTerminal: false,
  startedAt: 1000 + pid,
  markers: [],
  ...more,
});

const NOBODY: Family = { markers: [], sessions: [] };
const OURS: Family = { markers: ['ws/'], sessions: [{ id: 200, leaderStartedAt: 1200 }] };

const MACHINE = [
  proc(1, { parent: 0 }),
  proc(50, { markers: ['other/op'] }),
  proc(60, { hasTerminal: true }),
  proc(61, { parent: 60, session: 60, hasTerminal: true }),
  proc(SUPERVISOR),
  proc(101, { parent: SUPERVISOR }),
];

const plan = (processes: MarkedProcess[], more: Partial<Selection> = {}): number[] =>
  planKills([...MACHINE, ...processes], {
    kill: OURS,
    spare: NOBODY,
    supervisorPid: SUPERVISOR,
    wrapperPids: [],
    sandboxStartedAt: null,
    known: new Set(),
    ...more,
  }).map(({ pid }) => pid);

describe('on a shared machine', () => {
  test('nothing of anybody else is killed', () => {
    expect(plan([])).toEqual([]);
  });

  test('marked processes and their descendants are, whatever session they are in', () => {
    const marked = proc(300, { markers: ['ws/op'] });
    const child = proc(301, { parent: 300 });
    const grandchild = proc(302, { parent: 301 });
    expect(plan([marked, child, grandchild, proc(303)])).toEqual([300, 301, 302]);
  });

  test('a marker that only begins like ours is another workspace’s', () => {
    expect(plan([proc(300, { markers: ['ws2/op'] })])).toEqual([]);
    const kill = { markers: ['ws/op'], sessions: [] };
    expect(plan([proc(300, { markers: ['ws/op2'] }), proc(301, { markers: ['ws/op'] })], { kill })).toEqual([
      301,
    ]);
  });

  test('one of several markers is enough', () => {
    expect(plan([proc(300, { markers: ['inner/op', 'ws/op'] })])).toEqual([300]);
  });

  test('members of a session are ours while its leader is, and when it is gone', () => {
    const member = proc(300, { session: 200 });
    expect(plan([proc(200, { startedAt: 1200 }), member])).toEqual([200, 300]);
    expect(plan([member])).toEqual([300]);
  });

  test('a session whose number was given away is not ours', () => {
    expect(plan([proc(200, { startedAt: 9999 }), proc(300, { session: 200 })])).toEqual([]);
    expect(plan([proc(300, { session: 200, startedAt: 5 })])).toEqual([]);
  });

  test('running operations are spared with all their descendants', () => {
    const spare = { markers: ['ws/running'], sessions: [] };
    const running = [
      proc(300, { markers: ['ws/running'] }),
      proc(301, { parent: 300, markers: ['ws/running'] }),
    ];
    expect(plan([...running, proc(302, { markers: ['ws/ended'] })], { spare })).toEqual([302]);
  });

  test('a wrapper is left to go by itself, what it watched is not', () => {
    const wrapper = proc(200, { startedAt: 1200, parent: SUPERVISOR });
    expect(plan([wrapper, proc(300, { session: 200, parent: 200 })], { wrapperPids: [200] })).toEqual([300]);
  });

  test('a process seen before is killed also when it is orphaned; another one with its number is not', () => {
    const known = new Set(['300:1300']);
    expect(plan([proc(300)], { known })).toEqual([300]);
    expect(plan([proc(300, { startedAt: 7777 })], { known })).toEqual([]);
  });
});

describe('in a sandbox of its own', () => {
  const sandboxStartedAt = 1100;

  test('everything younger than the supervisor goes, but terminals and the supervisor’s helpers', () => {
    const processes = [
      proc(300),
      proc(301, { hasTerminal: true }),
      proc(302, { parent: 101 }),
      proc(303, { startedAt: 1100 }),
    ];
    expect(plan(processes, { sandboxStartedAt })).toEqual([300]);
  });

  test('what is marked goes even with a terminal', () => {
    expect(plan([proc(300, { hasTerminal: true, markers: ['ws/op'] })], { sandboxStartedAt })).toEqual([300]);
  });

  test('neither PID 1 nor the supervisor is ever killed, whatever it carries', () => {
    const forged = [proc(1, { markers: ['ws/op'], parent: 0 }), proc(SUPERVISOR, { markers: ['ws/op'] })];
    const selection = {
      kill: OURS,
      spare: NOBODY,
      supervisorPid: SUPERVISOR,
      wrapperPids: [],
      sandboxStartedAt,
      known: new Set<string>(),
    };
    expect(planKills(forged, selection)).toEqual([]);
  });
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sweepNow, sweepOnSchedule } from '../../src/cron/sweep.ts';
import { startFakes } from '../http/fake-objects.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Options {
  force: boolean;
  waitMs: number;
}
const page = (lookedAt: number, nextCursor: string | null, more = {}) => ({
  ok: true,
  value: { lookedAt, removed: 0, kept: [], nextCursor, ...more },
});

const sorted = (texts: (string | undefined)[]) => texts.toSorted((a = '', b = '') => (a < b ? -1 : 1));
const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A directory of `p0`, `p1`, … and a place for the position. */
function startSweep(count: number) {
  const fakes = startFakes();
  const ids = Array.from({ length: count }, (_, index) => `p${String(index).padStart(3, '0')}`);
  const store = { position: null as string | null };
  fakes.answer('directory.listProjects', (limit: number, after: string | null) => {
    const rest = ids.filter((id) => after === null || id > after);
    return { ids: rest.slice(0, limit), nextCursor: rest.length > limit ? rest[limit - 1] : null };
  });
  fakes.answer('directory.loadSweepPosition', () => store.position);
  fakes.answer('directory.saveSweepPosition', (position: string | null) => void (store.position = position));
  const swept = () =>
    fakes.calls.filter((call) => call.includes('.sweep(')).map((call) => call.split(/[ .]/)[1]);
  const log = (line: (typeof fakes.logs)[number]) => fakes.logs.push(line);
  return { ...fakes, ids, store, swept, log, tick: () => sweepOnSchedule(fakes.env, log) };
}

test('a tick asks every project once and ends at the start', async () => {
  const { tick, swept, ids, store } = startSweep(20);
  await tick();
  expect(sorted(swept())).toEqual(ids);
  expect(store.position).toBeNull();
});

test('a tick waits for no removal and forces nothing', async () => {
  const { tick, calls } = startSweep(1);
  await tick();
  expect(calls).toContain('project p000.sweep(null,200,{"force":false,"waitMs":0})');
});

test('a large project is asked page by page', async () => {
  const { tick, answer, calls } = startSweep(1);
  answer('project.sweep', (cursor: string | null) =>
    page(200, cursor === null ? '200' : cursor === '200' ? '400' : null),
  );
  await tick();
  expect(calls.filter((call) => call.includes('.sweep('))).toEqual([
    'project p000.sweep(null,200,{"force":false,"waitMs":0})',
    'project p000.sweep("200",200,{"force":false,"waitMs":0})',
    'project p000.sweep("400",200,{"force":false,"waitMs":0})',
  ]);
});

test('10 000 workspaces take 50 calls', async () => {
  const { env, answer, swept } = startSweep(1);
  answer('project.sweep', (cursor: string | null) => {
    const next = Number(cursor ?? 0) + 200;
    return page(200, next < 10_000 ? String(next) : null);
  });
  expect((await sweepNow(env)).looked_at).toBe(10_000);
  expect(swept()).toHaveLength(50);
});

test('a project without end is left after 100 calls, and goes on there at the next tick', async () => {
  const { tick, answer, swept, calls, store } = startSweep(2);
  answer('project.sweep', (cursor: string | null) => page(200, String(Number(cursor ?? 0) + 200)));
  await tick();
  expect(swept()).toHaveLength(200);
  expect(store.position).not.toBeNull();
  calls.length = 0;
  await tick();
  expect(calls).toContain('project p000.sweep("20000",200,{"force":false,"waitMs":0})');
  expect(calls.some((call) => call.includes('listProjects'))).toBe(false);
});

test('a tick that runs out of time goes on behind the last project at the next one', async () => {
  const { tick, answer, swept, ids, calls, store } = startSweep(80);
  answer('project.sweep', () => delay(8_000).then(() => page(1, null)));
  const ticking = tick();
  await vi.advanceTimersByTimeAsync(64_000);
  await ticking;
  const first = swept();
  expect(first).toEqual(ids.slice(0, 64));
  expect(store.position).not.toBeNull();
  calls.length = 0;
  answer('project.sweep', page(1, null));
  await tick();
  expect(swept()).toEqual(ids.slice(64));
  expect(store.position).toBeNull();
});

test('a project that fails, throws or hangs delays no other', async () => {
  const { tick, answer, swept, ids, logs } = startSweep(12);
  const faults = [
    () => ({ ok: false, error: { code: 'project_not_found', detail: 'gone' } }),
    () => {
      throw new Error('broken');
    },
    () => new Promise(() => undefined),
  ];
  answer('project.sweep', () => faults.pop()?.() ?? page(1, null));
  const ticking = tick();
  await vi.advanceTimersByTimeAsync(10_000);
  await ticking;
  expect(sorted(swept())).toEqual(ids);
  const failed = logs.filter(({ level }) => level === 'error').map(({ fault }) => fault);
  expect(sorted(failed.map(String))).toEqual(['Error: broken', 'gone', 'no answer within 10000 ms']);
});

test('a position of another release is the start', async () => {
  const { tick, swept, store } = startSweep(3);
  for (const position of ['', '{', 'null', '{"after":7}', '"x"']) {
    store.position = position;
    await tick();
  }
  expect(swept()).toHaveLength(15);
});

test('a person’s sweep forces, waits within its time, and reports what it did', async () => {
  const { env, answer, log } = startSweep(9);
  const waits: number[] = [];
  const kept = { project: 'p', key: 'k', reason: 'refused' };
  answer('project.sweep', (_cursor: unknown, _limit: unknown, { force, waitMs }: Options) => {
    waits.push(force ? waitMs : -1);
    return page(3, null, { removed: 1, kept: [kept] });
  });
  const report = await sweepNow(env, log);
  expect(report).toEqual({
    looked_at: 27,
    removed: 9,
    kept: Array.from({ length: 9 }, () => kept),
    orphans: [],
    duration_ms: expect.any(Number) as number,
  });
  expect(Math.min(...waits)).toBeGreaterThan(0);
  expect(Math.max(...waits)).toBeLessThanOrEqual(25_000);
});

test('POST /v1/sweep answers the report', async () => {
  const { ask } = startSweep(2);
  const response = await ask('POST /v1/sweep');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ looked_at: 2, removed: 0, kept: [], orphans: [], duration_ms: 0 });
});

test('what a person’s sweep has no time for is left to the next tick', async () => {
  const { env, answer, store, log } = startSweep(80);
  answer('project.sweep', () => delay(4_000).then(() => page(1, null)));
  const sweeping = sweepNow(env, log);
  await vi.advanceTimersByTimeAsync(28_000);
  expect((await sweeping).duration_ms).toBeLessThan(30_000);
  expect(store.position).not.toBeNull();
});

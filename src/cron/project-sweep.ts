/** The sweep of one project: page by page, each call with its own end, so that one broken project holds nobody up. */
import type { ProjectRpc } from '../../durable-objects/rpc.ts';
import type { SweepReport } from '../core/api.ts';

/** A page is one call: its object reads an index and asks only workspaces that may have to go. */
const PAGE_WORKSPACES = 200;
/** 20 000 workspaces; what is left of a larger project waits for the next tick. */
const MAX_PAGES = 100;
/** Beyond what a call was allowed to wait. */
const CALL_GRACE_MS = 10_000;

export interface ProjectSweep {
  report: Pick<SweepReport, 'looked_at' | 'removed' | 'kept'>;
  /** The place to go on at; undefined: done, or broken and left to the next round. */
  rest: string | null | undefined;
  fault: string | null;
}

export interface Pace {
  force: boolean;
  deadlineMs: number;
  /** Of the time left, how much one call may wait for removals that it started: 0 … 1. */
  waitShare: number;
}

export async function sweepProject(
  project: ProjectRpc,
  from: string | null,
  pace: Pace,
): Promise<ProjectSweep> {
  const report: ProjectSweep['report'] = { looked_at: 0, removed: 0, kept: [] };
  let cursor = from;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const leftMs = pace.deadlineMs - Date.now();
    if (leftMs <= 0) return { report, rest: cursor, fault: null };
    const waitMs = Math.floor(leftMs * pace.waitShare);
    const answer = await callWithin(waitMs + CALL_GRACE_MS, () =>
      project.sweep(cursor, PAGE_WORKSPACES, { force: pace.force, waitMs }),
    );
    if (!answer.ok) return { report, rest: undefined, fault: answer.fault };
    report.looked_at += answer.value.lookedAt;
    report.removed += answer.value.removed;
    report.kept.push(...answer.value.kept);
    cursor = answer.value.nextCursor;
    if (cursor === null) return { report, rest: undefined, fault: null };
  }
  return { report, rest: cursor, fault: null };
}

type SweepPage = Extract<Awaited<ReturnType<ProjectRpc['sweep']>>, { ok: true }>['value'];

/** Every way to fail is a fault here: a failure, a throw, and no answer at all. */
async function callWithin(
  timeoutMs: number,
  call: () => ReturnType<ProjectRpc['sweep']>,
): Promise<{ ok: true; value: SweepPage } | { ok: false; fault: string }> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMs);
  });
  try {
    const answer = await Promise.race([call(), late]);
    if (answer === 'late') return { ok: false, fault: `no answer within ${timeoutMs} ms` };
    return answer.ok ? answer : { ok: false, fault: answer.error.detail };
  } catch (error) {
    return { ok: false, fault: String(error) };
  } finally {
    clearTimeout(timer);
  }
}

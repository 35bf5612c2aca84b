/**
 * Cleanup: asks every project which workspaces may go. It only asks; each workspace decides under its own lock.
 * Two sweeps at once are harmless: they ask twice.
 */
import { directoryOf, projectOf } from '../../durable-objects/stubs.ts';
import type { SweepReport } from '../core/api.ts';
import { sweepHost } from './host-orphans.ts';
import { type Log, logToConsole } from '../http/request-log.ts';
import type { Env } from '../sandbox/env.ts';
import { type ProjectSweep, sweepProject } from './project-sweep.ts';
import { START, type SweepPosition, isAtEnd, parsePosition, printPosition } from './sweep-position.ts';

/** Asked at the same time; a hanging one holds up these only, and only until its call's end. */
const BATCH_PROJECTS = 8;
/** Ticks come every 5 minutes; a tick that is cut off goes on in the next. */
const TICK_BUDGET_MS = 60_000;
/** Clients and proxies give up on a request after 30 s. */
const REQUEST_BUDGET_MS = 25_000;

interface Sweep {
  report: SweepReport;
  position: SweepPosition;
}

/** The cron's tick. */
export async function sweepOnSchedule(env: Env, log: Log = logToConsole): Promise<void> {
  const directory = directoryOf(env);
  const from = parsePosition(await directory.loadSweepPosition());
  const { report, position } = await sweep(env, from, { force: false, budgetMs: TICK_BUDGET_MS }, log);
  await directory.saveSweepPosition(printPosition(position));
  log({
    level: 'info',
    message: 'sweep',
    ...report,
    kept: report.kept.length,
    orphans: report.orphans.length,
    finished: isAtEnd(position),
  });
}

/** A person's: over everything, and kept workspaces do not wait for their backoff. */
export async function sweepNow(env: Env, log: Log = logToConsole): Promise<SweepReport> {
  const { report, position } = await sweep(env, START, { force: true, budgetMs: REQUEST_BUDGET_MS }, log);
  if (!isAtEnd(position)) await directoryOf(env).saveSweepPosition(printPosition(position));
  return report;
}

async function sweep(
  env: Env,
  from: SweepPosition,
  { force, budgetMs }: { force: boolean; budgetMs: number },
  log: Log,
): Promise<Sweep> {
  const startedAtMs = Date.now();
  const deadlineMs = startedAtMs + budgetMs;
  const report: SweepReport = { looked_at: 0, removed: 0, kept: [], orphans: [], duration_ms: 0 };
  const unfinished: SweepPosition['open'] = [];
  let position = from;
  while (!isAtEnd(position) && Date.now() < deadlineMs) {
    const { batch, next } = await takeBatch(env, position);
    position = next;
    const waitShare = force ? shareOf(next) : 0;
    const swept = await Promise.all(
      batch.map(({ project, cursor }) =>
        sweepProject(projectOf(env, project), cursor, { force, deadlineMs, waitShare }),
      ),
    );
    for (const [index, part] of swept.entries()) {
      const { project } = batch[index] as SweepPosition['open'][number];
      addTo(report, part);
      if (part.fault !== null)
        log({ level: 'error', message: 'sweep of a project failed', project, fault: part.fault });
      if (part.rest !== undefined) unfinished.push({ project, cursor: part.rest });
    }
  }
  report.orphans = await sweepHost(env, deadlineMs).catch((thrown: unknown) => {
    log({ level: 'error', message: 'sweep of the sandbox host failed', fault: String(thrown) });
    return [];
  });
  report.duration_ms = Date.now() - startedAtMs;
  return { report, position: { ...position, open: [...position.open, ...unfinished] } };
}

/** What was left open comes first, then the next projects of the directory. */
async function takeBatch(
  env: Env,
  position: SweepPosition,
): Promise<{ batch: SweepPosition['open']; next: SweepPosition }> {
  if (position.open.length > 0)
    return {
      batch: position.open.slice(0, BATCH_PROJECTS),
      next: { ...position, open: position.open.slice(BATCH_PROJECTS) },
    };
  const page = await directoryOf(env).listProjects(BATCH_PROJECTS, position.after);
  return {
    batch: page.ids.map((project) => ({ project, cursor: null })),
    next: { after: page.nextCursor, listed: page.nextCursor === null, open: [] },
  };
}

/** Half of the time left goes to the last batch, a quarter to one before: later projects must have some, too. */
const shareOf = (next: SweepPosition): number => (isAtEnd(next) ? 1 / 2 : 1 / 4);

function addTo(report: SweepReport, { report: part }: ProjectSweep): void {
  report.looked_at += part.looked_at;
  report.removed += part.removed;
  report.kept.push(...part.kept);
}

/** `harness plan`: what apply would do, with a unified diff per file. */
import type { Run } from '../invocation.ts';
import { exitCodeFor, refuse } from '../outcome.ts';
import { buildPlan } from '../plan.ts';
import type { Operation } from '../plan-file.ts';
import { openRepository } from '../workspace-state.ts';

export const runPlan: Run = async (_, io) => {
  const opened = openRepository(io);
  if (!opened.ok) return refuse(opened.error);
  const { operations, skipped, diagnostics } = buildPlan(opened.value);
  const { unifiedDiff } = await import('../unified-diff.ts'); // the library is for this command alone
  const shown = operations.map((operation) => ({ ...summaryOf(operation), diff: unifiedDiff(operation) }));
  const lines = shown.flatMap(({ action, path, drift, diff }) => [
    `${action.padEnd(8)} ${path}${drift === undefined ? '' : `  (drift: ${drift})`}`,
    ...(diff === '' ? [] : diff.trimEnd().split('\n')),
  ]);
  return {
    exitCode: exitCodeFor(diagnostics),
    lines: lines.length === 0 && diagnostics.length === 0 ? ['Nothing to do.'] : lines,
    data: { operations: shown },
    skipped,
    diagnostics,
  };
};

const summaryOf = ({
  action,
  path,
  provider,
  drift,
}: Operation): Pick<Operation, 'action' | 'path' | 'provider' | 'drift'> => ({
  action,
  path,
  provider,
  ...(drift !== undefined && { drift }),
});

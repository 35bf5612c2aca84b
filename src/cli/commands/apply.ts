/** `harness apply`: all files or, on any error, none. */
import { carryOut } from '../carry-out.ts';
import type { Run } from '../invocation.ts';
import { hasErrors } from '../cli-diagnostic.ts';
import { refuse } from '../outcome.ts';
import { buildPlan } from '../plan.ts';
import { openRepository } from '../workspace-state.ts';

export const runApply: Run = (_, io) => {
  const opened = openRepository(io);
  if (!opened.ok) return refuse(opened.error);
  const plan = buildPlan(opened.value);
  const { operations, skipped, diagnostics } = plan;
  if (hasErrors(diagnostics)) {
    return { exitCode: 1, lines: ['Nothing was written.'], data: { operations: [] }, skipped, diagnostics };
  }
  carryOut(opened.value.repository, plan);
  const told = diagnostics.filter(({ code }) => code !== 'APPLY_INTERRUPTED'); // it is finished now
  const lines = operations.map(({ action, path }) => `${action.padEnd(8)} ${path}`);
  return {
    exitCode: 0,
    lines: lines.length === 0 ? ['Nothing to do.'] : lines,
    data: { operations: operations.map(({ action, path, provider }) => ({ action, path, provider })) },
    skipped,
    diagnostics: told,
  };
};

/** `harness validate`: everything that apply would trip over, and what it can't see: missing scripts. */
import type { Run } from '../invocation.ts';
import { exitCodeFor, refuse } from '../outcome.ts';
import { buildPlan } from '../plan.ts';
import { missingScripts } from '../script-check.ts';
import { openRepository } from '../workspace-state.ts';

export const runValidate: Run = (_, io) => {
  const opened = openRepository(io);
  if (!opened.ok) return refuse(opened.error);
  const plan = buildPlan(opened.value);
  const diagnostics = [...plan.diagnostics, ...missingScripts(opened.value)];
  const { hookIds, providers } = opened.value.manifest;
  const exitCode = exitCodeFor(diagnostics);
  const counts = `${counted(hookIds.length, 'hook')}, ${counted(providers.length, 'provider')}`;
  return {
    exitCode,
    lines: [exitCode === 0 ? `valid    ${counts}` : `invalid  ${counts}`],
    data: { hooks: hookIds, providers },
    skipped: plan.skipped,
    diagnostics,
  };
};

const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`;

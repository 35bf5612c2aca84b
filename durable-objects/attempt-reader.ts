/** Attempts with what was kept of their output, as the API shows them. */
import type { AttemptView, WorkspaceView } from '../src/core/api.ts';
import type { Attempt, Run, State } from '../src/core/lifecycle/state.ts';
import { buildAttemptView, buildWorkspaceView } from '../src/core/lifecycle/view.ts';
import { buildWorkspaceWarnings } from '../src/core/warnings.ts';
import type { WorkspaceStore } from './workspace-store.ts';

export const viewWorkspace = (state: State): WorkspaceView =>
  buildWorkspaceView(state, buildWorkspaceWarnings(state));

export function viewAttempt(
  store: WorkspaceStore,
  state: State,
  attempt: Attempt,
  what: 'summary' | 'with output',
): AttemptView {
  const view = buildAttemptView(attempt, state.attempt?.number === attempt.number ? state.stage : null);
  if (what === 'summary') return view;
  const hooks = view.hooks.map((run, index) => ({ ...run, ...readOutput(store, attempt.hooks[index]) }));
  const agent = view.agent && { ...view.agent, ...readOutput(store, attempt.agentRun) };
  return { ...view, hooks, agent };
}

export const viewAttempts = (
  store: WorkspaceStore,
  state: State,
  before: number,
  limit: number,
): AttemptView[] =>
  store.attempts(before, limit).map((attempt) => viewAttempt(store, state, attempt, 'summary'));

function readOutput(store: WorkspaceStore, run: Run | null | undefined) {
  if (!run) return {};
  const stdout = store.output(run.operation, 'stdout');
  const stderr = store.output(run.operation, 'stderr');
  return stdout && stderr ? { stdout, stderr } : {};
}

/** Plain text, one section per run and stream; the pieces are read one at a time. */
export function streamLog(store: WorkspaceStore, attempt: Attempt): ReadableStream<Uint8Array> {
  const sections = buildSections(store, attempt);
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      const next = sections.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
}

function* buildSections(store: WorkspaceStore, attempt: Attempt): Generator<string> {
  const agent = attempt.agentRun === null ? [] : [{ ...attempt.agentRun, hook: 'agent' as const }];
  const [after, before] = [attempt.hooks.filter(isAfterRun), attempt.hooks.filter((run) => !isAfterRun(run))];
  for (const run of [...before, ...agent, ...after]) {
    yield `=== ${run.hook}: ${run.outcome}${run.exitCode === null ? '' : ` (exit ${run.exitCode})`} after ${run.durationMs} ms${run.detail === null ? '' : ` — ${run.detail}`}\n`;
    for (const stream of ['stdout', 'stderr'] as const) {
      const output = store.output(run.operation, stream);
      if (output && output.text !== '') yield `--- ${stream}\n${endLine(output.text)}`;
    }
  }
}

const isAfterRun = (run: { hook: string }) => run.hook === 'after_run';
const endLine = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

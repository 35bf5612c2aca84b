/** What every effect gets: the present truth, the sandbox, the project, and how long this run may take. */
import type { Command } from '../../src/core/lifecycle/effect.ts';
import type { Absence, Outcome } from '../../src/core/lifecycle/event.ts';
import type { State } from '../../src/core/lifecycle/state.ts';
import type { SandboxAccess } from '../../src/sandbox/access.ts';
import type { Reply, SupervisorClient, Target } from '../../src/sandbox/client.ts';
import type { Env } from '../../src/sandbox/env.ts';
import type { SupervisorError } from '../../src/sandbox/protocol.ts';
import type { EffectValues } from '../effect-values.ts';
import type { GrantTable } from '../grant-table.ts';
import type { ProjectForWorkspace } from '../project-for-workspace.ts';
import type { WorkspaceStore } from '../workspace-store.ts';

export interface EffectContext {
  env: Env;
  store: WorkspaceStore;
  /** Read again before every act: the state may have moved on while a call was under way. */
  state(): State;
  /** The stage still waits for this effect. */
  isAwaited(): boolean;
  project: ProjectForWorkspace;
  access: SandboxAccess;
  client: SupervisorClient;
  grants: GrantTable;
  values: EffectValues;
  /** When the effect was journalled; it may have been run before, by an object that is no more. */
  issuedAtMs: number;
  /** After this instant the effect answers `later`, and the next alarm goes on with it. */
  deadlineAtMs: number;
}

/** `later`: not over yet, repeat it in the next run; `done`: over without a result that moves the workspace. */
export type EffectEnd = Outcome | 'later' | 'done';

export type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>;

/** Sandbox calls that do not get through are repeated this long before the sandbox counts as unreachable. */
const UNREACHABLE_MS = 180_000;
const RETRY_STEP_MS = 1_000;
const MAX_RETRY_STEP_MS = 15_000;

export const at = (state: State): Target => ({
  creationId: state.creationId ?? '',
  directory: state.directory ?? '',
});

/**
 * Repeats an idempotent call while it does not get through. null: this run's time is over.
 * It is given up after `UNREACHABLE_MS`, which an alarm's run is longer than, but not before `notBeforeMs`.
 */
export async function insist<T>(
  context: EffectContext,
  call: () => Promise<Reply<T>>,
  notBeforeMs = 0,
): Promise<Reply<T> | null> {
  const giveUpAtMs = Math.max(Date.now() + UNREACHABLE_MS, notBeforeMs);
  for (let stepMs = RETRY_STEP_MS; ; stepMs = Math.min(stepMs * 2, MAX_RETRY_STEP_MS)) {
    const result = await call();
    if (result.kind !== 'unreachable' || Date.now() >= giveUpAtMs) return result;
    if (Date.now() + stepMs >= context.deadlineAtMs) return null;
    await pause(stepMs);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What a refused or failed call says about our files. */
export function absenceOf(
  result: { kind: 'refused'; error: SupervisorError } | { kind: 'unreachable'; detail: string },
): Absence {
  if (result.kind === 'unreachable')
    return { kind: 'unreachable', detail: `the sandbox did not answer: ${result.detail}` };
  const { code, detail } = result.error;
  switch (code) {
    case 'no_incarnation':
      return { kind: 'gone', detail: 'the sandbox was replaced by a fresh one' };
    case 'directory_gone':
      return { kind: 'gone', detail };
    case 'foreign_directory':
    case 'other_incarnation':
    case 'workspace_damaged':
    case 'path_refused':
      return { kind: 'damaged', detail };
    default:
      return { kind: 'refused', detail: `${code}: ${detail}` };
  }
}

export const absent = (absence: Absence): Outcome => ({ type: 'absent', absence });

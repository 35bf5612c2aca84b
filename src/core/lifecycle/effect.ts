/**
 * Commands that follow from a step. They run after the state is committed, re-read the present truth before they act, and are idempotent:
 * a crash between running and deleting one repeats it. `operation` ids are derived from generation and attempt, so a repeat finds its first run.
 */
import type { Hook } from './state.ts';

export type Command =
  /** Read the plan in force and find (or take, with `claim`) the sandbox. What is there of `replaces` is destroyed before. */
  | { type: 'open'; creationId: string; claim: boolean; replaces: string[] }
  | { type: 'clone'; operation: string; snapshot: string | null }
  | { type: 'run-hook'; hook: Hook; operation: string; keepLeftovers: boolean; outcome: string | null }
  | { type: 'run-agent'; operation: string }
  | { type: 'kill-leftovers' }
  | { type: 'save'; operation: string; rescue: string }
  | { type: 'snapshot'; operation: string }
  /** Are the files there? Wakes nothing: a sandbox that sleeps has lost them. */
  | { type: 'look' }
  | { type: 'destroy'; forget: boolean }
  /** Side commands: no result moves the workspace on. */
  | { type: 'cancel-operation'; operation: string; awaiting: string }
  | { type: 'touch' };

export interface Effect {
  id: string;
  command: Command;
}

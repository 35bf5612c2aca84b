/** What a workspace answers to its own project only: the project decides on identity and terminal states. */
import type { Dispatched, TaskStateAnswer, WorkspaceView } from '../src/core/api.ts';
import type { Request } from '../src/core/lifecycle/event.ts';
import type { Answer } from './rpc.ts';

export type DispatchRequest = Omit<Extract<Request, { type: 'dispatched' }>, 'terminal'>;

/** `terminalStates`: of the WORKFLOW.md in force. */
export interface WorkspaceForProject {
  dispatch(request: DispatchRequest, terminalStates: readonly string[]): Answer<Dispatched>;
  changeTaskState(state: string, terminal: boolean): Answer<TaskStateAnswer>;
  /** Starts a removal that is due and waits for its end at most `waitMs`; null: nothing was ever dispatched here. */
  sweep(terminalStates: readonly string[], force: boolean, waitMs: number): Promise<WorkspaceView | null>;
}

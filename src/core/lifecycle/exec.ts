/** May the caller of an attempt run a command in the workspace now? Pure. */
import { failure, type Failure } from '../failure.ts';
import type { State } from './state.ts';

/** `attempt`: the one the command was meant for; null: whichever waits. The answer null: it may. */
export function refuseExec(
  { identity, stage, damaged, attempt: running }: State,
  attempt: number | null,
): Failure | null {
  if (stage.name === 'removal')
    return failure('workspace_removing', `workspace ${identity.key} is being removed`);
  if (damaged !== null) return failure('workspace_damaged', damaged);
  if (stage.name !== 'work' || stage.phase !== 'agent_wait')
    return failure(
      'wrong_phase',
      'exec works while a caller-run attempt waits for its caller (phase agent_wait)',
    );
  if (attempt !== null && running?.number !== attempt)
    return failure('wrong_phase', `attempt ${attempt} ended before the command was started`);
  return null;
}

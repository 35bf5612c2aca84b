/** What a request leads to in each stage. A refused one changes nothing. */
import { failure, type Failure } from '../failure.ts';
import { note, settle, type Draft } from './draft.ts';
import type { Request } from './event.ts';
import { beginRemoval, isRemovalDue } from './removal.ts';
import { hasWorkToSave } from './saving.ts';
import type { State } from './state.ts';
import { beginSettling } from './attempt.ts';
import { beginAttempt, beginWork, stopWork } from './work.ts';

type Of<T extends Request['type']> = Extract<Request, { type: T }>;

const removing = (state: State) =>
  failure(
    'workspace_removing',
    `workspace ${state.identity.key} is being removed; dispatch again when it is gone`,
  );

/** null: accepted. */
export function onRequest(draft: Draft, request: Request): Failure | null {
  switch (request.type) {
    case 'dispatched':
      return onDispatched(draft, request);
    case 'task-state-changed':
      return onTaskState(draft, request);
    case 'cancel-requested':
      return onCancel(draft, request);
    case 'finish-requested':
      return onFinish(draft, request);
    case 'delete-requested':
      return onDelete(draft, request);
    case 'save-requested':
      return onSave(draft);
    case 'wake-requested':
      return onWake(draft);
    case 'files-changed':
      return onFilesChanged(draft);
    case 'swept':
      return onSwept(draft, request);
  }
}

function onDispatched(draft: Draft, request: Of<'dispatched'>): Failure | null {
  const { state } = draft;
  const { stage } = state;
  if (stage.name === 'removal') return removing(state);
  if (state.queued || (stage.name === 'work' && stage.goal === 'attempt'))
    return failure(
      'attempt_in_progress',
      `attempt ${state.attemptCount} of ${state.identity.key} is still running; wait for its end or cancel it`,
    );
  if (request.terminal || (request.task.state === null && state.task.terminal))
    return failure(
      'task_terminal',
      `the task's state is terminal; set another state before dispatching ${request.task.identifier}`,
    );
  relabel(state, request);
  state.removalWish = null;
  state.kept = null;
  state.agentChoice =
    request.agent === null ? 'workflow' : request.agent === 'external' ? 'external' : 'command';
  state.agentCommand = request.agent !== null && request.agent !== 'external' ? request.agent.command : null;
  if (stage.name === 'work') state.queued = true;
  else beginAttempt(draft, 1);
  return null;
}

/** The tracker may rename a task: same workspace, new label; the first explicit id replaces a defaulted one. */
function relabel(state: State, request: Of<'dispatched'>): void {
  const { task } = request;
  state.task = {
    ...state.task,
    identifier: task.identifier,
    title: task.title ?? state.task.title,
    state: task.state ?? state.task.state,
    terminal: false,
    ...(task.id !== null && !state.task.idGiven ? { id: task.id, idGiven: true } : {}),
  };
}

function onTaskState(draft: Draft, request: Of<'task-state-changed'>): Failure | null {
  const { state } = draft;
  if (state.stage.name === 'removed')
    return failure('task_not_found', `the workspace of ${state.identity.key} was removed`);
  if (state.stage.name === 'removal' && !request.terminal) return removing(state);
  takeTerminal(state, request.terminal);
  state.task.state = request.state;
  note(draft, 'workspace', { task_state: request.state, terminal: request.terminal });
  if (request.terminal) startRemovalOrStop(draft, 'terminal');
  return null;
}

/** Re-opened before the removal began: the workspace stays. A person's delete of an open task outlives what its tracker says. */
function takeTerminal(state: State, terminal: boolean): void {
  const isReopened = state.task.terminal && !terminal;
  state.task.terminal = terminal;
  if (terminal) state.removalWish ??= { by: 'terminal', discard: false };
  else if (isReopened || state.removalWish?.by === 'terminal') {
    state.removalWish = null;
    state.kept = null;
  }
}

function startRemovalOrStop(draft: Draft, reason: 'terminal' | 'delete'): void {
  const { state } = draft;
  if (state.stage.name === 'idle') return beginRemoval(draft);
  if (state.stage.name !== 'work') return;
  state.queued = false;
  // Asked again: a kept workspace goes as soon as the work under way is over.
  if (state.kept) state.kept.nextTryAtMs = Math.min(state.kept.nextTryAtMs, draft.atMs);
  stopWork(draft, state.stage, reason);
}

function onCancel(draft: Draft, request: Of<'cancel-requested'>): Failure | null {
  const { state } = draft;
  const { stage, attempt } = state;
  if (!attempt || request.attempt > state.attemptCount || request.attempt < 1)
    return failure('attempt_not_found', `${state.identity.key} has no attempt ${request.attempt}`);
  const ended = failure('attempt_ended', `attempt ${request.attempt} has already ended or is being saved`);
  if (request.attempt !== attempt.number) return ended;
  if (stage.name === 'work' && stage.goal === 'attempt')
    return stopWork(draft, stage, 'cancel') ? null : ended;
  if (state.retry === null) return ended;
  state.retry = null;
  note(draft, 'attempt', { number: attempt.number, retry: 'cancelled' });
  return null;
}

function onFinish(draft: Draft, request: Of<'finish-requested'>): Failure | null {
  const { state } = draft;
  const { stage, attempt } = state;
  if (!attempt || request.attempt > state.attemptCount || request.attempt < 1)
    return failure('attempt_not_found', `${state.identity.key} has no attempt ${request.attempt}`);
  if (request.attempt !== attempt.number || attempt.outcome !== null || attempt.result !== null)
    return failure('attempt_ended', `attempt ${request.attempt} has already ended`);
  if (stage.name !== 'work' || stage.phase !== 'agent_wait')
    return failure(
      'wrong_phase',
      `attempt ${request.attempt} does not wait for its caller: only one in the phase agent_wait can be finished so`,
    );
  const detail = request.detail ?? 'the caller reported a failure';
  settle(draft, request.outcome, request.outcome === 'failed' ? { code: 'agent_failed', detail } : null);
  beginSettling(draft, stage);
  return null;
}

function onDelete(draft: Draft, request: Of<'delete-requested'>): Failure | null {
  const { state } = draft;
  const { stage } = state;
  if (stage.name === 'removed') return null;
  if (stage.name === 'removal') {
    wishDelete(state, request.discard);
    stage.saveSettled ||= request.discard;
    return null;
  }
  if (stage.name === 'work' && stage.goal === 'attempt' && !request.cancel)
    return failure(
      'workspace_in_use',
      `attempt ${state.attemptCount} is using the workspace; add cancel=true to end it`,
    );
  if (!request.discard && isKnownUnsaved(state))
    return failure('workspace_unsaved', describeUnsaved(state), {
      extra: { unsaved_commits: state.saved.unsavedCommits, uncommitted: state.saved.uncommitted },
    });
  wishDelete(state, request.discard);
  startRemovalOrStop(draft, 'delete');
  return null;
}

/** Work that a person gave up once stays given up. */
function wishDelete(state: State, discard: boolean): void {
  state.removalWish = { by: 'delete', discard: discard || state.removalWish?.discard === true };
}

/** Already known to be not removable: asking again without `discard` could only end as `kept`. */
const isKnownUnsaved = (state: State): boolean =>
  state.damaged !== null || (state.saved.status !== 'unknown' && hasWorkToSave(state));

function describeUnsaved(state: State): string {
  if (state.damaged !== null)
    return `the workspace is damaged (${state.damaged}); add discard=true to remove it without saving`;
  return `the work is not saved (${state.saved.reason ?? state.saved.status}); save it first, or add discard=true to lose it`;
}

function onSave(draft: Draft): Failure | null {
  const { state } = draft;
  const refused = refuseWork(state);
  if (refused) return refused;
  if (state.stage.name === 'work') {
    if (state.stage.goal !== 'attempt') return null;
    return failure(
      'attempt_in_progress',
      `attempt ${state.attemptCount} is running; its branch is saved when it ends`,
    );
  }
  if (state.files === 'none')
    return failure('wrong_phase', 'the workspace has no files yet: nothing to save');
  beginWork(draft, 'save');
  return null;
}

function onWake(draft: Draft): Failure | null {
  const { state } = draft;
  const refused = refuseWork(state);
  if (refused) return refused;
  if (state.stage.name === 'work') return null;
  if (state.files === 'none')
    return failure('wrong_phase', 'the workspace has no files yet: dispatch its task first');
  beginWork(draft, 'wake');
  return null;
}

/** A host keeps its files; a sandbox loses them when it sleeps. */
function onFilesChanged({ state, atMs }: Draft): null {
  if (state.identity.location === 'cloudflare' && state.files === 'present') state.changedAtMs = atMs;
  return null;
}

function refuseWork(state: State): Failure | null {
  if (state.stage.name === 'removal') return removing(state);
  if (state.stage.name === 'removed')
    return failure('workspace_not_found', `workspace ${state.identity.key} was removed`);
  if (state.damaged !== null) return failure('workspace_damaged', state.damaged);
  return null;
}

function onSwept(draft: Draft, request: Of<'swept'>): Failure | null {
  const { state } = draft;
  if (state.stage.name === 'removed' || state.stage.name === 'removal') return null;
  takeTerminal(state, request.terminal);
  if (!state.removalWish) return null;
  if (request.force || isRemovalDue(state, draft.atMs)) startRemovalOrStop(draft, state.removalWish.by);
  return null;
}

/** Bringing the repository into a fresh sandbox: from a snapshot where there is one, else from the remote. */
import { restoreId } from '../../src/core/lifecycle/draft.ts';
import type { CloneResult, OperationView } from '../../src/sandbox/protocol.ts';
import { absenceOf, absent, type CommandOf, type EffectContext, type EffectEnd } from './context.ts';
import { runOperation } from './operation.ts';
import { gitTimeoutMs } from './git-timeout.ts';
import { withRemote } from './remote.ts';
import { keptWorkflow } from './scripts.ts';
import { uploadSnapshot } from './snapshot.ts';

export async function runClone(context: EffectContext, command: CommandOf<'clone'>): Promise<EffectEnd> {
  if (command.snapshot !== null) {
    const restored = await runRestore(context, command.operation, command.snapshot);
    if (restored !== null) return restored;
  }
  const { identity } = context.state();
  const { git } = keptWorkflow(context.store);
  const followed = await withRemote(context, 'clone', command.operation, (remote) =>
    runOperation(context, {
      id: command.operation,
      kind: 'clone',
      timeout_ms: gitTimeoutMs(context.env),
      remote,
      branch: identity.branch,
      base_branch: identity.repository?.baseBranch ?? null,
      depth: identity.repository?.depth ?? null,
      user: { name: git.userName, email: git.userEmail },
    }),
  );
  if ('end' in followed) return asCloneEnd(followed.end);
  return buildCloneEnd(followed.view, identity.repository === null);
}

/** null: the snapshot is gone, or at fault itself; the saved branch is next. Any other failure may pass, and the branch is less. */
async function runRestore(
  context: EffectContext,
  operation: string,
  snapshot: string,
): Promise<EffectEnd | null> {
  const uploaded = await uploadSnapshot(context, snapshot);
  if (uploaded === null) return 'later';
  if (uploaded.kind !== 'answer') return absent(absenceOf(uploaded));
  if (!uploaded.value) return null;
  const { identity, saved } = context.state();
  const { git } = keptWorkflow(context.store);
  const id = restoreId(operation);
  const followed = await withRemote(context, 'clone', id, (remote) =>
    runOperation(context, {
      id,
      kind: 'restore',
      timeout_ms: gitTimeoutMs(context.env),
      snapshot,
      remote,
      branch: identity.branch,
      user: { name: git.userName, email: git.userEmail },
    }),
  );
  if ('end' in followed) return asCloneEnd(followed.end);
  const { restore } = followed.view;
  if (restore?.ok !== true) return restore?.unusable === true ? null : buildRestoreFailure(followed.view);
  return {
    type: 'cloned',
    base: saved.base,
    remoteSha: saved.lastSaved,
    head: restore.facts.head,
    from: 'snapshot',
  };
}

function buildRestoreFailure({ restore, outcome, detail }: OperationView): EffectEnd {
  const why =
    restore?.ok === false
      ? `${restore.failure.reason}: ${restore.failure.detail}`
      : (detail ?? `the restore was ${outcome}`);
  return {
    type: 'clone-failed',
    detail: `the snapshot of the unsaved work could not be restored: ${why}`,
    cancelled: outcome === 'cancelled',
  };
}

/** An operation that was stopped before its start ends as a creation that was cancelled. */
const asCloneEnd = (end: EffectEnd): EffectEnd =>
  typeof end === 'object' && end.type === 'script-ended'
    ? { type: 'clone-failed', detail: 'stopped before it started', cancelled: true }
    : end;

function buildCloneEnd(view: OperationView, isEmpty: boolean): EffectEnd {
  const clone: CloneResult | null = view.clone;
  if (clone?.ok) {
    const { base, remote_sha, head } = clone;
    return { type: 'cloned', base, remoteSha: remote_sha, head, from: isEmpty ? 'nothing' : 'remote' };
  }
  const detail = clone
    ? `${clone.failure.reason}: ${clone.failure.detail}`
    : (view.detail ?? `the clone was ${view.outcome}`);
  return { type: 'clone-failed', detail, cancelled: view.outcome === 'cancelled' };
}

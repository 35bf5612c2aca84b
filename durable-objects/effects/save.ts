/** Putting the branch on the remote. */
import type { SaveReport } from '../../src/core/lifecycle/event.ts';
import type { OperationView, SaveResult } from '../../src/sandbox/protocol.ts';
import { absent, type CommandOf, type EffectContext, type EffectEnd } from './context.ts';
import { runOperation } from './operation.ts';
import { gitTimeoutMs } from './git-timeout.ts';
import { withRemote } from './remote.ts';

export async function runSave(context: EffectContext, command: CommandOf<'save'>): Promise<EffectEnd> {
  const { identity, saved } = context.state();
  const followed = await withRemote(context, 'save', command.operation, (remote) =>
    runOperation(context, {
      id: command.operation,
      kind: 'save',
      timeout_ms: gitTimeoutMs(context.env),
      remote,
      branch: identity.branch,
      rescue: command.rescue,
      base: saved.base,
      last_saved: saved.lastSaved,
    }),
  );
  if ('end' in followed) return followed.end;
  const { save } = followed.view;
  if (save !== null) return { type: 'saved', report: buildReport(save) };
  return lostSave(context, followed.view);
}

function buildReport(save: SaveResult): SaveReport {
  const { facts } = save;
  return {
    status: save.status,
    sha: save.sha,
    rescueRefs: save.rescue_refs,
    remoteSha: save.remote_sha,
    head: facts.head,
    stashes: facts.stashes,
    unsavedCount: facts.unsaved_count,
    unsavedCommits: facts.unsaved_commits,
    uncommitted: facts.uncommitted,
    reason: save.failure === null ? null : `${save.failure.reason}: ${save.failure.detail}`,
  };
}

/** The supervisor was restarted or stopped in the middle: what is known stays, and the save counts as failed. */
function lostSave(context: EffectContext, view: OperationView): EffectEnd {
  const { saved } = context.state();
  if (view.outcome === 'lost' && context.isAwaited()) {
    const detail = view.detail ?? 'the save was interrupted';
    const { rescueRefs, remoteSha, head, stashes, unsavedCount, unsavedCommits, uncommitted } = saved;
    const facts = { rescueRefs, remoteSha, head, stashes, unsavedCount, unsavedCommits, uncommitted };
    return { type: 'saved', report: { status: 'failed', sha: null, reason: detail, ...facts } };
  }
  return absent({ kind: 'unreachable', detail: view.detail ?? `the save was ${view.outcome}` });
}

/** What a person may do with a workspace now, and what a removal would lose. Pure. */
import type { WorkspaceDetail, WorkspaceView } from '../../core/api.ts';

export type Action =
  | 'dispatch'
  | 'cancel'
  | 'report-success'
  | 'report-failure'
  | 'save'
  | 'finish-task'
  | 'remove';

const STOPPABLE: ReadonlySet<string> = new Set([
  'cloning',
  'restoring',
  'after_create',
  'before_run',
  'agent',
  'agent_wait',
]);

export function availableActions(workspace: WorkspaceView): ReadonlySet<Action> {
  const { status, phase, in_use: inUse, next_retry_at: retryAt, saved } = workspace;
  const actions = new Set<Action>();
  if (status === 'removed') return actions.add('dispatch');
  if (status === 'removing') return actions;
  if (!inUse && phase === null) actions.add('dispatch');
  if ((inUse && phase !== null && STOPPABLE.has(phase)) || retryAt !== null) actions.add('cancel');
  if (phase === 'agent_wait') actions.add('report-success').add('report-failure');
  const hasRepository = saved.status !== 'no_repository';
  if (!inUse && phase === null && status !== 'damaged' && status !== 'failed' && hasRepository)
    actions.add('save');
  return actions.add('finish-task').add('remove');
}

export interface Loss {
  /** Known to be on no remote: a removal needs the person's word. */
  commits: WorkspaceView['unsaved_commits'];
  files: readonly string[];
  fileCount: number;
  /** When the files were looked at; null: never. */
  checkedAt: string | null;
  /** Only `discard` removes it. */
  needsDiscard: boolean;
  /** An attempt has to be cancelled first. */
  needsCancel: boolean;
}

export function lossOf(workspace: WorkspaceView): Loss {
  const { saved, unsaved_commits: commits, uncommitted, status } = workspace;
  const isUnsaved =
    saved.status === 'unsaved' ||
    saved.status === 'failed' ||
    (saved.status === 'no_repository' && commits.length > 0);
  return {
    commits: isUnsaved ? commits : [],
    files: uncommitted.files,
    fileCount: uncommitted.modified + uncommitted.untracked,
    checkedAt: uncommitted.checked_at,
    needsDiscard: isUnsaved || status === 'damaged',
    needsCancel: workspace.in_use,
  };
}

/** The attempt that a cancel or a report is about. */
export const currentAttempt = ({ attempts }: WorkspaceDetail): number => attempts[0]?.number ?? 0;

/** Opens the folder in the editor on the person's own machine. */
export const editorLink = ({ location, path }: WorkspaceView): string | null =>
  location === 'cloudflare' || path === null
    ? null
    : `vscode://file${path.split('/').map(encodeURIComponent).join('/')}`;

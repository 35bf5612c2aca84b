/** One workspace in the list: what a person wants to know before opening it. */
import type { WorkspaceView } from '../../core/api.ts';
import { Badge, Code, Foreign } from './badge.tsx';
import { age, ago, countdown, isOlderThan } from './time.ts';
import { OUTCOME, PHASE, plural, RUN, SAVED, shortSha, STATUS } from './words.ts';

/** Facts about files are looked up when something runs; older ones say so. */
const STALE_MS = 10 * 60_000;

export interface RowProps {
  workspace: WorkspaceView;
  nowMs: number;
}

export const WorkspaceRow = ({ workspace, nowMs }: RowProps) => {
  const { task, key, project } = workspace;
  return (
    <>
      <div class="cell task">
        <a class="row-link" href={`/projects/${project}/workspaces/${key}`}>
          <Foreign text={task.identifier} class="identifier" />
        </a>
        <Foreign text={task.title} class="title" />
      </div>
      <div class="cell state">
        <StateCell workspace={workspace} nowMs={nowMs} />
      </div>
      <div class="cell branch">
        <Code text={workspace.branch} />
        <SavedLine workspace={workspace} nowMs={nowMs} />
      </div>
      <div class="cell attempts">
        <AttemptsCell workspace={workspace} />
      </div>
      <div class="cell changes">
        <ChangesCell workspace={workspace} nowMs={nowMs} />
      </div>
      <div class="cell age" title={`Created ${workspace.created_at}`}>
        <span class="label">Age </span>
        {age(workspace.created_at, nowMs)}
      </div>
    </>
  );
};

const StateCell = ({ workspace, nowMs }: RowProps) => {
  const { status, phase, in_use: inUse, next_retry_at: retryAt, task } = workspace;
  const word = STATUS[status];
  const detail =
    phase !== null ? PHASE[phase] : retryAt !== null ? `retry ${countdown(retryAt, nowMs)}` : null;
  return (
    <>
      <Badge
        tone={word.tone}
        text={word.text}
        title={inUse ? 'An agent is using it' : 'No agent is using it'}
      />
      <span class="sub">
        {detail ?? (task.state === '' ? inUse ? 'agent active' : 'idle' : <Foreign text={task.state} />)}
      </span>
    </>
  );
};

export const SavedLine = ({ workspace, nowMs }: RowProps) => {
  const { saved } = workspace;
  const word = SAVED[saved.status];
  const before = SHA_WORDS[saved.status];
  return (
    <span class="saved">
      <Badge tone={word.tone} text={word.text} title={saved.reason ?? undefined} />
      {before === undefined || saved.sha === null ? null : (
        <>
          <span> {before} </span>
          <Code text={shortSha(saved.sha)} title={saved.sha} />
          {saved.at !== null && <span class="sub"> {ago(saved.at, nowMs)}</span>}
        </>
      )}
    </span>
  );
};

/** What the commit in the repository is to the work here. */
const SHA_WORDS: Partial<Record<WorkspaceView['saved']['status'], string>> = {
  saved: 'at',
  unsaved: 'since',
  failed: 'since',
};

const AttemptsCell = ({ workspace }: { workspace: WorkspaceView }) => {
  const { attempt_count: count, last_attempt: last, last_run: run } = workspace;
  const outcome = last?.outcome ? OUTCOME[last.outcome] : null;
  return (
    <>
      <span>{plural(count, 'attempt')}</span>
      <span class="sub">
        {outcome && <span class={`tone ${outcome.tone}`}>{outcome.text.toLowerCase()} · </span>}
        {run === null ? (
          'no hook yet'
        ) : (
          <>
            {run.hook} <span class={`tone ${RUN[run.outcome].tone}`}>{RUN[run.outcome].text}</span>
          </>
        )}
      </span>
    </>
  );
};

const ChangesCell = ({ workspace, nowMs }: RowProps) => {
  const { uncommitted, unsaved_commits: commits, status } = workspace;
  const checkedAt = uncommitted.checked_at;
  const files = uncommitted.modified + uncommitted.untracked;
  if (status === 'removed') return <span class="sub">–</span>;
  if (checkedAt === null) return <span class="sub">files not checked yet</span>;
  return (
    <>
      <span class={files > 0 || commits.length > 0 ? 'tone warn' : ''}>
        {files === 0 ? 'clean' : `${plural(files, 'file')} uncommitted`}
        {commits.length > 0 && `, ${plural(commits.length, 'commit')} unsaved`}
      </span>
      <span class={`sub ${isOlderThan(checkedAt, STALE_MS, nowMs) ? 'stale' : ''}`}>
        as of {ago(checkedAt, nowMs)}
      </span>
    </>
  );
};

/** Lower case, for the search field. */
export const searchText = ({ task, key, branch, status, saved }: WorkspaceView): string =>
  `${task.identifier} ${task.title} ${task.state} ${key} ${branch} ${status} ${SAVED[saved.status].text}`.toLowerCase();

export type Filter = 'live' | 'active' | 'attention' | 'unsaved' | 'removed' | 'all';

export const FILTERS: readonly { id: Filter; text: string }[] = [
  { id: 'live', text: 'Present' },
  { id: 'active', text: 'In use' },
  { id: 'attention', text: 'Needs attention' },
  { id: 'unsaved', text: 'Not saved' },
  { id: 'removed', text: 'Removed' },
  { id: 'all', text: 'All' },
];

export function passes(workspace: WorkspaceView, filter: Filter): boolean {
  const { status, saved } = workspace;
  switch (filter) {
    case 'all':
      return true;
    case 'removed':
      return status === 'removed';
    case 'live':
      return status !== 'removed';
    case 'active':
      return workspace.in_use || status === 'removing';
    case 'unsaved':
      return (
        status !== 'removed' && ['unsaved', 'failed', 'diverged', 'head_elsewhere'].includes(saved.status)
      );
    case 'attention':
      return needsAttention(workspace);
  }
}

const needsAttention = ({ status, saved, last_attempt: last, in_use: inUse }: WorkspaceView): boolean =>
  ['kept', 'damaged', 'failed'].includes(status) ||
  (status !== 'removed' && ['failed', 'diverged', 'head_elsewhere'].includes(saved.status)) ||
  (status !== 'removed' && !inUse && (last?.outcome === 'failed' || last?.outcome === 'timed_out'));

/** The top of a workspace's page: what it is, how it is, what can be done. Server and script render the same. */
import type { WorkspaceView } from '../../core/api.ts';
import { type Action, availableActions, editorLink } from './actions.ts';
import { Badge, Code, Foreign, Warnings } from './badge.tsx';
import { age, ago, countdown } from './time.ts';
import { LOCATION, PHASE, plural, shortSha, STATUS } from './words.ts';
import { SavedLine } from './workspace-row.tsx';

interface Props {
  workspace: WorkspaceView;
  nowMs: number;
}

export const WorkspaceHead = ({ workspace, nowMs }: Props) => {
  const { task, status, phase, in_use: inUse, created_at: createdAt } = workspace;
  return (
    <>
      <div class="workspace-head">
        <div class="title-row">
          <h1>
            <Foreign text={task.identifier} />
          </h1>
          <p class="badges" aria-live="polite">
            <Badge tone={STATUS[status].tone} text={STATUS[status].text} />
            {phase !== null && <span class="phase">{PHASE[phase]}</span>}
            {task.state !== '' && (
              <span class="sub">
                task: <Foreign text={task.state} />
              </span>
            )}
            <span class="sub" title={createdAt}>
              {age(createdAt, nowMs)} old
            </span>
          </p>
        </div>
        {task.title !== '' && (
          <p class="lead">
            <Foreign text={task.title} />
          </p>
        )}
        <Actions workspace={workspace} />
      </div>
      <Notices workspace={workspace} nowMs={nowMs} />
      <Facts workspace={workspace} nowMs={nowMs} />
      <p class="hidden">
        {inUse ? 'An agent is using this workspace.' : 'No agent is using this workspace.'}
      </p>
    </>
  );
};

const LABELS: Record<Action, string> = {
  dispatch: 'Dispatch again',
  'report-success': 'Agent succeeded',
  'report-failure': 'Agent failed',
  cancel: 'Cancel',
  save: 'Save now',
  'finish-task': 'Finish task',
  remove: 'Remove',
};

const Actions = ({ workspace }: { workspace: WorkspaceView }) => {
  const available = availableActions(workspace);
  const primary: Action = available.has('report-success') ? 'report-success' : 'dispatch';
  return (
    <div class="actions">
      {(Object.keys(LABELS) as Action[])
        .filter((action) => available.has(action))
        .map((action) => (
          <button
            key={action}
            type="button"
            data-action={action}
            class={action === primary ? 'primary' : action === 'remove' ? 'danger' : ''}
          >
            {LABELS[action]}
          </button>
        ))}
    </div>
  );
};

const Notices = ({ workspace, nowMs }: Props) => {
  const { error, kept, next_retry_at: retryAt, last_loss: loss, saved, warnings } = workspace;
  const savingAgain = saved.next_try_at !== null && (saved.status === 'failed' || saved.status === 'unsaved');
  return (
    <>
      <Warnings warnings={warnings} />
      {retryAt !== null && (
        <p class="notice warn">
          <strong>Next try {countdown(retryAt, nowMs)}.</strong> The same files, exactly as the last attempt
          left them.
        </p>
      )}
      {kept !== null && (
        <p class="notice warn">
          <strong>Kept.</strong> <Foreign text={kept.reason} /> Since {ago(kept.since, nowMs)},{' '}
          {plural(kept.tries, 'try', 'tries')}; next {countdown(kept.next_try_at, nowMs)}.
        </p>
      )}
      {error !== null && (
        <p class="notice bad">
          <strong>{error.code.replaceAll('_', ' ')}.</strong> <Foreign text={error.detail} />
        </p>
      )}
      {savingAgain && saved.next_try_at !== null && (
        <p class="notice bad">
          <strong>The branch is not saved.</strong> <Foreign text={saved.reason ?? ''} /> Next try{' '}
          {countdown(saved.next_try_at, nowMs)}.
        </p>
      )}
      {loss !== null && (
        <p class="notice warn">
          <strong>Lost with the last sandbox:</strong> <Foreign text={loss} />
        </p>
      )}
    </>
  );
};

const describeFiles = ({ modified, untracked }: WorkspaceView['uncommitted']): string =>
  [
    ...(modified === 0 ? [] : [plural(modified, 'changed file')]),
    ...(untracked === 0 ? [] : [plural(untracked, 'new file')]),
  ].join(', ');

const Facts = ({ workspace, nowMs }: Props) => {
  const { branch, head, uncommitted, path, location, saved, status } = workspace;
  const changed = uncommitted.modified + uncommitted.untracked;
  const editor = editorLink(workspace);
  return (
    <dl class="facts">
      <div>
        <dt>Branch</dt>
        <dd>
          <Code text={branch} />
          {head !== null && (
            <>
              {' at '}
              <Code text={shortSha(head)} title={head} />
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Repository</dt>
        <dd>
          <SavedLine workspace={workspace} nowMs={nowMs} />
          {saved.rescue_refs.map(({ ref, sha }) => (
            <span key={ref} class="sub block">
              <Code text={ref} /> at <Code text={shortSha(sha)} title={sha} />
            </span>
          ))}
        </dd>
      </div>
      <div>
        <dt>Uncommitted</dt>
        <dd>
          {uncommitted.checked_at === null
            ? 'not checked yet'
            : changed === 0
              ? 'nothing'
              : describeFiles(uncommitted)}
          {uncommitted.checked_at !== null && (
            <span class="sub"> as of {ago(uncommitted.checked_at, nowMs)}</span>
          )}
        </dd>
      </div>
      <div>
        <dt>{LOCATION[location]}</dt>
        <dd>
          {path === null ? (
            <span class="sub">no folder yet</span>
          ) : (
            <>
              <Code text={path} />
              {status === 'removed' && <span class="sub"> is gone</span>}
              {location !== 'cloudflare' && status !== 'removed' && (
                <span class="links">
                  <button type="button" class="link" data-action="copy-path" data-path={path}>
                    Copy
                  </button>
                  {editor !== null && <a href={editor}>Open in VS Code</a>}
                </span>
              )}
            </>
          )}
        </dd>
      </div>
    </dl>
  );
};

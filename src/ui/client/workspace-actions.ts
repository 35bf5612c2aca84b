/** What the buttons of a workspace do. A removal says what will be lost, and asks once. */
import type { WorkspaceDetail } from '../../core/api.ts';
import { currentAttempt, lossOf } from '../parts/actions.ts';
import { ago } from '../parts/time.ts';
import { plural, shortSha } from '../parts/words.ts';
import { call, Refusal, request } from './api.ts';
import { ask } from './dialog.ts';
import { dispatchTask } from './dispatch.ts';
import { element, onAction } from './dom.ts';
import { attempt, toast } from './toast.ts';

interface Setting {
  project: string;
  path: string;
  detail: () => WorkspaceDetail | null;
  refresh: () => void;
}

export function bindWorkspaceActions(setting: Setting): void {
  const { project, path, detail, refresh } = setting;
  const run = (act: (shown: WorkspaceDetail) => Promise<unknown>) => async () => {
    // A quick visitor clicks on what the server rendered, before the page has loaded it.
    await attempt(async () => act(detail() ?? (await call<WorkspaceDetail>('GET', path))));
    refresh();
  };
  onAction({
    dispatch: run(({ task }) => dispatchTask(project, task)),
    save: run(async () => {
      await request('POST', `${path}/save`);
      toast('Saving the branch');
    }),
    cancel: run((shown) => request('POST', `${path}/attempts/${currentAttempt(shown)}/cancel`)),
    'report-success': run((shown) => report(path, shown, 'succeeded')),
    'report-failure': run((shown) => report(path, shown, 'failed')),
    'finish-task': run((shown) => finishTask(project, shown)),
    remove: run(() => removeWorkspace(path)),
  });
}

const report = (path: string, shown: WorkspaceDetail, outcome: 'succeeded' | 'failed') =>
  call('POST', `${path}/attempts/${currentAttempt(shown)}/finish`, { outcome });

async function finishTask(project: string, { task, in_use: inUse }: WorkspaceDetail): Promise<void> {
  const answer = await ask({
    title: `Finish ${task.identifier}?`,
    content: [
      paragraph(
        'The task becomes Done: the branch is saved, before_remove runs, and the workspace is removed. What is not committed is lost. If the branch cannot be saved, the workspace is kept.',
      ),
      ...(inUse ? [paragraph('The attempt that runs is cancelled.')] : []),
    ],
    buttons: [{ value: 'Done', text: 'Finish the task', kind: 'primary' }],
  });
  if (answer === null) return;
  await call('PUT', `/v1/projects/${project}/tasks/${encodeURIComponent(task.id)}/state`, { state: 'Done' });
  toast(`${task.identifier} is Done`);
}

/** Looked up anew: what is lost is said of the workspace as it is now. */
async function removeWorkspace(path: string): Promise<void> {
  const shown = await call<WorkspaceDetail>('GET', path);
  const { needsDiscard, needsCancel } = lossOf(shown);
  const answer = await ask({
    title: `Remove the workspace of ${shown.task.identifier}?`,
    content: describeRemoval(shown),
    buttons: [
      needsDiscard
        ? { value: 'discard', text: 'Remove and lose this', kind: 'danger solid' }
        : { value: 'remove', text: 'Remove', kind: 'danger solid' },
    ],
  });
  if (answer === null) return;
  const query = new URLSearchParams({
    ...(needsCancel ? { cancel: 'true' } : {}),
    ...(answer.value === 'discard' ? { discard: 'true' } : {}),
  });
  try {
    await request('DELETE', `${path}?${query}`);
    toast('The removal has begun');
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.problem.code === 'workspace_unsaved')
      throw new Error(`${thrown.message} Nothing was removed.`, { cause: thrown });
    throw thrown;
  }
}

function describeRemoval(shown: WorkspaceDetail): Node[] {
  const loss = lossOf(shown);
  const parts: Node[] = [];
  if (loss.needsCancel) parts.push(paragraph('An agent is using it: the attempt is cancelled first.'));
  if (loss.commits.length > 0)
    parts.push(
      paragraph(`${plural(loss.commits.length, 'commit')} not in the repository, lost for good:`),
      list(loss.commits.map(({ sha, subject }) => `${shortSha(sha)}  ${subject}`)),
    );
  else if (loss.needsDiscard) parts.push(paragraph('Its work is not saved, and is lost for good.'));
  else parts.push(paragraph('The branch is saved first and stays in the repository.'));
  if (loss.fileCount > 0) {
    const asOf = loss.checkedAt === null ? '' : ` (as of ${ago(loss.checkedAt, Date.now())})`;
    parts.push(
      paragraph(`${plural(loss.fileCount, 'uncommitted file')}${asOf}, lost for good:`),
      list(loss.files),
    );
  } else if (loss.checkedAt === null)
    parts.push(paragraph('Its files were not looked at yet: what is uncommitted is lost.'));
  else parts.push(paragraph(`Nothing was uncommitted ${ago(loss.checkedAt, Date.now())}.`));
  return parts;
}

const paragraph = (text: string): HTMLElement => element('p', { textContent: text });

const list = (items: readonly string[]): HTMLElement =>
  element(
    'ul',
    { className: 'loss', tabIndex: 0 },
    ...items.map((item) => element('li', {}, element('bdi', { textContent: item }))),
  );

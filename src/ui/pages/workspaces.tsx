/** A project's workspaces. The first page is there at once; the script brings the rest and keeps all of it live. */
import type { ProjectView, WorkspaceView } from '../../core/api.ts';
import { FILTERS, WorkspaceRow } from '../parts/workspace-row.tsx';
import { ProjectHead } from './project-head.tsx';

interface Props {
  project: ProjectView;
  workspaces: readonly WorkspaceView[];
  nowMs: number;
}

export const Workspaces = ({ project, workspaces, nowMs }: Props) => (
  <>
    <ProjectHead project={project} tab="workspaces" />
    <div class="toolbar" role="search">
      <input
        type="search"
        id="search"
        placeholder="Search task, title, branch …"
        aria-label="Search workspaces"
        autocomplete="off"
        spellcheck={false}
      />
      <fieldset class="chips">
        <legend class="hidden">Show</legend>
        {FILTERS.map(({ id, text }) => (
          <label>
            <input type="radio" name="filter" value={id} checked={id === 'live'} />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      <span id="live" class="live" role="status">
        connecting …
      </span>
    </div>
    <p id="count" class="sub count" role="status"></p>
    <div class="list-head" aria-hidden="true">
      <span>Task</span>
      <span>State</span>
      <span>Branch</span>
      <span>Attempts</span>
      <span>Files</span>
      <span>Age</span>
    </div>
    <ul id="workspaces" class="list" aria-label="Workspaces">
      {workspaces
        .filter(({ status }) => status !== 'removed')
        .map((workspace) => (
          <li class="row">
            <WorkspaceRow workspace={workspace} nowMs={nowMs} />
          </li>
        ))}
    </ul>
    <div id="empty" class="empty" hidden={workspaces.length > 0}>
      <h2>No workspaces yet</h2>
      <p>
        Dispatch a task: it gets a workspace of its own, on the branch <code>symphony/…</code>.
      </p>
      <button type="button" class="primary" data-action="dispatch">
        Dispatch a task
      </button>
    </div>
  </>
);

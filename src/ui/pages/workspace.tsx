/** One workspace: its head, what happened, its log, its files, a terminal. */
import type { ProjectView, WorkspaceDetail } from '../../core/api.ts';
import { Timeline } from '../parts/timeline.tsx';
import { WorkspaceHead } from '../parts/workspace-head.tsx';

interface Props {
  project: ProjectView;
  detail: WorkspaceDetail;
  nowMs: number;
}

export const Workspace = ({ project, detail, nowMs }: Props) => (
  <>
    <nav class="crumbs" aria-label="Breadcrumb">
      <a href="/">Projects</a>
      <a href={`/projects/${project.id}`}>{project.id}</a>
      <span id="live" class="live push" role="status">
        connecting …
      </span>
    </nav>
    <div id="head">
      <WorkspaceHead workspace={detail} nowMs={nowMs} />
    </div>
    <div class="tabs" role="tablist" aria-label="Workspace">
      <Tab id="activity" text="Activity" isSelected />
      <Tab id="files" text="Files" />
      <Tab id="terminal" text="Terminal" />
    </div>
    <section id="panel-activity" class="panel activity" role="tabpanel" aria-labelledby="tab-activity">
      <div id="timeline">
        <Timeline attempts={detail.attempts} selected={detail.attempts[0]?.number ?? null} nowMs={nowMs} />
      </div>
      <div class="log-card">
        <div class="log-bar">
          <h2 id="log-title">Log</h2>
          <input type="search" id="log-search" placeholder="Search the log" aria-label="Search the log" />
          <span id="log-matches" class="sub" role="status"></span>
          <button type="button" id="log-previous" class="quiet" aria-label="Previous match">
            ↑
          </button>
          <button type="button" id="log-next" class="quiet" aria-label="Next match">
            ↓
          </button>
          <label class="follow">
            <input type="checkbox" id="log-follow" checked /> Follow
          </label>
        </div>
        <div id="log" class="log" tabindex={0} role="log" aria-labelledby="log-title" aria-live="off"></div>
      </div>
    </section>
    <section id="panel-files" class="panel" role="tabpanel" aria-labelledby="tab-files" hidden></section>
    <section
      id="panel-terminal"
      class="panel"
      role="tabpanel"
      aria-labelledby="tab-terminal"
      hidden
    ></section>
  </>
);

const Tab = ({ id, text, isSelected = false }: { id: string; text: string; isSelected?: boolean }) => (
  <button
    type="button"
    role="tab"
    id={`tab-${id}`}
    data-tab={id}
    aria-controls={`panel-${id}`}
    aria-selected={isSelected ? 'true' : 'false'}
    tabindex={isSelected ? 0 : -1}
  >
    {text}
  </button>
);

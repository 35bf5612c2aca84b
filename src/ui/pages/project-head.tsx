/** What the pages of a project share: its name, its tabs, and the warnings that nobody may miss. */
import type { ProjectView } from '../../core/api.ts';
import { Badge, Code, Warnings } from '../parts/badge.tsx';
import { LOCATION } from '../parts/words.ts';

interface Props {
  project: ProjectView;
  tab: 'workspaces' | 'settings';
}

export const ProjectHead = ({ project, tab }: Props) => (
  <>
    <nav class="crumbs" aria-label="Breadcrumb">
      <a href="/">Projects</a>
    </nav>
    <div class="title-row">
      <h1>{project.id}</h1>
      <p class="badges">
        <Badge tone="quiet" text={LOCATION[project.location]} />
        {project.isolation && <Badge tone="good" text={project.isolation} />}
      </p>
      {tab === 'workspaces' && (
        <button type="button" class="primary push" data-action="dispatch">
          Dispatch a task
        </button>
      )}
    </div>
    <p class="sub repository">
      {project.repository === null ? (
        'No repository: workspaces start as empty git repositories, and nothing is saved elsewhere.'
      ) : (
        <>
          <Code text={project.repository.url} />
          {project.repository.base_branch && (
            <>
              {' from '}
              <Code text={project.repository.base_branch} />
            </>
          )}
        </>
      )}
    </p>
    <Warnings warnings={project.warnings} />
    <nav class="tabs" aria-label="Project">
      <a href={`/projects/${project.id}`} aria-current={tab === 'workspaces' ? 'page' : undefined}>
        Workspaces
      </a>
      <a href={`/projects/${project.id}/settings`} aria-current={tab === 'settings' ? 'page' : undefined}>
        Settings
      </a>
    </nav>
  </>
);

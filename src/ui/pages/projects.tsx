/** All projects; on an empty service, what this is and how to begin. */
import type { ProjectView } from '../../core/api.ts';
import { Badge, Code } from '../parts/badge.tsx';
import { LOCATION } from '../parts/words.ts';

interface Props {
  projects: readonly ProjectView[];
  /** There are more than these. */
  hasMore: boolean;
  /** A repository that the demo project can use; null where no sandbox host runs. */
  demoRepository: string | null;
}

export const Projects = ({ projects, hasMore, demoRepository }: Props) =>
  projects.length === 0 ? (
    <FirstUse demoRepository={demoRepository} />
  ) : (
    <>
      <div class="title-row">
        <h1>Projects</h1>
        <a class="button primary" href="/new-project">
          New project
        </a>
      </div>
      <ul class="cards">
        {projects.map((project) => (
          <ProjectCard project={project} />
        ))}
      </ul>
      {hasMore && <p class="help">Only the first {projects.length} are shown: the API lists them all.</p>}
    </>
  );

const ProjectCard = ({ project }: { project: ProjectView }) => (
  <li class="card project">
    <h2>
      <a class="row-link" href={`/projects/${project.id}`}>
        {project.id}
      </a>
    </h2>
    <p class="sub repository">
      {project.repository === null ? (
        'No repository: workspaces start empty'
      ) : (
        <Code text={project.repository.url} />
      )}
    </p>
    <p class="badges">
      <Badge tone="quiet" text={LOCATION[project.location]} />
      {project.isolation && <Badge tone="good" text={project.isolation} />}
      {project.workflow_error && <Badge tone="bad" text="WORKFLOW.md refused" />}
      {project.warnings
        .filter(({ code }) => code !== 'workflow_refused')
        .map(({ code, message }) => (
          <Badge
            tone="warn"
            text={code === 'plain_host' ? 'No sandbox' : code.replaceAll('_', ' ')}
            title={message}
          />
        ))}
    </p>
  </li>
);

const FirstUse = ({ demoRepository }: { demoRepository: string | null }) => (
  <div class="first-use">
    <h1>Give every task its own workspace</h1>
    <p class="lead">
      A project is a repository and a WORKFLOW.md. Each task of it gets a folder and a branch of its own; your
      hooks run around every attempt, and the branch is saved before anything is removed.
    </p>
    <ol class="steps">
      <li>
        <strong>Create</strong> a project: where its code is and where its agents run.
      </li>
      <li>
        <strong>Dispatch</strong> a task: its workspace is cloned, <code>after_create</code> and{' '}
        <code>before_run</code> run, then the agent.
      </li>
      <li>
        <strong>Watch</strong> it live, open a terminal or the files, and finish the task: the workspace goes,
        the branch stays.
      </li>
    </ol>
    <p class="actions">
      <a class="button primary" href="/new-project">
        Create a project
      </a>
      {demoRepository !== null && (
        <button type="button" data-action="create-demo" data-repository={demoRepository}>
          Try the demo project
        </button>
      )}
    </p>
    {demoRepository !== null && (
      <p class="help">
        The demo makes the project <code>demo</code> with a small repository on this machine and dispatches
        three tasks. One fails on its first try, on purpose.
      </p>
    )}
  </div>
);

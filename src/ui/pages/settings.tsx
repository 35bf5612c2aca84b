/** A project's settings: repository, location, WORKFLOW.md, environment, credential, and its end. */
import type { EnvironmentView, ProjectView } from '../../core/api.ts';
import { Badge, Foreign } from '../parts/badge.tsx';
import { LocationField } from './location-field.tsx';
import { ProjectHead } from './project-head.tsx';

interface Props {
  project: ProjectView;
  names: EnvironmentView['names'];
  locations: readonly ProjectView['location'][];
}

export const Settings = ({ project, names, locations }: Props) => (
  <>
    <ProjectHead project={project} tab="settings" />
    <div class="settings">
      <Workflow project={project} />
      <div class="columns">
        <Place project={project} locations={locations} />
        <Environment names={names} />
        <Credential project={project} />
        <section class="card">
          <h2>Delete the project</h2>
          <p class="help">Possible once all its workspaces are removed. Branches in the repository stay.</p>
          <button type="button" class="danger" data-action="delete-project">
            Delete {project.id}
          </button>
        </section>
      </div>
    </div>
  </>
);

const Workflow = ({ project }: { project: ProjectView }) => {
  const refused = project.workflow_error;
  return (
    <section class="card editor-card">
      <h2>WORKFLOW.md</h2>
      {refused !== null && (
        <div class="notice bad" id="refused">
          <p>
            <strong>The last upload was refused.</strong> <Foreign text={refused.detail} /> The one before it
            stays in force until this is fixed.
          </p>
          <p class="links">
            <button type="button" class="link" data-action="load-refused">
              Edit the refused text
            </button>
            <button type="button" class="link" data-action="load-in-force">
              Show the one in force
            </button>
          </p>
        </div>
      )}
      <div id="workflow-editor" class="editor" data-language="workflow" data-label="WORKFLOW.md"></div>
      <ul id="workflow-problems" class="problems" aria-label="Problems" aria-live="polite"></ul>
      <textarea id="workflow-in-force" hidden readonly>
        {project.workflow ?? ''}
      </textarea>
      <textarea id="workflow-refused" hidden readonly>
        {refused?.text ?? ''}
      </textarea>
      <p class="actions">
        <button type="button" class="primary" data-action="save-workflow">
          Save WORKFLOW.md
        </button>
        <span class="sub">New attempts use it; one that runs keeps the hooks it started with.</span>
      </p>
    </section>
  );
};

const Place = ({ project, locations }: Pick<Props, 'project' | 'locations'>) => (
  <section class="card">
    <h2>Repository and location</h2>
    <form id="place" method="post" class="form">
      <label class="field">
        <span>Repository</span>
        <input name="url" value={project.repository?.url ?? ''} autocomplete="off" spellcheck={false} />
      </label>
      <label class="field">
        <span>Base branch</span>
        <input
          name="base_branch"
          value={project.repository?.base_branch ?? ''}
          placeholder="the repository's default"
          autocomplete="off"
          spellcheck={false}
        />
      </label>
      <LocationField locations={locations} selected={project.location} isolation={project.isolation} />
      <p class="help">Changes reach new workspaces only.</p>
      <p id="place-error" class="error" role="alert"></p>
      <button type="submit" disabled>
        Save
      </button>
    </form>
  </section>
);

const Environment = ({ names }: Pick<Props, 'names'>) => (
  <section class="card">
    <h2>Environment</h2>
    <p class="help">Values are write-only: nothing shows them again.</p>
    <ul class="names" id="names">
      {names.map(({ name, secret, withheld_from_hooks: withheld, too_short_to_mask: short }) => (
        <li>
          <code>{name}</code>
          {secret && <Badge tone="quiet" text="secret" title="Masked in outputs" />}
          {withheld && <Badge tone="quiet" text="agents only" title="Hooks never get it" />}
          {short && <Badge tone="warn" text="too short to mask" />}
          <button
            type="button"
            class="link push"
            data-action="drop-name"
            data-name={name}
            aria-label={`Delete ${name}`}
          >
            Delete
          </button>
        </li>
      ))}
    </ul>
    <form id="environment" method="post" class="form inline">
      <input
        name="name"
        required
        placeholder="NAME"
        aria-label="Name"
        pattern="[A-Za-z_][A-Za-z0-9_]*"
        autocomplete="off"
        spellcheck={false}
      />
      <input name="value" type="password" placeholder="value" aria-label="Value" autocomplete="off" />
      <label class="follow">
        <input type="checkbox" name="secret" /> secret
      </label>
      <button type="submit" disabled>
        Set
      </button>
    </form>
    <p id="environment-error" class="error" role="alert"></p>
  </section>
);

const Credential = ({ project }: Pick<Props, 'project'>) => (
  <section class="card">
    <h2>Repository credential</h2>
    <p>
      {project.credential === 'set' ? <Badge tone="good" text="Set" /> : <Badge tone="quiet" text="None" />}{' '}
      <span class="help">No sandbox ever sees it.</span>
    </p>
    <form id="credential" method="post" class="form inline">
      <input
        name="token"
        type="password"
        required
        placeholder="access token"
        aria-label="Access token"
        autocomplete="off"
      />
      <button type="submit" disabled>
        {project.credential === 'set' ? 'Replace' : 'Set'}
      </button>
      {project.credential === 'set' && (
        <button type="button" class="quiet" data-action="drop-credential">
          Delete
        </button>
      )}
    </form>
    <p id="credential-error" class="error" role="alert"></p>
  </section>
);

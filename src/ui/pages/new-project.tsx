/** The wizard: a few answers write the first WORKFLOW.md, which can be changed before anything is made. */
import type { ProjectView } from '../../core/api.ts';
import { LocationField } from './location-field.tsx';

export const NewProject = ({ locations }: { locations: readonly ProjectView['location'][] }) => (
  <>
    <nav class="crumbs" aria-label="Breadcrumb">
      <a href="/">Projects</a>
    </nav>
    <h1>New project</h1>
    <form id="new-project" method="post" class="split form">
      <div class="card">
        <label class="field">
          <span>Name</span>
          <input
            name="id"
            required
            maxlength={63}
            pattern="[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?"
            title="Small letters, digits and dashes"
            autocomplete="off"
            spellcheck={false}
            placeholder="my-project"
          />
          <small>Small letters, digits and dashes. It stays.</small>
        </label>
        <label class="field">
          <span>Repository</span>
          <input
            name="url"
            autocomplete="off"
            spellcheck={false}
            inputmode="url"
            placeholder="https://github.com/you/project.git"
          />
          <small>
            Over https, without a password in it
            {locations.includes('host') && ', or the path of a folder here'}. Leave it empty for workspaces
            that start empty.
          </small>
        </label>
        <label class="field">
          <span>Base branch</span>
          <input
            name="base_branch"
            autocomplete="off"
            spellcheck={false}
            placeholder="the repository's default"
          />
        </label>
        <LocationField locations={locations} selected={null} isolation={null} />
        <label class="field">
          <span>Set-up command</span>
          <input name="setup" autocomplete="off" spellcheck={false} placeholder="npm ci" />
          <small>
            <code>after_create</code>: once, in each new workspace.
          </small>
        </label>
        <label class="field">
          <span>Agent command</span>
          <input
            name="agent"
            autocomplete="off"
            spellcheck={false}
            placeholder='claude -p "$SYMPHONY_ISSUE_TITLE"'
          />
          <small>Leave it empty when you run the agent yourself.</small>
        </label>
        <p id="form-error" class="error" role="alert"></p>
        <p class="actions">
          <button type="submit" disabled class="primary">
            Create the project
          </button>
          <a class="button quiet" href="/">
            Cancel
          </a>
        </p>
      </div>
      <div class="card editor-card">
        <h2>WORKFLOW.md</h2>
        <p class="sub" id="workflow-note">
          Written from your answers. Change it here as you like.
        </p>
        <div id="workflow-editor" class="editor" data-language="workflow" data-label="WORKFLOW.md"></div>
        <ul id="workflow-problems" class="problems" aria-label="Problems" aria-live="polite"></ul>
      </div>
    </form>
  </>
);

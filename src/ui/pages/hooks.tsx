/** The projection playground: one canonical source left, every agent's own file right, and what was skipped. Needs no project. */
import type { Capability } from '../../core/projection/capabilities.ts';
import { CapabilityTable } from '../parts/capability-table.tsx';

export const Hooks = ({ capabilities }: { capabilities: readonly Capability[] }) => (
  <>
    <h1>Agent hooks, written once</h1>
    <p class="lead">
      One source for every agent. Edit it: the native files follow as you type. Nothing is stored.
    </p>
    <div class="split playground">
      <section class="card editor-card" aria-labelledby="source-title">
        <div class="card-head">
          <h2 id="source-title">Source</h2>
          <label class="follow">
            Id{' '}
            <input
              id="hook-id"
              value="guard"
              size={12}
              spellcheck={false}
              autocomplete="off"
              aria-label="Id of the hook"
            />
          </label>
        </div>
        <div id="source-editor" class="editor" data-language="json" data-label="Canonical hook source"></div>
        <ul id="source-problems" class="problems" aria-label="Problems" aria-live="polite"></ul>
      </section>
      <section class="card" aria-labelledby="files-title">
        <div class="card-head">
          <h2 id="files-title">Native files</h2>
          <fieldset class="chips" id="providers">
            <legend class="hidden">Agents</legend>
            {capabilities.map(({ provider, name }) => (
              <label>
                <input type="checkbox" name="provider" value={provider} checked />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
        </div>
        <div id="native" class="native" aria-live="polite">
          <p class="sub">…</p>
        </div>
      </section>
    </div>
    <h2 id="capabilities">What each agent takes</h2>
    <CapabilityTable capabilities={capabilities} />
  </>
);

/** Where agents run: what this deployment offers, and what each means. */
import type { ProjectView } from '../../core/api.ts';
import { LOCATION } from '../parts/words.ts';

interface Props {
  locations: readonly ProjectView['location'][];
  /** null: the first one. */
  selected: ProjectView['location'] | null;
  isolation: ProjectView['isolation'];
}

const MEANING: Record<ProjectView['location'], string> = {
  cloudflare: 'A sandbox of its own for every task.',
  docker: 'Hooks and the agent each in a disposable container on the host.',
  host: 'On the machine of the development server, as the person who started it.',
};

export const LocationField = ({ locations, selected, isolation }: Props) => (
  <fieldset class="field">
    <legend>Agents run in</legend>
    {locations.map((location, index) => (
      <label class="choice">
        <input
          type="radio"
          name="location"
          value={location}
          checked={selected === null ? index === 0 : location === selected}
        />
        <span>
          {LOCATION[location]}
          <small>{MEANING[location]}</small>
        </span>
      </label>
    ))}
    {locations.includes('host') && (
      <label class="choice nested">
        <input type="checkbox" name="isolation" value="bubblewrap" checked={isolation === 'bubblewrap'} />
        <span>
          Isolate with bubblewrap
          <small>This machine only: agents and hooks see their workspace, not your home.</small>
        </span>
      </label>
    )}
  </fieldset>
);

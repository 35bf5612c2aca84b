/** The capability table: canonical events against agents, from the one table that the projection itself reads. */
import type { Capability } from '../../core/projection/capabilities.ts';
import { CANONICAL_EVENTS } from '../../core/projection/events.ts';
import { OPTIONAL_FIELDS } from '../../core/projection/provider-facts.ts';

interface Props {
  capabilities: readonly Capability[];
}

export const CapabilityTable = ({ capabilities }: Props) => (
  <div class="scroll" tabindex={0} role="region" aria-labelledby="capabilities">
    <table class="capabilities">
      <thead>
        <tr>
          <th scope="col">Event</th>
          {capabilities.map(({ name, output }) => (
            <th scope="col">
              {name}
              <code>{output.path}</code>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {CANONICAL_EVENTS.map((event) => (
          <tr>
            <th scope="row">
              <code>{event}</code>
            </th>
            {capabilities.map((capability) => (
              <td>{eventCell(capability, event)}</td>
            ))}
          </tr>
        ))}
        <tr class="divider">
          <th scope="row">Handler types</th>
          {capabilities.map(({ handlerTypes }) => (
            <td>{handlerTypes.join(', ')}</td>
          ))}
        </tr>
        {OPTIONAL_FIELDS.map((field) => (
          <tr>
            <th scope="row">
              <code>{field}</code>
            </th>
            {capabilities.map(({ fields }) => (
              <td class={fields[field] === 'used' ? '' : 'none'}>{fields[field]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function eventCell({ events }: Capability, event: string) {
  const found = events.find((entry) => entry.event === event);
  if (!found) return <span class="none">–</span>;
  return (
    <>
      <code>{found.native}</code>
      {found.matcher && <span class="sub"> matcher</span>}
    </>
  );
}

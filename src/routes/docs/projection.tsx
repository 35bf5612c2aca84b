/** The hook projection, from the same capability table that projects. */
import { CAPABILITIES, type Capability } from '../../core/projection/capabilities.ts';
import { DIAGNOSTICS } from '../../core/projection/diagnostic-table.ts';
import { CANONICAL_EVENTS, EVENTS } from '../../core/projection/events.ts';
import { OPTIONAL_FIELDS } from '../../core/projection/provider-facts.ts';
import { Codes, Prose, Sample, Table, printExample } from './prose.tsx';

const source = {
  mode: 'strict',
  events: {
    pre_tool_use: [{ type: 'command', command: 'node scripts/guard.js', matcher: 'Bash', timeoutSec: 15 }],
  },
};

export const ProjectionSections = () => (
  <section id="projection">
    <h2>Hook projection</h2>
    <p>
      <Prose text="A hook is written once, with canonical event names, and projected into the native file of each agent. In mode `strict` whatever an agent cannot take is an error and no file is made; in `best_effort` it is skipped, and the answer says so." />
    </p>
    <Sample title="Canonical source" text={printExample(source)} />
    <EventTable />
    <HandlerFields />
    {CAPABILITIES.map((capability) => (
      <ProviderSection capability={capability} />
    ))}
    <DiagnosticTable />
  </section>
);

const names = CAPABILITIES.map(({ name }) => name);

const EventTable = () => (
  <>
    <h3 id="events">Events</h3>
    <Table kind="matrix" label="Events by agent" head={['Canonical', ...names]}>
      {CANONICAL_EVENTS.map((event) => (
        <tr>
          <th scope="row">
            <code>{event}</code>
          </th>
          {CAPABILITIES.map(({ provider, matcherEvents }) => (
            <td>
              {EVENTS[event][provider] === undefined ? (
                <span class="none">–</span>
              ) : (
                <>
                  <code>{EVENTS[event][provider]}</code>
                  {matcherEvents.includes(event) ? <span class="optional"> matcher</span> : null}
                </>
              )}
            </td>
          ))}
        </tr>
      ))}
    </Table>
    <p class="legend">
      <span class="optional">matcher</span> A handler of this event may have a <code>matcher</code>.
    </p>
  </>
);

const SUPPORT = { used: 'yes', ignored: 'ignored, with a warning', refused: 'no: an error in strict mode' };

const HandlerFields = () => (
  <>
    <h3 id="handler-fields">Handler fields</h3>
    <Table kind="matrix" label="Handler fields by agent" head={['Field', ...names]}>
      <tr>
        <th scope="row">
          <code>type</code>
        </th>
        {CAPABILITIES.map(({ handlerTypes }) => (
          <td>
            <Codes of={handlerTypes} />
          </td>
        ))}
      </tr>
      <tr>
        <th scope="row">the command</th>
        {CAPABILITIES.map(({ commandOrder }) => (
          <td>{commandOrder}</td>
        ))}
      </tr>
      <tr>
        <th scope="row">
          <code>matcher</code>
        </th>
        {CAPABILITIES.map(({ matcherNote }) => (
          <td>{matcherNote}</td>
        ))}
      </tr>
      {OPTIONAL_FIELDS.map((field) => (
        <tr>
          <th scope="row">
            <code>{field}</code>
          </th>
          {CAPABILITIES.map(({ fields }) => (
            <td>{SUPPORT[fields[field]]}</td>
          ))}
        </tr>
      ))}
    </Table>
  </>
);

/** A location is a path, or words for what has none. */
const PATH = /[./]/;

const ProviderSection = ({ capability }: { capability: Capability }) => {
  const { name, provider, output, blocking, locations, priority, nativeOnlyEvents, notes, docs } = capability;
  return (
    <section class="provider" id={`provider-${provider}`}>
      <h3>{name}</h3>
      <dl class="facts">
        <dt>File</dt>
        <dd>
          <code>{output.path}</code>, key <code>{output.key}</code>
          {output.shared ? '; your own settings in it stay as they are' : ''}
        </dd>
        {blocking.events.length > 0 ? (
          <>
            <dt>Blocking events</dt>
            <dd>
              <Codes of={blocking.events} />
            </dd>
          </>
        ) : null}
        {blocking.exitCodes.length > 0 ? (
          <>
            <dt>Exit codes</dt>
            <dd>
              <ul>
                {blocking.exitCodes.map(({ code, meaning }) => (
                  <li>
                    <code>{code}</code> {meaning}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        ) : null}
        <dt>Locations</dt>
        <dd>
          <ul>
            {locations.map(({ scope, path, note }) => (
              <li>
                {scope}: {PATH.test(path) ? <code>{path}</code> : path}
                {note === undefined ? '' : ` (${note})`}
              </li>
            ))}
          </ul>
          {priority}
        </dd>
        {nativeOnlyEvents.length > 0 ? (
          <>
            <dt>Native only</dt>
            <dd>
              <Codes of={nativeOnlyEvents} />
            </dd>
          </>
        ) : null}
        <dt>Notes</dt>
        <dd>
          <ul>
            {notes.map((note) => (
              <li>{note}</li>
            ))}
          </ul>
        </dd>
        <dt>Documentation</dt>
        <dd>
          {docs.map((url) => (
            <a class="outside" href={url} rel="noreferrer">
              {url.replace('https://', '')}
            </a>
          ))}
        </dd>
      </dl>
    </section>
  );
};

const DiagnosticTable = () => (
  <>
    <h3 id="diagnostics">Diagnostics</h3>
    <Table kind="list" label="Diagnostics" head={['Code', 'Cause', 'What to do']}>
      {Object.entries(DIAGNOSTICS).map(([code, { severity, cause, fix }]) => (
        <tr id={code}>
          <th scope="row">
            <code>{code}</code> <span class={`severity ${severity}`}>{severity}</span>
          </th>
          <td>
            <Prose text={cause} />
          </td>
          <td>
            <Prose text={fix} />
          </td>
        </tr>
      ))}
    </Table>
  </>
);

/** The objects that answers are made of. */
import type { OpenApi } from '../../http/openapi.ts';
import { FieldsTable } from './fields-table.tsx';
import { buildRows } from './schema-rows.ts';

/** Bodies stand at their routes; what is left and has fields is shown here. */
export function objectNames({ components, paths }: OpenApi): string[] {
  const bodies = JSON.stringify(
    Object.values(paths).flatMap((path) => Object.values(path).map(({ requestBody }) => requestBody ?? null)),
  );
  return Object.entries(components.schemas)
    .filter(([name, schema]) => schema.type === 'object' && !bodies.includes(`schemas/${name}"`))
    .map(([name]) => name);
}

export const Objects = ({ document }: { document: OpenApi }) => (
  <section id="objects">
    <h2>Objects</h2>
    {objectNames(document).map((name) => (
      <section id={name}>
        <h3>{name}</h3>
        <FieldsTable
          of="Field"
          label={`Fields of ${name}`}
          rows={buildRows(document.components.schemas[name] ?? {}, document.components.schemas)}
        />
      </section>
    ))}
  </section>
);

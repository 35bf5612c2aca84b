/** A table of fields: of a body, of an object, of parameters. */
import { Prose, Table } from './prose.tsx';
import type { SchemaRow } from './schema-rows.ts';

export const FieldsTable = ({ label, rows }: { label: string; rows: readonly SchemaRow[] }) => (
  <Table label={label} head={['Field', 'Type', 'Notes']}>
    {rows.map((row) => (
      <tr>
        <th scope="row">
          <code>{row.field}</code>
        </th>
        <td>{row.link === null ? <Prose text={row.type} /> : <ObjectLink row={row} name={row.link} />}</td>
        <td>
          {row.required ? null : <span class="optional">optional</span>} <Prose text={notesOf(row)} />
        </td>
      </tr>
    ))}
  </Table>
);

const ObjectLink = ({ row, name }: { row: SchemaRow; name: string }) => (
  <>
    {row.type.split(name)[0]}
    <a href={`#${name}`}>{name}</a>
    {row.type.split(name).slice(1).join(name)}
  </>
);

const notesOf = ({ description, rules }: SchemaRow): string =>
  [description, rules.join(', ')].filter((text) => text !== '').join(' ');

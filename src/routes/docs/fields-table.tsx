/** A table of fields: of a body, of an object, of parameters. */
import { Prose, Table } from './prose.tsx';
import type { SchemaRow } from './schema-rows.ts';

interface Props {
  label: string;
  /** What a row is: a field, a parameter. */
  of: string;
  rows: readonly SchemaRow[];
}

export const FieldsTable = ({ label, of, rows }: Props) => (
  <Table kind="list" label={label} head={[of, 'Type', 'Notes']}>
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
  [description, rules.join(' ')].filter((text) => text !== '').join(' ');

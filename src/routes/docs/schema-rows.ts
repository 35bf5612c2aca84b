/** JSON Schema → one row per field, for tables. Pure. */
import type { JsonSchema } from '../../http/openapi.ts';

export interface SchemaRow {
  field: string;
  type: string;
  /** Object of the docs that the field's type is. */
  link: string | null;
  required: boolean;
  rules: string[];
  description: string;
}

export type Schemas = Record<string, JsonSchema>;

/** `prefix` is the path of the object that the schema describes: `task.`, `attempts[].`. */
export function buildRows(schema: JsonSchema, schemas: Schemas, prefix = ''): SchemaRow[] {
  const required = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const inner = resolveScalar(withoutNull(resolveScalar(property, schemas)), schemas);
    const row: SchemaRow = {
      field: prefix + name,
      type: typeText(property, schemas),
      link: objectName(inner),
      required: required.includes(name),
      rules: rulesOf(inner),
      description: property.description ?? '',
    };
    return [row, ...innerRows(inner, schemas, prefix + name)];
  });
}

/** Named objects have a table of their own; nameless ones are shown in place. */
function innerRows(schema: JsonSchema, schemas: Schemas, path: string): SchemaRow[] {
  if (schema.items) return buildRows(schema.items, schemas, `${path}[].`);
  return [schema, ...(schema.anyOf ?? [])].flatMap((branch) => buildRows(branch, schemas, `${path}.`));
}

function typeText(schema: JsonSchema, schemas: Schemas): string {
  const resolved = resolveScalar(schema, schemas);
  const name = referenceName(resolved);
  if (name !== null) return name;
  if (resolved.anyOf) return resolved.anyOf.map((branch) => typeText(branch, schemas)).join(' or ');
  const values = resolved.enum ?? ('const' in resolved ? [resolved.const] : null);
  if (values) return values.map((value) => `\`${String(value)}\``).join(' | ');
  if (resolved.type === 'array') return `list of ${typeText(resolved.items ?? {}, schemas)}`;
  if (resolved.format === 'date-time') return 'time';
  if (resolved.type === 'object' && !resolved.properties) return 'map';
  return [resolved.type ?? 'any JSON'].flat().join(' or ');
}

/** References to what is no object are followed: a name for an enumeration helps nobody. */
function resolveScalar(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const target = schemas[referenceName(schema) ?? ''];
  return target && target.type !== 'object' ? { ...target, ...withoutReference(schema) } : schema;
}

const withoutReference = ({ $ref: _reference, ...rest }: JsonSchema): JsonSchema => rest;

function withoutNull(schema: JsonSchema): JsonSchema {
  const branches = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return branches.length === 1 ? (branches[0] as JsonSchema) : schema;
}

const objectName = (schema: JsonSchema): string | null =>
  referenceName(schema) ?? referenceName(schema.items ?? {});

export const referenceName = (schema: JsonSchema): string | null => schema.$ref?.split('/').at(-1) ?? null;

function rulesOf({ minLength, maxLength, minimum, maximum, pattern, format }: JsonSchema): string[] {
  const rules = [
    rangeText(minLength, maxLength, ' characters'),
    rangeText(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum, ''),
    pattern === undefined || format !== undefined ? null : `Matches \`${pattern}\``,
  ];
  return rules.filter((rule) => rule !== null).map((rule) => `${rule}.`);
}

function rangeText(least: number | undefined, most: number | undefined, unit: string): string | null {
  if (most !== undefined) return least ? `${least} to ${most}${unit}` : `At most ${most}${unit}`;
  if (!least || least === -Number.MAX_SAFE_INTEGER) return null;
  return unit !== '' && least === 1 ? 'Not empty' : `At least ${least}${unit}`;
}

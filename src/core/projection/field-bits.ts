/** Optional handler fields as bits, so that "does the provider take them all?" is one operation per handler. */
import { OPTIONAL_FIELDS } from './provider-facts.ts';
import type { FieldSupport, OptionalField } from './provider-facts.ts';

export const FIELD_BITS = Object.fromEntries(
  OPTIONAL_FIELDS.map((field, place) => [field, 1 << place]),
) as Record<OptionalField, number>;

/** The fields that a provider treats in the given way. */
export const fieldMask = (
  fields: Readonly<Record<OptionalField, FieldSupport>>,
  support: FieldSupport,
): number =>
  OPTIONAL_FIELDS.reduce((mask, field) => (fields[field] === support ? mask | FIELD_BITS[field] : mask), 0);

export const fieldsIn = (mask: number): OptionalField[] =>
  OPTIONAL_FIELDS.filter((field) => (mask & FIELD_BITS[field]) !== 0);

/** Words what zod found: which field, what is wrong, what is known. One wording for body, query and path. */
import * as z from 'zod';
import { type Diagnostic, type Failure, failure } from '../core/failure.ts';

/** More faults than this help nobody, and a hostile body can hold a million. */
const MAX_FAULTS = 10;
const MAX_SHOWN_CHARACTERS = 80;

/** `field` is empty where the whole body is at fault; `message` is a sentence without its full stop. */
export interface Fault {
  field: string;
  message: string;
}

/** `place` stands before each field: `body`, `query parameter`, `path parameter`. */
export function invalidFields(place: string, schema: z.ZodType, issues: z.core.$ZodIssue[]): Failure {
  const faults = issues.flatMap((issue) => faultsOf(schema, issue)).slice(0, MAX_FAULTS);
  return invalidRequest(
    faults.map(({ field, message }) => ({
      field,
      message: field === '' ? `The ${place} ${message}` : `${place} \`${field}\` ${message}`,
    })),
  );
}

export function invalidRequest(faults: Fault[]): Failure {
  const diagnostics = faults.map(({ field, message }): Diagnostic => ({
    code: 'invalid_field',
    severity: 'error',
    message,
    ...(field === '' ? {} : { path: field }),
  }));
  return failure('invalid_request', `${faults.map(({ message }) => message).join('; ')}.`, { diagnostics });
}

/** A value in a message: quoted, bounded, and never one of a body, which may be a secret. */
export const quote = (text: string): string =>
  JSON.stringify(
    text.length > MAX_SHOWN_CHARACTERS
      ? `${text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed()}…`
      : text.toWellFormed(),
  );

function faultsOf(schema: z.ZodType, issue: z.core.$ZodIssue): Fault[] {
  if (issue.code !== 'unrecognized_keys') return [{ field: fieldPath(issue.path), message: wording(issue) }];
  const known = knownFields(schema, issue.path);
  return issue.keys.slice(0, MAX_FAULTS).map((key) => ({
    field: fieldPath([...issue.path, key]),
    message: `is unknown${known.length > 0 ? ` (known: ${known.join(', ')})` : ''}`,
  }));
}

function wording(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union' && issue.errors.length > 0)
    return issue.errors.map((branch) => branch.map(branchWording).join(' and ')).join(', or ');
  if (issue.code !== 'custom' && issue.input === undefined) return 'is missing';
  if (issue.code === 'too_small') return `is not valid: ${limit(issue.origin, 'at least', issue.minimum)}`;
  if (issue.code === 'too_big') return `is not valid: ${limit(issue.origin, 'at most', issue.maximum)}`;
  const text = issue.message.replace(/^Invalid (?:input|string|option): /, '');
  return issue.code === 'custom' ? text : `is not valid: ${text}`;
}

/** What the size of a value counts; a number is one itself. */
const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

function limit(origin: string, bound: string, count: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined
    ? `must be ${bound} ${count}`
    : `must have ${bound} ${count} ${unit}${Number(count) === 1 ? '' : 's'}`;
}

const branchWording = (issue: z.core.$ZodIssue): string =>
  issue.path.length === 0 ? wording(issue) : `its \`${fieldPath(issue.path)}\` ${wording(issue)}`;

/** `a.b[0]`; a key that is no plain name is quoted, so that no key can pose as a path. */
export const fieldPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = String(step);
    if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${quote(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');

function knownFields(schema: unknown, path: readonly PropertyKey[]): string[] {
  let inner = schema;
  for (const step of path) inner = step in shapeOf(inner) ? shapeOf(inner)[step as string] : undefined;
  return Object.keys(shapeOf(inner));
}

function shapeOf(schema: unknown): Record<string, unknown> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return shapeOf(schema.unwrap());
  return schema instanceof z.ZodObject ? schema.shape : {};
}

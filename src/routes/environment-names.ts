/** Which environment names and values a caller may set. */
import { type Failure, failure } from '../core/failure.ts';
import { type Result, err, ok } from '../core/result.ts';
import { fieldPath, invalidRequest, quote } from '../http/field-faults.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Longer than any real name; the platform limits the environment's size as a whole. */
const MAX_NAME_LENGTH = 256;

export function checkEnvironment(
  patch: Record<string, string | null>,
): Result<Record<string, string | null>, Failure> {
  const entries = Object.entries(patch);
  const faults = entries.flatMap(([name, value]) => {
    const fault = findFault(name, value);
    return fault === null ? [] : [{ field: fieldPath([name]), message: fault }];
  });
  if (faults.length > 0) return err(invalidRequest(faults.slice(0, 10)));
  const reserved = entries.map(([name]) => name).filter((name) => name.startsWith('SYMPHONY_'));
  if (reserved.length === 0) return ok(patch);
  return err(
    failure(
      'environment_name_refused',
      `${reserved.slice(0, 10).map(quote).join(', ')}: names that start with SYMPHONY_ are set by the service. Use another name.`,
    ),
  );
}

function findFault(name: string, value: string | null): string | null {
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH)
    return `body name ${quote(name)} must match ${NAME.source} and have at most ${MAX_NAME_LENGTH} characters`;
  if (value?.includes('\0')) return `body \`${name}\` holds a NUL, which no environment can carry`;
  return null;
}

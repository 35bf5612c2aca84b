/** Which environment names and values a caller may set. */
import type { PatchEnvironment } from '../core/api.ts';
import type { Failure } from '../core/failure.ts';
import { checkEnvironmentName } from '../core/hook-env.ts';
import { type Result, err, ok } from '../core/result.ts';
import { fieldPath, invalidRequest, quote } from '../http/field-faults.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Longer than any real name; the platform limits the environment's size as a whole. */
const MAX_NAME_LENGTH = 256;
/** Of `NAME=value` with the NUL at its end: Linux starts no process with a longer one. */
const MAX_ENTRY_BYTES = 131_072;

export function checkEnvironment(patch: PatchEnvironment): Result<PatchEnvironment, Failure> {
  const entries = Object.entries(patch);
  const faults = entries.flatMap(([name, given]) => {
    const fault = findFault(name, given === null || typeof given === 'string' ? given : given.value);
    return fault === null ? [] : [{ field: fieldPath([name]), message: fault }];
  });
  if (faults.length > 0) return err(invalidRequest(faults.slice(0, 10)));
  for (const [name] of entries) {
    const checked = checkEnvironmentName(name);
    if (!checked.ok) return checked;
  }
  return ok(patch);
}

function findFault(name: string, value: string | null): string | null {
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH)
    return `body name ${quote(name)} must match ${NAME.source} and have at most ${MAX_NAME_LENGTH} characters`;
  if (value?.includes('\0')) return `body \`${name}\` holds a NUL, which no environment can carry`;
  if (value !== null && name.length + 2 + new TextEncoder().encode(value).length > MAX_ENTRY_BYTES)
    return `body \`${name}\` is too long: no process can start with a name and value of more than ${MAX_ENTRY_BYTES - 2} bytes together`;
  return null;
}

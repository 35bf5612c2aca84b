/** A name that nobody on this machine can guess, the same in every run: kept beside the state that it names. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function loadSecretName(stateDirectory: string, prefix: string): string {
  const path = join(stateDirectory, `${prefix}-name`);
  if (!existsSync(path)) {
    mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(path, `${prefix}-${randomBytes(16).toString('hex')}`, { mode: 0o600 });
  }
  return readFileSync(path, 'utf8');
}

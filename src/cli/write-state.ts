/** Writes one file of `.harness/` in a single step. For output files there is `carry-out.ts`. */
import type { CliDiagnostic } from './cli-diagnostic.ts';
import type { Repository } from './repository.ts';

/** `undefined` when it is done; otherwise why it was refused, with nothing written. */
export const writeState = (repository: Repository, path: string, text: string): CliDiagnostic | undefined => {
  const refusal = repository.refusal(path);
  if (refusal !== undefined) return refusal;
  const target = repository.absolute(path);
  const temporary = `${target}.harness-tmp`;
  repository.files.makeFolder(repository.absolute(path.slice(0, path.lastIndexOf('/'))));
  repository.files.remove(temporary);
  repository.files.writeNew(temporary, text, undefined);
  repository.files.rename(temporary, target);
  return undefined;
};

/** `harness remove hook`: the entry in the manifest, and the source with its side-cars unless they are to stay. */
import type { Run } from '../invocation.ts';
import { printManifest } from '../manifest.ts';
import { done, refuse, refuseWith } from '../outcome.ts';
import { MANIFEST_PATH, overridePath, sourcePath } from '../repository.ts';
import type { Repository } from '../repository.ts';
import { PROVIDERS } from '../../core/projection/events.ts';
import { openRepository } from '../workspace-state.ts';
import { writeState } from '../write-state.ts';

export const runRemoveHook: Run = ({ names, options }, io) => {
  const id = names[0] as string;
  const opened = openRepository(io);
  if (!opened.ok) return refuse(opened.error);
  const { repository, manifest } = opened.value;
  if (!manifest.hookIds.includes(id)) {
    const known = manifest.hookIds.join(', ') || 'none';
    return refuseWith(
      'HOOK_NOT_REGISTERED',
      `No hook '${id}' is registered. The registered hooks: ${known}.`,
    );
  }
  const doomed = options['no-delete-source'] === true ? [] : filesOf(repository, id);
  const unsafe = doomed.map((path) => repository.refusal(path)).filter((refusal) => refusal !== undefined);
  if (unsafe.length > 0) return refuse(...unsafe);
  const hookIds = manifest.hookIds.filter((known) => known !== id);
  const refusal = writeState(repository, MANIFEST_PATH, printManifest({ ...manifest, hookIds }));
  if (refusal !== undefined) return refuse(refusal);
  for (const path of doomed) repository.files.remove(repository.absolute(path));
  const lines = doomed.map((path) => `deleted  ${path}`);
  return {
    ...done(
      `removed  hook ${id}`,
      ...lines,
      'Run harness apply to take its entries out of the provider files.',
    ),
    data: { id, deleted: doomed },
  };
};

const filesOf = (repository: Repository, id: string): string[] =>
  [sourcePath(id), ...PROVIDERS.map((provider) => overridePath(id, provider))].filter((path) =>
    repository.has(path),
  );

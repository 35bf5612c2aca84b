/** The registered hooks of a repository, read from disk, with what lies beside them unregistered. */
import type { HookEntity } from '../core/projection/model.ts';
import { diagnose } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import { SOURCES_PATH, sourcePath } from './repository.ts';
import type { Repository } from './repository.ts';
import { decodeText } from './text-file.ts';

export interface Sources {
  entities: HookEntity[];
  diagnostics: CliDiagnostic[];
}

interface SideCar {
  hookId: string;
  provider: string;
  name: string;
}

const SIDE_CAR = /^(.+)\.overrides\.([^.]+)\.ya?ml$/;
const SOURCE = /^(.+)\.json$/;

export const loadSources = (repository: Repository, hookIds: readonly string[]): Sources => {
  const names = repository.files.list(repository.absolute(SOURCES_PATH));
  const sideCars = names.map(parseSideCar).filter((sideCar) => sideCar !== undefined);
  const registered = new Set(hookIds);
  const diagnostics = strays(names, sideCars, registered);
  const entities: HookEntity[] = [];
  const carsByHook = Map.groupBy(sideCars, ({ hookId }) => hookId);
  for (const id of hookIds) {
    const source = readText(repository, id, sourcePath(id), diagnostics);
    if (source === undefined) continue;
    const overrides: Record<string, string> = {};
    for (const { provider, name } of carsByHook.get(id) ?? []) {
      if (!name.endsWith('.yaml')) continue;
      const text = readText(repository, id, `${SOURCES_PATH}/${name}`, diagnostics);
      if (text !== undefined) overrides[provider] = text;
    }
    entities.push(carsByHook.has(id) ? { id, source, overrides } : { id, source });
  }
  return { entities, diagnostics };
};

const parseSideCar = (name: string): SideCar | undefined => {
  const match = SIDE_CAR.exec(name);
  return match === null ? undefined : { hookId: match[1] as string, provider: match[2] as string, name };
};

/** A missing file is a warning, for what it gave is taken out; one that is not UTF-8 is an error. */
const readText = (
  repository: Repository,
  id: string,
  path: string,
  diagnostics: CliDiagnostic[],
): string | undefined => {
  const bytes = repository.read(path);
  if (bytes === undefined) {
    const text = `${path} is missing, so what it gave is taken out. Restore it, or run: harness remove hook ${id}`;
    diagnostics.push(diagnose('HOOK_SOURCE_MISSING', text, { path }));
    return undefined;
  }
  const text = decodeText(bytes);
  if (text === undefined)
    diagnostics.push(diagnose('FILE_ERROR', `${path} is no UTF-8 text. Save it as UTF-8.`, { path }));
  return text;
};

const strays = (
  names: readonly string[],
  sideCars: readonly SideCar[],
  registered: ReadonlySet<string>,
): CliDiagnostic[] => {
  const unregistered = names
    .map((name) => SOURCE.exec(name)?.[1])
    .filter((id) => id !== undefined && !registered.has(id))
    .map((id) => {
      const text = `${sourcePath(id as string)} is not registered, so it is not applied. Run: harness add hook ${id}`;
      return diagnose('HOOK_SOURCE_UNREGISTERED', text, {
        path: sourcePath(id as string),
        entityId: id as string,
      });
    });
  const orphans = sideCars
    .filter(({ hookId, name }) => !registered.has(hookId) || !name.endsWith('.yaml'))
    .map(({ hookId, name }) => {
      const why = registered.has(hookId)
        ? 'does not end in .yaml'
        : `belongs to no registered hook '${hookId}'`;
      const text = `${SOURCES_PATH}/${name} ${why}, so it is ignored. Rename or delete it.`;
      return diagnose('HOOK_OVERRIDE_ORPHANED', text, { path: `${SOURCES_PATH}/${name}` });
    });
  return [...unregistered, ...orphans];
};

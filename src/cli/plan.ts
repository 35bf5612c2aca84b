/** What `apply` would do in a repository: every file's operation, the index afterwards, and everything worth saying. Writes nothing. */
import { PROVIDERS } from '../core/projection/events.ts';
import type { Provider } from '../core/projection/events.ts';
import type { Skipped } from '../core/projection/model.ts';
import type { NativeFile } from '../core/projection/native.ts';
import { projectNative } from '../core/projection/project.ts';
import type { HookDiagnostic } from '../core/projection/diagnostic.ts';
import { diagnose, hasErrors } from './cli-diagnostic.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import type { ManagedFile, ManagedIndex } from './managed-index.ts';
import { planFile } from './plan-file.ts';
import type { Operation } from './plan-file.ts';
import { INDEX_PATH, overridePath, sourcePath } from './repository.ts';
import { loadSources } from './sources.ts';
import type { Opened } from './workspace-state.ts';
import { readIndex } from './workspace-state.ts';

export interface Plan {
  /** In the order of the provider table. With errors, nothing of it may be carried out. */
  operations: Operation[];
  index: ManagedIndex;
  nextIndex: ManagedIndex;
  skipped: Skipped[];
  diagnostics: CliDiagnostic[];
}

export const buildPlan = ({ repository, manifest }: Opened): Plan => {
  const index = readIndex(repository);
  const sources = loadSources(repository, manifest.hookIds);
  const projection = projectNative(sources.entities, manifest.providers);
  const diagnostics: CliDiagnostic[] = [...sources.diagnostics, ...projection.diagnostics.map(withPath)];
  const indexLink = repository.refusal(INDEX_PATH);
  if (indexLink !== undefined) diagnostics.push(indexLink);
  if (!index.ok) diagnostics.push(index.error);
  const known: ManagedIndex = index.ok ? index.value : { files: [] };
  if (known.pending !== undefined) diagnostics.push(interrupted());
  const plan: Plan = {
    operations: [],
    index: known,
    nextIndex: { files: [] },
    skipped: projection.skipped,
    diagnostics,
  };
  if (hasErrors(diagnostics)) return { ...plan, nextIndex: known };
  const files: ManagedFile[] = [];
  for (const target of targetsOf(projection.files, known)) {
    const { operation, record, diagnostics: more } = planFile({ repository, ...target });
    if (operation !== undefined) plan.operations.push(operation);
    if (record !== undefined) files.push(record);
    diagnostics.push(...more);
  }
  plan.nextIndex = { files };
  return plan;
};

const interrupted = (): CliDiagnostic =>
  diagnose('APPLY_INTERRUPTED', 'The last apply was interrupted. Run harness apply: it finishes the work.', {
    path: INDEX_PATH,
  });

/** The file in which the person finds the fault. */
const withPath = (finding: HookDiagnostic): CliDiagnostic => {
  const { entityId, provider, code } = finding;
  if (entityId === undefined) return finding;
  const isOverride = code === 'HOOK_OVERRIDE_INVALID' && provider !== undefined;
  return { ...finding, path: isOverride ? overridePath(entityId, provider) : sourcePath(entityId) };
};

interface Target {
  path: string;
  provider: Provider;
  desired: NativeFile | undefined;
  records: readonly ManagedFile[];
}

/** Every file that is wanted, and every file that holds something of ours. */
const targetsOf = (desired: readonly NativeFile[], { files, pending = [] }: ManagedIndex): Target[] => {
  const records = Map.groupBy([...files, ...pending], ({ path }) => path);
  const wanted = desired.map((file) => ({
    path: file.path,
    provider: file.provider,
    desired: file,
    records: records.get(file.path) ?? [],
  }));
  const paths = new Set(wanted.map(({ path }) => path));
  const obsolete = Array.from(records)
    .filter(([path]) => !paths.has(path))
    .map(([path, own]) => ({
      path,
      provider: (own[0] as ManagedFile).provider,
      desired: undefined,
      records: own,
    }));
  return [...wanted, ...obsolete].sort(byProviderThenPath);
};

const byProviderThenPath = (a: Target, b: Target): number =>
  PROVIDERS.indexOf(a.provider) - PROVIDERS.indexOf(b.provider) || (a.path < b.path ? -1 : 1);

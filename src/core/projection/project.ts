/** Canonical hooks → every provider's native file. Pure: the same input gives the same bytes in the Worker and in Node. */
import { addPositions } from './add-positions.ts';
import { ADMISSIONS, admit } from './admission.ts';
import type { Admission, Verdicts } from './admission.ts';
import { isProvider } from './capabilities.ts';
import { describe, Findings } from './diagnostic.ts';
import type { HookDiagnostic } from './diagnostic.ts';
import { PROVIDERS } from './events.ts';
import { loadEntities } from './load-entity.ts';
import type { Hook, HookEntity, HookEvent, Projection, Skipped } from './model.ts';
import type { NativeFile } from './native.ts';
import { printNative } from './print-native.ts';
import { buildNativeFiles } from './native-files.ts';
import { ProviderShare } from './provider-share.ts';

/** Findings of the sources and side-cars alone, whatever providers are enabled. Never throws. */
export const validate = (entities: readonly HookEntity[]): HookDiagnostic[] => {
  const findings = new Findings();
  loadEntities(entities, findings);
  addPositions(entities, findings.list);
  return findings.list;
};

/** Files in the order of the provider table, whatever the order of `providers`. Never throws. */
export const project = (entities: readonly HookEntity[], providers: readonly string[]): Projection => {
  const { ok, files, skipped, diagnostics } = projectNative(entities, providers);
  return { ok, files: files.map(printNative), skipped, diagnostics };
};

export interface NativeProjection {
  ok: boolean;
  files: NativeFile[];
  skipped: Skipped[];
  diagnostics: HookDiagnostic[];
}

/** `project` before printing, for those who merge into files that people own. */
export const projectNative = (
  entities: readonly HookEntity[],
  providers: readonly string[],
): NativeProjection => {
  const findings = new Findings();
  const skipped: Skipped[] = [];
  checkProviders(providers, findings);
  const hooks = loadEntities(entities, findings);
  const shares = ADMISSIONS.filter(({ provider }) => providers.includes(provider)).map(
    (admission) => new ProviderShare(admission),
  );
  for (const hook of hooks) shareOut(hook, shares, { findings, skipped });
  const files = buildNativeFiles(shares, findings);
  addPositions(entities, findings.list);
  const ok = findings.errorCount === 0;
  return { ok, files: ok ? files : [], skipped, diagnostics: findings.list };
};

const checkProviders = (providers: readonly string[], findings: Findings): void => {
  for (const name of providers) {
    if (isProvider(name)) continue;
    findings.report(
      'PROVIDER_UNKNOWN',
      {},
      `a provider is ${describe(name)}. The providers are ${PROVIDERS.join(', ')}.`,
    );
  }
};

/** Event by event, so that findings come in document order. */
const shareOut = (hook: Hook, shares: readonly ProviderShare[], verdicts: Verdicts): void => {
  const takers =
    hook.overrides.size === 0 ? shares : shares.filter(({ admission }) => takesPart(hook, admission));
  for (const block of hook.events) {
    for (const share of takers) shareEvent(hook, block, share, verdicts);
  }
};

const takesPart = (hook: Hook, { provider }: Admission): boolean =>
  hook.overrides.get(provider)?.enabled !== false;

const shareEvent = (hook: Hook, block: HookEvent, share: ProviderShare, verdicts: Verdicts): void => {
  for (const handler of block.handlers) {
    const admitted = admit(share.admission, hook, block, handler, verdicts);
    if (admitted !== undefined) share.take(hook, block, admitted);
  }
};

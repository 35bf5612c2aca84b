/** Secrets in what a sandbox sent back: masked before anything of it is stored or shown. */
import { CREDENTIAL_NAMES } from '../../src/core/hook-env.ts';
import type { Absence, Outcome, SaveReport } from '../../src/core/lifecycle/event.ts';
import type { Snapshot } from '../../src/core/lifecycle/state.ts';
import { isSecretName, type Masker } from '../../src/core/redact.ts';
import type { Env } from '../../src/sandbox/env.ts';
import type { KeptOutput } from '../../src/sandbox/protocol.ts';
import type { ProcessEnvironment } from '../project-for-workspace.ts';

const CREDENTIALS: ReadonlySet<string> = new Set(CREDENTIAL_NAMES);

/** What of a project's settings nobody may read. */
export function secretsIn(values: ProcessEnvironment): string[] {
  const flagged = new Set(values.secretNames);
  const isSecret = (name: string) => CREDENTIALS.has(name) || flagged.has(name) || isSecretName(name);
  const named = [values.global, values.project].flatMap((layer) =>
    Object.entries(layer)
      .filter(([name]) => isSecret(name))
      .map(([, value]) => value),
  );
  return [...named, ...values.gitSecrets].filter((value) => value !== '');
}

/** The service's own. */
export const ownSecrets = (env: Env): string[] =>
  [
    ...(env.API_TOKEN ?? '').split(/[\s,]+/),
    env.ENCRYPTION_KEY ?? '',
    env.ENCRYPTION_KEY_PREVIOUS ?? '',
    env.SANDBOX_HOST_TOKEN ?? '',
  ].filter((value) => value !== '');

/** Of an event that quotes somebody, such as the refs of a refused push. */
export const maskData = (masker: Masker, data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, maskValue(masker, value)]));

const maskValue = (masker: Masker, value: unknown): unknown => {
  if (typeof value === 'string') return masker.mask(value);
  return Array.isArray(value) ? value.map((item) => maskValue(masker, item)) : value;
};

export const maskOutput = (masker: Masker, output: KeptOutput): KeptOutput => ({
  ...output,
  text: masker.mask(output.text),
});

/** Masks the texts that somebody may read; ids and hashes, which the lifecycle decides on, stay as they are. null: it has none. */
export function maskingOf(outcome: Outcome): ((masker: Masker) => Outcome) | null {
  switch (outcome.type) {
    case 'absent':
      return (masker) => ({ ...outcome, absence: maskAbsence(masker, outcome.absence) });
    case 'clone-failed':
    case 'destroy-failed':
    case 'plan-refused':
      return (masker) => ({ ...outcome, detail: masker.mask(outcome.detail) });
    case 'script-ended': {
      const { detail } = outcome;
      return detail === null ? null : (masker) => ({ ...outcome, detail: masker.mask(detail) });
    }
    case 'snapshotted':
      return (masker) => ({ ...outcome, snapshot: maskSnapshot(masker, outcome.snapshot) });
    case 'saved':
      return (masker) => ({ ...outcome, report: maskReport(masker, outcome.report) });
    default:
      return null;
  }
}

const maskAbsence = (masker: Masker, absence: Absence): Absence => ({
  ...absence,
  detail: masker.mask(absence.detail),
});

/** Why there is none: a sandbox's own words. */
const maskSnapshot = (masker: Masker, snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  skipped: snapshot.skipped === null ? null : masker.mask(snapshot.skipped),
});

const maskReport = (masker: Masker, report: SaveReport): SaveReport => ({
  ...report,
  reason: report.reason === null ? null : masker.mask(report.reason),
  // A branch of the agent's gives a rescue ref its name.
  rescueRefs: report.rescueRefs.map(({ ref, sha }) => ({ ref: masker.mask(ref), sha })),
  unsavedCommits: report.unsavedCommits.map(({ sha, subject }) => ({ sha, subject: masker.mask(subject) })),
  uncommitted: { ...report.uncommitted, files: report.uncommitted.files.map((file) => masker.mask(file)) },
});

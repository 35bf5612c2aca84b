/** One case of `test/cases/projection.json` through `project`, and the comparison that the cases bring along. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { parse } from 'smol-toml';
import { project } from '../../../src/core/projection/project.ts';
import type { HookEntity } from '../../../src/core/projection/model.ts';
// @ts-expect-error: the comparison is given as plain JavaScript
import { check as untypedCheck } from '../../cases/compare.mjs';

export interface ProjectionCase {
  id: string;
  category: string;
  basis: string;
  providers: string[];
  entities: HookEntity[];
}

interface Verdict {
  pass: boolean;
  via: string | null;
  why?: string;
  soft?: boolean;
}

interface Outcome {
  ok: boolean;
  errors: { provider?: string; code: string }[];
  files: Record<string, string>;
}

const check = untypedCheck as (
  given: ProjectionCase,
  outcome: Outcome,
  options: { parseToml: (text: string) => unknown },
) => Verdict;

export const verdictOf = (given: ProjectionCase): Verdict => {
  const { ok, files, diagnostics } = project(given.entities, given.providers);
  const errors = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ code, provider }) => (provider === undefined ? { code } : { code, provider }));
  const texts = Object.fromEntries(files.map(({ path, content }) => [path, content]));
  return check(given, { ok, errors, files: texts }, { parseToml: parse });
};

/** One number for the bytes of all outputs: equal in Node and in the Worker. */
export const digestOf = (cases: readonly ProjectionCase[]): string => {
  const results = cases.map(({ entities, providers }) => project(entities, providers));
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(results.map(({ files }) => files)))));
};

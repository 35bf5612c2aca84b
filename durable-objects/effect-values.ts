/** Secrets of the project as one effect needs them: fetched when they are needed, kept no longer than the effect. */
import { ok, type Result } from '../src/core/result.ts';
import type { Failure } from '../src/core/failure.ts';
import { buildMasker, type Masker } from '../src/core/redact.ts';
import type { Env } from '../src/sandbox/env.ts';
import { ownSecrets, secretsIn } from './effects/masking.ts';
import type { HandedSecrets } from './handed-secrets.ts';
import type { ProcessEnvironment, ProjectForWorkspace } from './project-for-workspace.ts';

const WITHHELD =
  '[withheld: the values to mask cannot be read; is ENCRYPTION_KEY the one they were sealed with?]';

const WITHHOLD: Masker = {
  mask: (text) => (text === '' ? '' : WITHHELD),
  stream: () => ({ push: () => '', flush: () => '', isHolding: false }),
};

export class EffectValues {
  readonly #env: Env;
  readonly #project: ProjectForWorkspace;
  readonly #handed: HandedSecrets;
  #masker: Promise<Masker> | null = null;

  constructor(env: Env, project: ProjectForWorkspace, handed: HandedSecrets) {
    this.#env = env;
    this.#project = project;
    this.#handed = handed;
  }

  /**
   * For a process that is about to start: what it gets is masked until the work is over. A failure where a value cannot be
   * unsealed: no process starts without what its project set.
   */
  async environment(): Promise<Result<ProcessEnvironment, Failure>> {
    const values = await this.#project.processEnvironment();
    if (!values.ok) return values;
    const remembered = await this.#handed.remember(secretsIn(values.value));
    return remembered.ok ? values : remembered;
  }

  /**
   * Of the values as they are at the first call, which comes after the process has got its own, and of those that were handed
   * out before. Where they can't be read, a process may print them all the same: nothing of it is shown.
   */
  masker(): Promise<Masker> {
    this.#masker ??= this.#buildMasker();
    return this.#masker;
  }

  async #buildMasker(): Promise<Masker> {
    const secrets = await this.#secrets();
    return secrets.ok ? buildMasker([...secrets.value, ...ownSecrets(this.#env)]) : WITHHOLD;
  }

  async #secrets(): Promise<Result<string[], Failure>> {
    const values = await this.#project.processEnvironment();
    if (!values.ok) return values;
    const handed = await this.#handed.values();
    return handed.ok ? ok([...secretsIn(values.value), ...handed.value]) : handed;
  }
}

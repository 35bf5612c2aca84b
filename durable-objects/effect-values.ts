/** Secrets of the project as one effect needs them: fetched at most once, kept no longer than the effect. */
import type { Masker } from '../src/core/redact.ts';
import type { Env } from '../src/sandbox/env.ts';
import { maskerFor } from './effects/masking.ts';
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
  #fetched: ReturnType<ProjectForWorkspace['processEnvironment']> | undefined;

  constructor(env: Env, project: ProjectForWorkspace) {
    this.#env = env;
    this.#project = project;
  }

  /** Throws where a value cannot be unsealed: no process starts without what its project set; the effect is repeated. */
  async environment(): Promise<ProcessEnvironment> {
    const values = await this.#fetch();
    if (!values.ok) throw new Error(values.error.detail);
    return values.value;
  }

  /** Where the values can't be read, a process that was started before may print them all the same: nothing of it is shown. */
  async masker(): Promise<Masker> {
    const values = await this.#fetch();
    return values.ok ? maskerFor(this.#env, values.value) : WITHHOLD;
  }

  #fetch() {
    this.#fetched ??= this.#project.processEnvironment();
    return this.#fetched;
  }
}

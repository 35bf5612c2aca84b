/** A project's credential, sealed, with the host that it is for: a repository that moves to another one does not take it along. */
import type { Credential } from '../src/core/api.ts';
import { hostOf, isForHost } from '../src/core/credential-host.ts';
import type { Failure } from '../src/core/failure.ts';
import { ok, type Result } from '../src/core/result.ts';
import type { Env } from '../src/sandbox/env.ts';
import { authorizationOf, sealCredential, unsealCredential } from './git-credential.ts';
import type { ProjectStore } from './project-store.ts';

const CREDENTIAL = 'credential';
const HOST = 'credential_host';

export class RepositoryCredential {
  readonly #store: ProjectStore;
  readonly #env: Env;
  readonly #scope: string;

  constructor(store: ProjectStore, env: Env, scope: string) {
    this.#store = store;
    this.#env = env;
    this.#scope = scope;
  }

  get isSet(): boolean {
    return this.#store.meta(CREDENTIAL) !== null;
  }

  /** null takes it away. */
  async set(credential: Credential | null, repositoryUrl: string | null): Promise<Result<null, Failure>> {
    const sealed = credential === null ? ok(null) : await sealCredential(this.#env, this.#scope, credential);
    if (!sealed.ok) return sealed;
    this.#store.setMeta(CREDENTIAL, sealed.value);
    this.#store.setMeta(HOST, credential === null ? null : hostOf(repositoryUrl));
    return ok(null);
  }

  read(): Promise<Result<Credential | null, Failure>> {
    return unsealCredential(this.#env, this.#scope, this.#store.meta(CREDENTIAL));
  }

  /** null: none, or none for that host. */
  async authorizationFor(repositoryUrl: string): Promise<Result<string | null, Failure>> {
    const credential = await this.read();
    if (!credential.ok) return credential;
    const host = this.#store.meta(HOST);
    if (credential.value === null || !isForHost(host, repositoryUrl)) return ok(null);
    if (host === null) this.#store.setMeta(HOST, hostOf(repositoryUrl));
    return ok(authorizationOf(credential.value));
  }
}

/** The Worker's bindings, as wrangler.toml, the secrets and the development launcher set them. */
import type { Sandbox } from '@cloudflare/sandbox';

export interface Env {
  WORKSPACE: DurableObjectNamespace;
  PROJECT: DurableObjectNamespace;
  DIRECTORY: DurableObjectNamespace;
  SANDBOX: DurableObjectNamespace<Sandbox>;
  /** The same with a network that can be limited. */
  SANDBOX_LIMITED: DurableObjectNamespace<Sandbox>;
  /** Snapshots of unsaved work; without it only saved branches survive the loss of a sandbox. */
  SNAPSHOTS?: R2Bucket;
  /** Bearer tokens, separated by commas or blanks. */
  API_TOKEN?: string;
  /** `true`: the projection routes answer without a token. */
  PUBLIC_PROJECTION?: string;
  /** Locations that this deployment offers, comma-separated; the first is the default. */
  LOCATIONS?: string;
  /** The sandbox host of the development launcher. */
  SANDBOX_HOST_URL?: string;
  SANDBOX_HOST_TOKEN?: string;
  /** `true`: repositories may be local paths or `file:` URLs. */
  ALLOW_LOCAL_REPOSITORIES?: string;
  /** The longest that one clone or save may take, in milliseconds; 10 minutes where it is no positive number. */
  GIT_TIMEOUT_MS?: string;
  /** The longest that the end of one sandbox may take, in milliseconds; one minute where it is no positive number. */
  DESTROY_TIMEOUT_MS?: string;
  /** Encrypts environment values and credentials; the previous one is still read during a rotation. */
  ENCRYPTION_KEY?: string;
  ENCRYPTION_KEY_PREVIOUS?: string;
  /** A repository that the page's demo project may use; set by the development launcher. */
  DEMO_REPOSITORY?: string;
  /** Where sandboxes reach this Worker. */
  PUBLIC_URL?: string;
}

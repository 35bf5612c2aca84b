/** The repository as one git operation reaches it. */
import type { Identity } from '../../src/core/lifecycle/state.ts';
import type { Remote } from '../../src/sandbox/protocol.ts';

export const buildRemote = (identity: Identity): Remote | null =>
  identity.repository === null ? null : { url: identity.repository.url, origin: identity.repository.url };

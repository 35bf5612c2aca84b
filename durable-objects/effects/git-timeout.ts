/** How long one clone, restore or save may take, apart from any hook's limit. */
import type { Env } from '../../src/sandbox/env.ts';

const GIT_TIMEOUT_MS = 600_000;

export const gitTimeoutMs = ({ GIT_TIMEOUT_MS: text }: Env): number => Number(text ?? GIT_TIMEOUT_MS);

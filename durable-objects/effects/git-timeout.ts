/** How long one clone, restore or save may take, apart from any hook's limit. */
import { millisecondsOr } from '../../src/core/milliseconds.ts';
import type { Env } from '../../src/sandbox/env.ts';

const GIT_TIMEOUT_MS = 600_000;

export const gitTimeoutMs = ({ GIT_TIMEOUT_MS: text }: Env): number => millisecondsOr(text, GIT_TIMEOUT_MS);

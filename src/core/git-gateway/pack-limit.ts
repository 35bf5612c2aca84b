/** Bodies that are too large for the way they take: words for people, and the limit in their unit. */
import type { Refusal } from './address.ts';

const MEGABYTE = 1_000_000;

const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / MEGABYTE)} MB`;

/** `bytes` is null where the body is longer than announced, or nothing was announced. */
export const packTooLarge = (bytes: number | null, maxBytes: number): string =>
  `pack_too_large: ${bytes === null ? 'the push is' : `${inMegabytes(bytes)} are`} over the limit of ${inMegabytes(maxBytes)}; push fewer commits at a time`;

export const HOST_LIMIT = "pack_too_large: the repository's host does not take a push of this size";

export const requestTooLarge = (maxBytes: number): Refusal => ({
  status: 413,
  text: `The request is over the limit of ${inMegabytes(maxBytes)}.`,
});

/** A credential is for one host: wherever else a project's workspaces are cloned from, it is not sent. */

const ORIGIN = /^https?:\/\/[^/?#]+/i;

/** Scheme, host and port; null where a URL has none, as a local path. */
export const hostOf = (url: string | null): string | null =>
  ORIGIN.exec(url ?? '')?.[0].toLowerCase() ?? null;

/** `host`: that of the project's repository when the credential was set; null: there was none, and the first to ask is it. */
export const isForHost = (host: string | null, url: string): boolean => host === null || host === hostOf(url);

/** A credential is for one host: wherever else a project's workspaces are cloned from, it is not sent. */

/** Scheme, host and port; null where a URL has none, as a local path. */
export function hostOf(url: string | null): string | null {
  const parsed = url === null ? null : URL.parse(url);
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.origin : null;
}

/** `host`: that of the project's repository when the credential was set; null: there was none, and the first to ask is it. */
export const isForHost = (host: string | null, url: string): boolean => host === null || host === hostOf(url);

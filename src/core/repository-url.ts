/** Which repositories a project may name. Written on strings: git reads URLs by rules of its own, not by those of browsers. */
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { type Failure, failure } from './failure.ts';
import { type Result, err, ok } from './result.ts';

export interface RepositoryUrl {
  /** As given; of an http URL, scheme and host in lower case. */
  url: string;
  kind: 'http' | 'local';
}

const MAX_URL_LENGTH = 2048;
const MAX_BRANCH_BYTES = 255;

const HTTP_SYNTAX = /^(https?):\/\/([^/?#]*)(.*)$/i;
const SSH_SYNTAX = /^(?:ssh|git\+ssh|ssh\+git):\/\/(?:[^/]*@)?(\[[^\]/]*\]|[^/:]*)(?::[0-9]*)?\/*(.*)$/i;
/** `git@host:path`: a colon before any slash. One letter before it is a Windows drive. */
const SCP_SYNTAX = /^(?:[^/]*@)?(\[[^\]/]*\]|[^/:@]{2,}):(?!\/\/)\/*(.*)$/;
/** `ext::sh -c …` and its like start any program. */
const REMOTE_HELPER = /^[A-Za-z0-9+.-]*::/;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const HOST_AND_PORT = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?$/;
/** `.` and `..` also percent-encoded: a server resolves them, and would serve another repository than the one checked. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
const ENCODED_CONTROL_OR_SLASH = /%(?:[01][0-9a-f]|7f|2f|5c)/i;

/** Refusals repeat no part of the text that could be a credential. */
export function parseRepositoryUrl(
  text: string,
  { allowLocal }: { allowLocal: boolean },
): Result<RepositoryUrl, Failure> {
  const isLocal = text.startsWith('/') || /^file:/i.test(text);
  const fault =
    findTextFault(text) ??
    (isLocal ? findLocalFault(text, { allowLocal }) : (findSchemeFault(text) ?? findHttpFault(text)));
  if (fault !== null) return err(failure('repository_refused', `The repository ${shown(text)} ${fault}.`));
  return ok(isLocal ? { url: text, kind: 'local' } : { url: lowerCaseHost(text), kind: 'http' });
}

function findTextFault(text: string): string | null {
  if (text === '') return 'is empty: send an https URL, or leave the repository out';
  if (text.length > MAX_URL_LENGTH) return `is over ${MAX_URL_LENGTH} characters: send a shorter URL`;
  if (!text.isWellFormed()) return 'is not well-formed Unicode: send the plain URL';
  if (/\p{Cc}/u.test(text)) return 'holds a control character: send the plain URL';
  if (text.startsWith('-'))
    return 'starts with a dash, which git would take for an option: send an https URL';
  // A folder on the machine may have spaces inside its name.
  if (text.startsWith('/') ? text !== text.trim() : /\s/.test(text))
    return 'holds white space: write it as %20 or leave it out';
  return null;
}

function findLocalFault(text: string, { allowLocal }: { allowLocal: boolean }): string | null {
  if (!allowLocal) return 'is on a local disk, which only the development server may use: send an https URL';
  // Git reads `file:/a` as a path on a host called file, and the host of `file://host/a` as a folder.
  if (!text.startsWith('/') && !/^file:\/\/\//i.test(text))
    return 'is not absolute: write file:///path or /path';
  return null;
}

function findSchemeFault(text: string): string | null {
  if (REMOTE_HELPER.test(text))
    return 'names a transport helper, which could start any program: send an https URL';
  if (/^https?:/i.test(text)) return null;
  const [, host, path] = SSH_SYNTAX.exec(text) ?? SCP_SYNTAX.exec(text) ?? [];
  if (host !== undefined && path !== undefined)
    return `uses ssh, for which no sandbox has a key: use ${httpsHint(host, path)}`;
  const scheme = SCHEME.exec(text)?.[1];
  if (scheme !== undefined) return `uses ${scheme}, which is not accepted: send an https URL`;
  return 'has no scheme: write https://host/path, or an absolute path on the development server';
}

/** After an @ or a ? the path may hold a credential. */
const httpsHint = (host: string, path: string): string =>
  /[@?#]/.test(path) ? 'its https URL' : `https://${host}/${path}`;

function findHttpFault(text: string): string | null {
  const [, , authority, path] = HTTP_SYNTAX.exec(text) ?? [];
  if (authority === undefined || path === undefined) return 'is not of the form https://host/path';
  if (text.includes('\\')) return 'holds a backslash: write /';
  if (authority.includes('@'))
    return 'holds credentials: leave them out and set them with PUT /v1/projects/{project}/credential';
  const host = HOST_AND_PORT.exec(authority.toLowerCase());
  if (!host || Number(host[1] ?? 1) > 65_535 || Number(host[1] ?? 1) < 1) return 'has no valid host and port';
  return findPathFault(path);
}

function findPathFault(path: string): string | null {
  if (/[?#]/.test(path)) return 'has a query or a fragment: leave out everything from ? or # on';
  if (/^\/*$/.test(path)) return 'names a host but no repository on it: add the path';
  if (DOT_SEGMENT.test(path)) return 'has a . or .. in its path: write the path it stands for';
  if (ENCODED_CONTROL_OR_SLASH.test(path)) return 'holds an encoded control character or slash: leave it out';
  return null;
}

export function findBranchFault(name: string): string | null {
  if (name === '') return 'is empty: leave it out for the default branch';
  if (!name.isWellFormed() || utf8ToBytes(name).length > MAX_BRANCH_BYTES)
    return `is not well-formed Unicode of at most ${MAX_BRANCH_BYTES} bytes`;
  if (name === '@' || name === 'HEAD' || name.startsWith('-'))
    return 'means something else to git: name a branch';
  if (/[\p{Cc} ~^:?*[\\]/u.test(name))
    return 'holds a blank, a control character or one of ~ ^ : ? * [ \\, which git refuses';
  if (name.includes('..') || name.includes('@{') || name.endsWith('.'))
    return 'holds .. or @{ or ends with a dot, which git refuses';
  if (name.split('/').some((part) => part === '' || part.startsWith('.') || part.endsWith('.lock')))
    return 'has a part that is empty, starts with a dot or ends with .lock, which git refuses';
  return null;
}

const lowerCaseHost = (text: string): string =>
  text.replace(/^[^/]*\/\/[^/]*/, (schemeAndHost) => schemeAndHost.toLowerCase());

/** Without what stands before an @ or after a ?: both places of credentials. */
const shown = (text: string): string =>
  JSON.stringify(
    text
      .replace(/^.*@/s, '')
      .replace(/[?#].*$/s, '')
      .slice(0, 200),
  );

/** Builds what git is asked: argument lists, configuration text, ref names. No option here may make git run a program. */

/** `null` expects that the ref does not exist. */
export interface Push {
  /** Short name of the branch on the remote. */
  branch: string;
  sha: string;
  expected: string | null;
}

/** An object name of either format that git knows. */
export const isSha = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

export const objectFormatOf = (sha: string): 'sha1' | 'sha256' => (sha.length === 64 ? 'sha256' : 'sha1');

// Control characters and what git-check-ref-format(1) forbids inside a name.
// oxlint-disable-next-line no-control-regex -- these are the characters in question
const FORBIDDEN_IN_REF = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)/;

/** A full ref name that git-check-ref-format(1) accepts, so that it is also a safe path below a git directory. */
export const isRefName = (name: string): boolean =>
  name.startsWith('refs/') && !FORBIDDEN_IN_REF.test(name) && !/[/.]$/.test(name) && name.length <= 1024;

export const isBranchName = (name: string): boolean =>
  !name.startsWith('-') && isRefName(`refs/heads/${name}`);

/** How a repository is reached; null: a scheme that we refuse. */
export function transportOf(url: string): 'http' | 'local' | null {
  if (/^https?:\/\//i.test(url)) return 'http';
  if (/^(?:file:\/\/|\/)/i.test(url)) return 'local';
  return null;
}

/** GIT_ALLOW_PROTOCOL: a local remote may have local submodules, a remote one may not read this machine's files. */
export const allowedProtocols = (url: string | null): string =>
  url !== null && transportOf(url) === 'local' ? 'file:http:https' : 'http:https';

/**
 * The same for submodules, whose addresses are the agent's own text: on a disk of which a confined agent must not see the
 * rest, no local one is fetched for it.
 */
export const submoduleProtocols = (url: string, localSubmodules: boolean): string =>
  localSubmodules ? allowedProtocols(url) : 'http:https';

/** Everything that git reads from outside its repository, switched off; wins over the caller's environment. */
export const cleanEnvironment = (home: string): Record<string, string> => ({
  HOME: home,
  XDG_CONFIG_HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_SSH_COMMAND: 'false',
  GIT_EDITOR: 'false',
  GIT_PAGER: 'cat',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  // Later versions default to another format, which our reader of refs does not know.
  GIT_DEFAULT_REF_FORMAT: 'files',
  LC_ALL: 'C',
});

const CLEAN_CONFIG = `
	bare = true
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	fsmonitor = false
	untrackedCache = false
	commitGraph = false
	multiPackIndex = false
	logAllRefUpdates = false
[gc]
	auto = 0
[maintenance]
	auto = false
[credential]
	helper =
[push]
	default = nothing
	recurseSubmodules = no
	gpgSign = false
	followTags = false
[fetch]
	recurseSubmodules = no
[submodule]
	recurse = false
[commit]
	gpgSign = false
`;

/** The configuration of our own bare repository, through which everything from an untrusted workspace goes. */
export const cleanConfig = (format: 'sha1' | 'sha256'): string =>
  format === 'sha1'
    ? `[core]\n\trepositoryFormatVersion = 0${CLEAN_CONFIG}`
    : `[core]\n\trepositoryFormatVersion = 1${CLEAN_CONFIG}[extensions]\n\tobjectFormat = sha256\n`;

/** Appended to a new workspace's configuration. `origin` is the project's URL; the one with a grant never gets here. */
export function workspaceConfig(user: { name: string; email: string }, origin: string | null): string {
  const identity = `[user]\n\tname = ${quoted(user.name)}\n\temail = ${quoted(user.email)}\n`;
  if (origin === null) return identity;
  const fetch = '\tfetch = +refs/heads/*:refs/remotes/origin/*\n';
  return `${identity}[remote "origin"]\n\turl = ${quoted(origin)}\n${fetch}`;
}

/** Only these escapes exist in a git configuration; other control characters cannot be written and are dropped. */
const quoted = (value: string): string =>
  `"${value
    .replace(/[\\"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    // oxlint-disable-next-line no-control-regex -- these are the characters in question
    .replace(/[\u0000-\u001f\u007f]/g, '')}"`;

export const initArgs = (directory: string, branch: string, format: 'sha1' | 'sha256'): string[] => [
  'init',
  '--quiet',
  '--template=',
  `--initial-branch=${branch}`,
  `--object-format=${format}`,
  directory,
];

/**
 * All branches and tags in one conversation with the remote. `--no-local`: of a repository on this disk nothing is linked or
 * copied past git's own checks. By its public URL, which git writes down before it asks the remote: see `cloneEnvironment`.
 */
export const cloneArgs = (origin: string, directory: string): string[] => [
  'clone',
  '--quiet',
  '--no-checkout',
  '--no-local',
  '--template=',
  '--origin=origin',
  '--',
  origin,
  directory,
];

/** Where a URL with a grant is reached instead of the public one. */
export const cloneEnvironment = (url: string, origin: string): Record<string, string> =>
  url === origin
    ? {}
    : { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: `url.${url}.insteadOf`, GIT_CONFIG_VALUE_0: origin };

/** Of what `git clone` configured: how the files lie, not where they came from. */
export const withoutRemotes = (config: string): string =>
  config
    .split(/^(?=\[)/m)
    .filter((section) => /^\[(?:core|extensions)\]/.test(section))
    .join('');

/** Protocol 2 lets the server filter. */
export const listRemoteArgs = (url: string): string[] => [
  'ls-remote',
  '--quiet',
  '--symref',
  '--',
  url,
  'HEAD',
  'refs/heads/*',
];

/** Without branches: all of them. */
export const listBranchesArgs = (url: string, branches: readonly string[]): string[] => [
  'ls-remote',
  '--quiet',
  '--',
  url,
  ...(branches.length > 0 ? branches.map((branch) => `refs/heads/${branch}`) : ['refs/heads/*']),
];

/** No FETCH_HEAD, because it would keep the URL. */
export const fetchArgs = (url: string, refspecs: readonly string[], depth: number | null): string[] => [
  'fetch',
  '--quiet',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--no-tags',
  ...(depth === null ? [] : [`--depth=${depth}`]),
  '--',
  url,
  ...refspecs,
];

/** Refs are pushed one by one (not atomic): a refused one keeps none of the others from being saved. */
export const pushArgs = (url: string, pushes: readonly Push[]): string[] => [
  'push',
  '--porcelain',
  '--no-verify',
  '--no-signed',
  '--no-follow-tags',
  '--recurse-submodules=no',
  ...pushes.map((push) => `--force-with-lease=refs/heads/${push.branch}:${push.expected ?? ''}`),
  '--',
  url,
  ...pushes.map((push) => `${push.sha}:refs/heads/${push.branch}`),
];

/** Submodules are compared by their commit only: looking into one would read its own, untrusted configuration. */
export const statusArgs = (): string[] => [
  'status',
  '--porcelain=v2',
  '-z',
  '--no-renames',
  '--untracked-files=all',
  '--ignore-submodules=dirty',
];

/** Commits of `tip` that none of `known` reaches; unknown shas among `known` are no error. */
export const newCommitsArgs = (tip: string, known: readonly string[]): string[] => [
  'log',
  '--ignore-missing',
  '--no-show-signature',
  '--no-decorate',
  '--no-color',
  '-z',
  '--format=%H %s',
  tip,
  ...(known.length > 0 ? ['--not', ...known] : []),
  '--',
];

/**
 * Prints every commit that is reachable from the tips and from none of the known shas on standard input. A tip that does
 * not exist is an error: only what stands before the option has to exist.
 */
export const lackingArgs = (tips: readonly string[]): string[] => [
  'rev-list',
  ...tips,
  '--ignore-missing',
  '--stdin',
];

export const lackingInput = (known: readonly string[]): string => known.map((sha) => `^${sha}\n`).join('');

export const isAncestorArgs = (older: string, newer: string): string[] => [
  'merge-base',
  '--is-ancestor',
  older,
  newer,
];

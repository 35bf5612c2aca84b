/** Words and types git's failures. No credential, and no URL other than the one that people may see, leaves here. */
import type { PushAnswer } from './git-output.ts';

export interface GitFailure {
  reason: 'auth' | 'not_found' | 'network' | 'timeout' | 'refused' | 'other';
  detail: string;
}

export interface GitAnswer {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  stopped: 'timeout' | 'cancelled' | 'output' | null;
}

/** `url` is what git was given and stays secret, `origin` is its public name. */
export interface RemoteNames {
  url: string;
  origin: string;
  /** A submodule may be fetched from this machine's disk. */
  local_submodules?: true | undefined;
}

/** Over this a detail says nothing more. */
const MAX_DETAIL_LENGTH = 2000;

/** First match wins. Lines of the remote (`remote: …`) are not looked at: they may say anything. */
const SIGNS: readonly [RegExp, GitFailure['reason']][] = [
  [/transport '[^']*' not allowed/, 'refused'],
  // Our own objects are at fault; what git says next sounds like a broken connection.
  [
    /hash algorithm|bad object|unable to read [0-9a-f]|missing (?:blob|tree|commit|object)|is corrupt/,
    'other',
  ],
  [/could not read (?:Username|Password)|terminal prompts disabled/, 'auth'],
  [/Authentication failed|returned error: 40[13]\b|HTTP 40[13]\b|Permission denied/, 'auth'],
  [/repository '[^']*' (?:not found|does not exist)|returned error: (?:404|410)\b|HTTP 404\b/, 'not_found'],
  [
    /does not appear to be a git repository|is this a git repository\?|couldn't find remote ref|not our ref/,
    'not_found',
  ],
  [/timed out|[Oo]peration too slow|returned error: (?:408|504)\b/, 'timeout'],
  [/\[remote rejected\]|pre-receive hook declined|\[rejected\]|shallow update not allowed/, 'refused'],
  [/Could not resolve|[Ff]ailed to connect|Couldn't connect|Connection (?:refused|reset|closed)/, 'network'],
  [/Recv failure|Send failure|early EOF|hung up|unexpected disconnect|Empty reply|RPC failed/, 'network'],
  [/returned error: 5\d\d\b|HTTP 5\d\d\b|SSL|TLS|certificate|transfer closed|bad pack header/, 'network'],
  [/unable to access|invalid server response|protocol error|bad line length/, 'network'],
];

const ADVICE: Record<GitFailure['reason'], string> = {
  auth: 'The repository asks for a credential that it did not get, or refuses the one it got',
  not_found: 'The repository or branch was not found',
  network: 'The repository is out of reach',
  timeout: 'The repository did not answer in time',
  refused: 'The repository refused',
  other: 'Git failed',
};

/** Names from a workspace may be of any length. */
export const otherFailure = (detail: string): GitFailure => ({ reason: 'other', detail: bounded(detail) });

export function classifyFailure(what: string, answer: GitAnswer, remote: RemoteNames | null): GitFailure {
  if (answer.stopped === 'timeout')
    return { reason: 'timeout', detail: `${what} took longer than its timeout.` };
  if (answer.stopped === 'cancelled') return otherFailure(`${what} was cancelled.`);
  if (answer.stopped === 'output') return otherFailure(`${what} answered with too much output.`);
  const lines = answer.stderr.split('\n');
  const own = lines.filter((line) => !line.startsWith('remote:')).join('\n');
  const reason = SIGNS.find(([sign]) => sign.test(own))?.[1] ?? 'other';
  const said = maskRemote(saidBy(lines), remote);
  const where = remote === null ? '' : ` (${maskCredentials(remote.origin)})`;
  return { reason, detail: bounded(`${what} failed. ${ADVICE[reason]}${where}: ${said || exitOf(answer)}`) };
}

/** The first ref that the remote did not take; the remote's own lines (a hook's message) say why. */
export function classifyPush(
  what: string,
  answers: readonly PushAnswer[],
  said: { stderr: string; exitCode: number; remote: RemoteNames },
): GitFailure | null {
  const refused = answers.find((answer) => answer.outcome !== 'pushed');
  if (refused === undefined) {
    if (said.exitCode === 0) return null;
    return classifyFailure(
      what,
      { exitCode: said.exitCode, stdout: '', stderr: said.stderr, stopped: null },
      said.remote,
    );
  }
  const reason = refused.outcome === 'stale' ? 'other' : 'refused';
  const words = [
    refused.summary,
    saidBy(said.stderr.split('\n').filter((line) => line.startsWith('remote:'))),
  ];
  const detail = words.filter((word) => word !== '').join(' | ');
  return {
    reason,
    detail: bounded(maskRemote(`The remote did not take ${refused.branch}: ${detail}`, said.remote)),
  };
}

const exitOf = (answer: GitAnswer): string =>
  answer.exitCode === null ? 'git was killed.' : `git ended with ${answer.exitCode}.`;

const NOISE = /^\s*$|^hint:|^Cloning into|^To |^Everything up-to-date|^warning: redirecting/;

/** Git's own words and the remote's (a hook's message), on one line. */
const saidBy = (lines: readonly string[]): string =>
  lines
    .filter((line) => !NOISE.test(line))
    .map((line) => printable(line).replace(/^(?:fatal|error): /, ''))
    .join(' | ');

/** Replaces the secret URL wherever it shows: whole, as its path, or one segment of it. */
export function maskRemote(text: string, remote: RemoteNames | null): string {
  if (remote === null || remote.url === remote.origin) return maskCredentials(text);
  let masked = text;
  for (const secret of secretsOf(remote)) masked = masked.replaceAll(secret, remote.origin);
  for (const segment of secretSegments(remote)) masked = masked.replaceAll(segment, '***');
  return maskCredentials(masked);
}

function secretsOf({ url }: RemoteNames): string[] {
  const bare = url.replace(/\/+$/, '');
  return [bare, bare.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1')];
}

/** A grant is far longer; shorter parts of a path are ordinary words. */
const SECRET_SEGMENT_LENGTH = 16;

function secretSegments({ url, origin }: RemoteNames): string[] {
  const segments = url.split(/[/:@?&=]+/).filter((part) => part.length >= SECRET_SEGMENT_LENGTH);
  const all = segments.flatMap((part) => [part, decoded(part)]);
  return all.filter((part) => part.length > 0 && !origin.includes(part));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** User and password of any URL. Schemes are short: without the bound a long word would cost its length squared. */
const maskCredentials = (text: string): string =>
  text.replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^/@\s'"]+@/gi, '$1');

// oxlint-disable-next-line no-control-regex -- terminal escapes of a remote stay out of messages
const printable = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trim();

const bounded = (text: string): string =>
  text.length <= MAX_DETAIL_LENGTH ? text : `${text.slice(0, MAX_DETAIL_LENGTH).toWellFormed()}…`;

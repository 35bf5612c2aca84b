/** The fields of a `command` handler, each with its own check. */
import { describe, shorten } from './diagnostic.ts';
import { FIELD_BITS } from './field-bits.ts';
import type { HandlerScope } from './parse-handler.ts';
import { didYouMean, nearest } from './suggestion.ts';

interface CommandDraft {
  command: string | undefined;
  bash: string | undefined;
  linux: string | undefined;
  osx: string | undefined;
  windows: string | undefined;
  powershell: string | undefined;
  matcher: string | undefined;
  cwd: string | undefined;
  env: Readonly<Record<string, string>> | undefined;
  timeout: number | undefined;
  timeoutSec: number | undefined;
  loopLimit: number | null | undefined;
  failClosed: boolean | undefined;
  fields: number;
}

export const newCommandDraft = (): CommandDraft => ({
  command: undefined,
  bash: undefined,
  linux: undefined,
  osx: undefined,
  windows: undefined,
  powershell: undefined,
  matcher: undefined,
  cwd: undefined,
  env: undefined,
  timeout: undefined,
  timeoutSec: undefined,
  loopLimit: undefined,
  failClosed: undefined,
  fields: 0,
});

/** As the seed lists them, then Cursor's two. */
const COMMAND_KEYS = [
  'type',
  'command',
  'bash',
  'linux',
  'osx',
  'windows',
  'powershell',
  'matcher',
  'cwd',
  'env',
  'timeoutSec',
  'timeout',
  'loop_limit',
  'failClosed',
] as const;

export const readCommandField = (
  draft: CommandDraft,
  key: string,
  value: unknown,
  scope: HandlerScope,
): void => {
  switch (key) {
    case 'type':
    case '$schema':
    case 'description':
      return;
    case 'command':
    case 'bash':
    case 'linux':
    case 'osx':
    case 'windows':
    case 'powershell':
      draft[key] = readCommandText(key, value, scope);
      return;
    case 'matcher':
      draft.matcher = readMatcher(value, scope);
      return;
    case 'cwd':
      draft.cwd = readCwd(value, scope);
      if (draft.cwd !== undefined) draft.fields |= FIELD_BITS.cwd;
      return;
    case 'env':
      draft.env = readEnv(value, scope);
      draft.fields |= FIELD_BITS.env;
      return;
    case 'timeout':
    case 'timeoutSec':
      draft[key] = readTimeout(key, value, scope);
      draft.fields |= FIELD_BITS.timeoutSec;
      return;
    case 'loop_limit':
      draft.loopLimit = readLoopLimit(value, scope);
      draft.fields |= FIELD_BITS.loop_limit;
      return;
    case 'failClosed':
      draft.failClosed = readFailClosed(value, scope);
      draft.fields |= FIELD_BITS.failClosed;
      return;
    default:
      scope.report(
        'HOOK_FIELD_UNKNOWN',
        key,
        `a command handler has no field '${shorten(key)}'; it is left out.${didYouMean(nearest(key, COMMAND_KEYS))}`,
      );
  }
};

/** A wrong type next to a good command loses one platform's command only, so it is a warning. */
const readCommandText = (key: string, value: unknown, scope: HandlerScope): string | undefined => {
  if (typeof value === 'string') return notBlank(value);
  scope.report(
    'HOOK_COMMAND_FIELD_IGNORED',
    key,
    `${key} is ${describe(value)} and is left out. Write it as a string.`,
  );
  return undefined;
};

const notBlank = (text: string): string | undefined => {
  const trimmed = text.trim();
  return trimmed === '' ? undefined : trimmed;
};

const PLAIN_MATCHER = /^[\w |,:-]+$/; // names and alternatives: always a valid expression, so none is compiled

const readMatcher = (value: unknown, scope: HandlerScope): string | undefined => {
  if (typeof value !== 'string') {
    scope.report('HOOK_FIELD_INVALID', 'matcher', `matcher is ${describe(value)}. Write it as a string.`);
    return undefined;
  }
  const matcher = value.trim();
  if (matcher === '' || matcher === '*') return undefined;
  if (PLAIN_MATCHER.test(matcher) || isRegularExpression(matcher)) return matcher;
  scope.report(
    'HOOK_MATCHER_INVALID',
    'matcher',
    `matcher is ${describe(matcher)}, which is no regular expression. Correct it, or escape its special characters with a backslash.`,
  );
  return undefined;
};

const isRegularExpression = (pattern: string): boolean => {
  try {
    void new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
};

const readCwd = (value: unknown, scope: HandlerScope): string | undefined => {
  if (typeof value === 'string') return notBlank(value);
  scope.report('HOOK_FIELD_INVALID', 'cwd', `cwd is ${describe(value)}. Write it as a string.`);
  return undefined;
};

const readEnv = (value: unknown, scope: HandlerScope): Readonly<Record<string, string>> | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    scope.report(
      'HOOK_ENV_INVALID',
      'env',
      `env is ${describe(value)}. Write an object from name to string, such as {"MY_VAR": "value"}.`,
    );
    return undefined;
  }
  const env = value as Record<string, unknown>;
  const wrong = Object.keys(env).find((name) => typeof env[name] !== 'string');
  if (wrong === undefined) return env as Record<string, string>;
  scope.report(
    'HOOK_ENV_INVALID',
    'env',
    `env.${shorten(wrong)} is ${describe(env[wrong])}. Write every value as a string.`,
  );
  return undefined;
};

const LONGEST_TIMEOUT_SECONDS = 3600; // beyond an hour somebody most likely meant milliseconds

const readTimeout = (key: string, value: unknown, scope: HandlerScope): number | undefined => {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    scope.report(
      'HOOK_TIMEOUT_INVALID',
      key,
      `${key} is ${describe(value)}. Write a number of seconds above 0, such as 15.`,
    );
    return undefined;
  }
  if (value > LONGEST_TIMEOUT_SECONDS) {
    scope.report(
      'HOOK_TIMEOUT_SUSPICIOUS',
      key,
      `${key} is ${value} seconds, more than an hour. Milliseconds? Write ${value / 1000} then.`,
    );
  }
  return value;
};

const readLoopLimit = (value: unknown, scope: HandlerScope): number | null | undefined => {
  if (value === null || (Number.isInteger(value) && (value as number) > 0)) return value as number | null;
  scope.report(
    'HOOK_FIELD_INVALID',
    'loop_limit',
    `loop_limit is ${describe(value)}. Write a whole number above 0, or null for no limit.`,
  );
  return undefined;
};

const readFailClosed = (value: unknown, scope: HandlerScope): boolean | undefined => {
  if (typeof value === 'boolean') return value;
  scope.report('HOOK_FIELD_INVALID', 'failClosed', `failClosed is ${describe(value)}. Write true or false.`);
  return undefined;
};

/** One handler of the canonical document: raw JSON value → checked handler, or findings. */
import { describe, handlerPointer, pointerStep } from './diagnostic.ts';
import type { Findings, Place } from './diagnostic.ts';
import type { DiagnosticCode } from './diagnostic-table.ts';
import type { CanonicalEvent } from './events.ts';
import { newCommandDraft, readCommandField } from './command-fields.ts';
import type { CommandHandler, Handler, NotifyHandler } from './model.ts';
import { didYouMean, nearest } from './suggestion.ts';

/** A handler's place; one object per hook, moved along, since nearly every handler is fine. */
export class HandlerScope {
  readonly entityId: string;
  readonly findings: Findings;
  event: CanonicalEvent = 'session_start';
  index = 0;

  constructor(entityId: string, findings: Findings) {
    this.entityId = entityId;
    this.findings = findings;
  }

  report(code: DiagnosticCode, field: string | undefined, text: string): void {
    this.findings.report(code, this.place(field), text);
  }

  place(field?: string): Place {
    const pointer = handlerPointer(this.event, this.index);
    return {
      entityId: this.entityId,
      event: this.event,
      handler: this.index,
      pointer: field === undefined ? pointer : pointer + pointerStep(field),
    };
  }
}

type Raw = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const parseHandler = (value: unknown, scope: HandlerScope): Handler | undefined => {
  if (!isObject(value)) {
    scope.report(
      'HOOK_HANDLER_INVALID',
      undefined,
      `a handler is an object, but this is ${describe(value)}. Write {"type": "command", "command": "…"}.`,
    );
    return undefined;
  }
  const type = Object.hasOwn(value, 'type') ? value['type'] : undefined;
  if (type === 'command') return parseCommand(value, scope);
  if (type === 'notify') return parseNotify(value, scope);
  scope.report(
    'HOOK_HANDLER_TYPE_INVALID',
    type === undefined ? undefined : 'type',
    `type is ${describe(type)}. Write "command" or "notify".`,
  );
  return undefined;
};

const parseCommand = (raw: Raw, scope: HandlerScope): CommandHandler | undefined => {
  const errorsBefore = scope.findings.errorCount;
  const draft = newCommandDraft();
  for (const key of Object.keys(raw)) readCommandField(draft, key, raw[key], scope);
  const { command, bash, linux, osx, powershell, windows, timeout, timeoutSec } = draft;
  const shell = command ?? bash ?? linux ?? osx ?? powershell ?? windows;
  if (shell === undefined) {
    scope.report(
      'HOOK_COMMAND_MISSING',
      undefined,
      'no command was found. Give at least one of command, bash, linux, osx, windows, powershell as a string that is not blank.',
    );
  }
  if (timeout !== undefined && timeoutSec !== undefined && timeout !== timeoutSec) {
    scope.report(
      'HOOK_TIMEOUT_DIFFERS',
      'timeout',
      `timeout is ${timeout} and timeoutSec is ${timeoutSec}. Keep timeoutSec alone, or providers get different limits.`,
    );
  }
  if (shell === undefined || scope.findings.errorCount > errorsBefore) return undefined;
  const copilotBash = bash ?? linux ?? osx ?? command;
  if (copilotBash === undefined) warnPowershellOnly(scope);
  return {
    type: 'command',
    index: scope.index,
    shell,
    bash: copilotBash,
    powershell: powershell ?? windows ?? command,
    matcher: draft.matcher,
    cwd: draft.cwd,
    env: draft.env,
    timeout: timeout ?? timeoutSec,
    timeoutSec: timeoutSec ?? timeout,
    loopLimit: draft.loopLimit,
    failClosed: draft.failClosed,
    fields: draft.fields,
  };
};

const warnPowershellOnly = (scope: HandlerScope): void =>
  scope.report(
    'HOOK_POWERSHELL_ONLY',
    undefined,
    'there is only a Windows command. Copilot’s cloud agent skips it, and Claude Code, Codex and Cursor run it in their own shell. Add bash or command.',
  );

const NOTIFY_KEYS = ['type', 'event', 'command'] as const;

const parseNotify = (raw: Raw, scope: HandlerScope): NotifyHandler | undefined => {
  const errorsBefore = scope.findings.errorCount;
  for (const key of Object.keys(raw)) readNotifyField(key, raw[key], scope);
  if (!Object.hasOwn(raw, 'command')) reportNotifyCommand(undefined, scope);
  if (scope.findings.errorCount > errorsBefore) return undefined;
  return { type: 'notify', index: scope.index, argv: notifyArgv(raw['command']) as readonly string[] };
};

const readNotifyField = (key: string, value: unknown, scope: HandlerScope): void => {
  switch (key) {
    case 'type':
    case '$schema':
    case 'description':
      return;
    case 'command':
      if (notifyArgv(value) === undefined) reportNotifyCommand(value, scope);
      return;
    case 'event':
      if (value !== 'agent-turn-complete') {
        scope.report(
          'HOOK_NOTIFY_EVENT_INVALID',
          'event',
          `event is ${describe(value)}. Write "agent-turn-complete", the only value, or leave it out.`,
        );
      }
      return;
    case 'matcher':
      if (!isBlankMatcher(value)) {
        scope.report(
          'HOOK_NOTIFY_MATCHER_UNSUPPORTED',
          'matcher',
          `a notify handler takes no matcher, but this one has ${describe(value)}. Remove it.`,
        );
      }
      return;
    default:
      scope.report(
        'HOOK_FIELD_UNKNOWN',
        key,
        `a notify handler has no field '${key}'; it is left out.${didYouMean(nearest(key, NOTIFY_KEYS))}`,
      );
  }
};

const isBlankMatcher = (value: unknown): boolean =>
  typeof value === 'string' && (value.trim() === '' || value.trim() === '*');

const reportNotifyCommand = (value: unknown, scope: HandlerScope): void =>
  scope.report(
    'HOOK_NOTIFY_COMMAND_INVALID',
    value === undefined ? undefined : 'command',
    `command is ${describe(value)}. Write a string that is not blank, or a list of strings that starts with the program.`,
  );

/** A string runs in a login shell; a list is the program and its arguments, byte for byte. */
const notifyArgv = (value: unknown): readonly string[] | undefined => {
  if (typeof value === 'string') return value.trim() === '' ? undefined : shellArgv(value.trim());
  if (!Array.isArray(value) || !value.every((part): part is string => typeof part === 'string'))
    return undefined;
  return value.length > 0 && value[0]?.trim() !== '' ? value : undefined;
};

export const shellArgv = (command: string): readonly string[] => ['sh', '-lc', command];

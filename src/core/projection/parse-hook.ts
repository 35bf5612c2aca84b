/** The canonical document of one hook: `mode`, `events` and what else lies at the top. */
import { describe, pointerStep, shorten } from './diagnostic.ts';
import type { Findings } from './diagnostic.ts';
import { CANONICAL_EVENTS, canonicalOfNative, eventNumber } from './events.ts';
import type { CanonicalEvent } from './events.ts';
import type { Handler, HookEvent, Mode } from './model.ts';
import { HandlerScope, isObject, parseHandler } from './parse-handler.ts';
import { didYouMean, nearest } from './suggestion.ts';

export interface ParsedDocument {
  mode: Mode | undefined;
  events: readonly HookEvent[];
}

/** Never throws. What is wrong goes into `findings`, in document order; what is right comes back all the same. */
export const parseDocument = (entityId: string, document: unknown, findings: Findings): ParsedDocument => {
  const parsed: ParsedDocument = { mode: 'strict', events: [] };
  if (!isObject(document)) {
    const text = `the document is ${describe(document)}. Write a JSON object with "mode" and "events".`;
    findings.report('HOOK_JSON_INVALID', { entityId, pointer: '' }, text);
    return parsed;
  }
  for (const key of Object.keys(document)) readTopLevel(parsed, key, document[key], entityId, findings);
  if (!Object.hasOwn(document, 'events')) reportEvents(undefined, entityId, findings);
  return parsed;
};

const TOP_LEVEL_KEYS = ['mode', 'events', '$schema', 'description'] as const;

const readTopLevel = (
  parsed: ParsedDocument,
  key: string,
  value: unknown,
  entityId: string,
  findings: Findings,
): void => {
  switch (key) {
    case 'mode':
      parsed.mode = readMode(value, entityId, findings);
      return;
    case 'events':
      parsed.events = readEvents(value, entityId, findings);
      return;
    case '$schema':
    case 'description':
      return;
    default: {
      const meant = key === 'hooks' ? 'events' : nearest(key, TOP_LEVEL_KEYS);
      const text = `a hook has no field '${shorten(key)}'; it is left out.${didYouMean(meant)}`;
      findings.report('HOOK_FIELD_UNKNOWN', { entityId, pointer: pointerStep(key) }, text);
    }
  }
};

const readMode = (value: unknown, entityId: string, findings: Findings): Mode | undefined => {
  if (value === 'strict' || value === 'best_effort') return value;
  findings.report(
    'HOOK_MODE_INVALID',
    { entityId, pointer: '/mode' },
    `mode is ${describe(value)}. Write "strict" or "best_effort", or leave it out for "strict".`,
  );
  return undefined;
};

const reportEvents = (value: unknown, entityId: string, findings: Findings): void =>
  findings.report(
    'HOOK_EVENTS_INVALID',
    { entityId, pointer: value === undefined ? '' : '/events' },
    `events is ${describe(value)}. Write an object from event name to a list of handlers.`,
  );

const readEvents = (value: unknown, entityId: string, findings: Findings): HookEvent[] => {
  if (!isObject(value)) {
    reportEvents(value, entityId, findings);
    return [];
  }
  const scope = new HandlerScope(entityId, findings);
  const events: HookEvent[] = [];
  for (const name of Object.keys(value)) {
    const number = eventNumber(name);
    if (number === undefined) {
      reportUnknownEvent(name, entityId, findings);
      continue;
    }
    scope.event = name as CanonicalEvent;
    events.push({ event: scope.event, number, handlers: readHandlers(value[name], scope) });
  }
  return events;
};

const reportUnknownEvent = (name: string, entityId: string, findings: Findings): void => {
  const meant = canonicalOfNative(name) ?? nearest(name, CANONICAL_EVENTS);
  findings.report(
    'HOOK_EVENT_UNKNOWN',
    { entityId, event: name, pointer: `/events${pointerStep(name)}` },
    `'${shorten(name)}' is no canonical event.${didYouMean(meant)} The list: ${CANONICAL_EVENTS.join(', ')}.`,
  );
};

const readHandlers = (value: unknown, scope: HandlerScope): Handler[] => {
  const handlers: Handler[] = [];
  if (!Array.isArray(value)) {
    const { entityId, event } = scope;
    const text = `the value of an event is a list of handlers, but this is ${describe(value)}. Write [ … ].`;
    scope.findings.report(
      'HOOK_EVENT_INVALID',
      { entityId, event, pointer: `/events${pointerStep(event)}` },
      text,
    );
    return handlers;
  }
  for (let index = 0; index < value.length; index += 1) {
    scope.index = index;
    const handler = parseHandler(value[index], scope);
    if (handler !== undefined) handlers.push(handler);
  }
  return handlers;
};

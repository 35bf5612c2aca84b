/** How a fault is reported: one place builds the diagnostic and the words that say where it is. */
import type { Diagnostic } from '../failure.ts';
import { DIAGNOSTICS } from './diagnostic-table.ts';
import type { DiagnosticCode } from './diagnostic-table.ts';
import type { Provider } from './events.ts';

export interface HookDiagnostic extends Diagnostic {
  code: DiagnosticCode;
  entityId?: string;
  provider?: Provider;
  event?: string;
  /** Place in the event's list, from 0, as in `pointer`; messages count from 1. */
  handler?: number;
  /** RFC 6901, into the hook document or, when `provider` is given too, possibly into its override file. */
  pointer?: string;
}

/** Where the fault is. Fields that do not apply stay away. */
export interface Place {
  entityId?: string | undefined;
  provider?: Provider | undefined;
  event?: string | undefined;
  handler?: number | undefined;
  pointer?: string | undefined;
  line?: number | undefined;
  column?: number | undefined;
}

export class Findings {
  readonly list: HookDiagnostic[] = [];
  errorCount = 0;

  report(code: DiagnosticCode, place: Place, text: string): void {
    const { severity } = DIAGNOSTICS[code];
    if (severity === 'error') this.errorCount += 1;
    this.list.push(addPlace({ code, severity, message: subject(place) + text }, place));
  }
}

const subject = ({ entityId, event, handler }: Place): string => {
  if (entityId === undefined) return '';
  const inEvent = event === undefined ? '' : `, event '${event}'`;
  const inHandler = handler === undefined ? '' : `, handler #${handler + 1}`;
  return `Hook '${entityId}'${inEvent}${inHandler}: `;
};

const addPlace = (finding: HookDiagnostic, place: Place): HookDiagnostic => {
  const { entityId, provider, event, handler, pointer, line, column } = place;
  if (entityId !== undefined) finding.entityId = entityId;
  if (provider !== undefined) finding.provider = provider;
  if (event !== undefined) finding.event = event;
  if (handler !== undefined) finding.handler = handler;
  if (pointer !== undefined) finding.pointer = pointer;
  if (line !== undefined) finding.line = line;
  if (column !== undefined) finding.column = column;
  return finding;
};

const SHOWN_CHARACTERS = 60; // enough to recognise a value, too little to flood a terminal

/** What was found, in words: `"15" (a string)`, `null`, `an array`. */
export const describe = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'string') return `${JSON.stringify(shorten(value))} (a string)`;
  if (typeof value === 'number') return `${value} (a number)`;
  if (value === null || typeof value === 'boolean') return `${value}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

export const shorten = (text: string): string =>
  text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;

/** One step of a JSON Pointer. */
export const pointerStep = (key: string): string =>
  `/${SPECIAL_IN_POINTER.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key}`;

const SPECIAL_IN_POINTER = /[~/]/;

/** Pointer to a handler of a canonical event, whose name needs no escape. */
export const handlerPointer = (event: string, index: number): string => `/events/${event}/${index}`;

/** Whether a provider takes a handler, by the capability table: taken, skipped (`best_effort`) or an error (`strict`). */
import { CAPABILITIES } from './capabilities.ts';
import type { Capability } from './capabilities.ts';
import { handlerPointer, shorten } from './diagnostic.ts';
import type { Findings, Place } from './diagnostic.ts';
import { CANONICAL_EVENTS } from './events.ts';
import type { Provider } from './events.ts';
import { fieldMask, fieldsIn } from './field-bits.ts';
import type { CommandHandler, Handler, Hook, HookEvent, Skipped } from './model.ts';

/** The capability of one provider, laid out for one look-up per handler. */
export interface Admission {
  readonly capability: Capability;
  readonly provider: Provider;
  /** By number of the canonical event. */
  readonly natives: readonly (string | undefined)[];
  readonly matchers: readonly boolean[];
  readonly eventRefusals: readonly string[];
  readonly refusedFields: number;
  readonly ignoredFields: number;
  readonly takesNotify: boolean;
}

const buildAdmission = (capability: Capability): Admission => {
  const rows = CANONICAL_EVENTS.map((event) => capability.events.find((row) => row.event === event));
  return {
    capability,
    provider: capability.provider,
    natives: rows.map((row) => row?.native),
    matchers: rows.map((row) => row?.matcher ?? false),
    eventRefusals: CANONICAL_EVENTS.map((event) => `${capability.name} has no ${event} event`),
    refusedFields: fieldMask(capability.fields, 'refused'),
    ignoredFields: fieldMask(capability.fields, 'ignored'),
    takesNotify: capability.handlerTypes.includes('notify'),
  };
};

export const ADMISSIONS: readonly Admission[] = CAPABILITIES.map(buildAdmission);

/** What the answers of one projection go to. */
export interface Verdicts {
  readonly findings: Findings;
  readonly skipped: Skipped[];
}

/** The handler as it goes to the provider; nothing when it does not go there. */
export const admit = (
  admission: Admission,
  hook: Hook,
  block: HookEvent,
  handler: Handler,
  verdicts: Verdicts,
): Handler | undefined => {
  const refusal = refusalOf(admission, block, handler);
  if (refusal !== undefined) return refuse(admission, hook, block, handler, refusal, verdicts);
  if (handler.type === 'notify') return handler;
  const admitted =
    handler.matcher === undefined || admission.matchers[block.number] === true
      ? handler
      : withoutMatcher(admission, hook, block, handler, verdicts);
  if ((handler.fields & admission.ignoredFields) !== 0)
    warnIgnored(admission, hook, block, handler, verdicts);
  return admitted;
};

interface Refusal {
  /** The end of "so … is not written", as a sentence of its own. */
  why: string;
  field?: string;
}

const refusalOf = (admission: Admission, block: HookEvent, handler: Handler): Refusal | undefined => {
  if (admission.natives[block.number] === undefined)
    return { why: admission.eventRefusals[block.number] ?? '' };
  const { name } = admission.capability;
  if (handler.type === 'notify') {
    return admission.takesNotify ? undefined : { why: `${name} takes no notify handlers`, field: 'type' };
  }
  const refused = handler.fields & admission.refusedFields;
  if (refused === 0) return undefined;
  const fields = fieldsIn(refused);
  return { why: `${name} takes no ${fields.join(' and no ')} on a handler`, field: fields[0] as string };
};

const refuse = (
  { provider }: Admission,
  hook: Hook,
  { event }: HookEvent,
  handler: Handler,
  { why, field }: Refusal,
  { findings, skipped }: Verdicts,
): undefined => {
  if (hook.mode === 'best_effort') {
    skipped.push({ entityId: hook.id, provider, event, handler: handler.index, why });
  } else if (hook.mode === 'strict') {
    const text = `${why}. Set "mode": "best_effort" to skip it there, move it to a hook of its own, or disable ${provider} for this hook by an override.`;
    findings.report('HOOK_EVENT_UNSUPPORTED', placeOf(provider, hook, event, handler, field), text);
  }
};

const placeOf = (
  provider: Provider,
  hook: Hook,
  event: string,
  handler: Handler,
  field: string | undefined,
): Place => ({
  entityId: hook.id,
  provider,
  event,
  handler: handler.index,
  pointer: handlerPointer(event, handler.index) + (field === undefined ? '' : `/${field}`),
});

/** In strict mode a matcher that has no effect is an error: the handler would run more often than meant. */
const withoutMatcher = (
  { capability, provider }: Admission,
  hook: Hook,
  block: HookEvent,
  handler: CommandHandler,
  { findings }: Verdicts,
): Handler | undefined => {
  const shown = JSON.stringify(shorten(handler.matcher as string));
  const place = placeOf(provider, hook, block.event, handler, 'matcher');
  const why = `${capability.name} takes no matcher on ${block.event}`;
  if (hook.mode === 'strict') {
    const text = `${why}, so ${shown} has no effect. Remove it, set "mode": "best_effort" to run the handler every time there, or disable ${provider} for this hook by an override.`;
    findings.report('HOOK_EVENT_UNSUPPORTED', place, text);
    return undefined;
  }
  const text = `${why}, so ${shown} is ignored and the handler now runs every time there. Let the script check for itself.`;
  if (hook.mode === 'best_effort') findings.report('HOOK_MATCHER_IGNORED', place, text);
  return { ...handler, matcher: undefined };
};

const warnIgnored = (
  { capability, ignoredFields, provider }: Admission,
  hook: Hook,
  { event }: HookEvent,
  handler: CommandHandler,
  { findings }: Verdicts,
): void => {
  for (const field of fieldsIn(handler.fields & ignoredFields)) {
    const text = `${capability.name} does not act on ${field}. ${REMEDIES[field]}`;
    findings.report('HOOK_FIELD_IGNORED_BY_PROVIDER', placeOf(provider, hook, event, handler, field), text);
  }
};

const REMEDIES = {
  cwd: 'Write it into the command: cd dir && command.',
  env: 'Write it into the command: NAME=value command.',
  timeoutSec: 'Let the command limit itself, with timeout(1) for instance.',
  loop_limit: 'Only Cursor knows it.',
  failClosed: 'Only Cursor knows it.',
} as const;

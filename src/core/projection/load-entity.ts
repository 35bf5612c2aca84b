/** Entities as they are handed in → checked hooks in byte order of their ids, with all findings. */
import { describe, shorten } from './diagnostic.ts';
import type { Findings } from './diagnostic.ts';
import { isProvider } from './capabilities.ts';
import { PROVIDERS } from './events.ts';
import type { Provider } from './events.ts';
import type { Hook, HookEntity, Override } from './model.ts';
import { parseDocument } from './parse-hook.ts';
import { isObject } from './parse-handler.ts';
import { parseOverride } from './parse-override.ts';
import type { KnownTexts } from './parse-override.ts';
import { parseJsonText, positionAt, withoutByteOrderMark } from './source-text.ts';
import { didYouMean, nearest } from './suggestion.ts';

const ID = /^[a-zA-Z0-9._-]+$/;

export const isHookId = (id: unknown): id is string =>
  typeof id === 'string' && ID.test(id) && id !== '.' && id !== '..';

export const loadEntities = (entities: readonly HookEntity[], findings: Findings): Hook[] => {
  const hooks: Hook[] = [];
  const known: KnownTexts = new Map();
  let previous: string | undefined;
  for (const entity of entities.toSorted(byId)) {
    if (!checkId(entity.id, previous, findings)) continue;
    previous = entity.id;
    hooks.push(loadEntity(entity, findings, known));
  }
  return hooks;
};

/** Ids are ASCII, so code units are bytes. The order must not depend on a locale. */
const byId = (a: HookEntity, b: HookEntity): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const checkId = (id: unknown, previous: string | undefined, findings: Findings): id is string => {
  if (!isHookId(id)) {
    const text = `a hook's id is ${describe(id)}. Use letters, digits, '.', '_' and '-'; not '.' or '..' alone.`;
    findings.report('HOOK_ID_INVALID', typeof id === 'string' ? { entityId: shorten(id) } : {}, text);
    return false;
  }
  if (id === previous) {
    findings.report(
      'HOOK_ID_DUPLICATE',
      { entityId: id },
      'there are two hooks with this id. Rename one of them.',
    );
    return false;
  }
  return true;
};

const loadEntity = (entity: HookEntity, findings: Findings, known: KnownTexts): Hook => {
  const document =
    entity.source === undefined ? entity.document : readSource(entity.id, entity.source, findings);
  const parsed =
    document === BROKEN ? { mode: undefined, events: [] } : parseDocument(entity.id, document, findings);
  return { id: entity.id, ...parsed, overrides: readOverrides(entity, findings, known) };
};

const BROKEN: unique symbol = Symbol('broken');

const readSource = (entityId: string, source: string, findings: Findings): unknown => {
  const text = withoutByteOrderMark(source);
  const json = parseJsonText(text);
  if (json.ok) return json.value;
  const place = { entityId, ...positionAt(text, json.error.offset) };
  findings.report(
    'HOOK_JSON_INVALID',
    place,
    `the source is not valid JSON, line ${place.line}, column ${place.column}: ${json.error.text}.`,
  );
  return BROKEN;
};

const NO_OVERRIDES: ReadonlyMap<Provider, Override> = new Map();

const readOverrides = (
  entity: HookEntity,
  findings: Findings,
  known: KnownTexts,
): ReadonlyMap<Provider, Override> => {
  if (entity.overrides === undefined) return NO_OVERRIDES;
  const overrides = new Map<Provider, Override>();
  if (!isObject(entity.overrides)) {
    const text = `overrides is ${describe(entity.overrides)}. Write an object from provider to override.`;
    findings.report('HOOK_OVERRIDE_INVALID', { entityId: entity.id }, text);
    return overrides;
  }
  for (const name of Object.keys(entity.overrides)) {
    const override = readOverride(entity.id, name, entity.overrides[name], findings, known);
    if (override !== undefined) overrides.set(name as Provider, override);
  }
  return overrides;
};

const readOverride = (
  entityId: string,
  name: string,
  input: unknown,
  findings: Findings,
  known: KnownTexts,
): Override | undefined => {
  if (isProvider(name)) return parseOverride(entityId, name, input, findings, known);
  findings.report(
    'HOOK_OVERRIDE_INVALID',
    { entityId },
    `there is an override for the unknown provider '${shorten(name)}'.${didYouMean(nearest(name, PROVIDERS))} The providers are ${PROVIDERS.join(', ')}.`,
  );
  return undefined;
};

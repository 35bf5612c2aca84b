/**
 * Our hook entries in a JSON file that people own. Ours are known by the hash of their content; they are changed in place,
 * added after everybody else's and taken out alone. Keys that we made go when nothing is left in them.
 */
import type { Node } from 'jsonc-parser';
import type { NativeHooks } from '../core/projection/native.ts';
import type { JsonValue } from '../core/projection/print-json.ts';
import type { Result } from '../core/result.ts';
import { ok } from '../core/result.ts';
import type { CliDiagnostic } from './cli-diagnostic.ts';
import { appendTo, applyEdits, detectStyle, removeFrom, replaceNode } from './json-edit.ts';
import type { Edit } from './json-edit.ts';
import { compactJson, keyOf, parseTarget, propertyOf, valueOf } from './json-target.ts';
import type { JsonTarget } from './json-target.ts';
import { hashOf } from './managed-index.ts';
import type { OwnedEntry } from './managed-index.ts';

export interface MergeRequest {
  path: string;
  /** Without byte order mark. */
  text: string;
  desired: NativeHooks;
  /** Whether the provider refuses a file without `version`. */
  wantsVersion: boolean;
  owned: readonly OwnedEntry[];
  madeKeys: readonly string[];
  /** Last word on the text of what is added. */
  transform: (json: string) => string;
}

export interface Merged {
  text: string;
  entries: OwnedEntry[];
  madeKeys: string[];
  /** Owned entries that somebody changed or removed. */
  lost: OwnedEntry[];
}

export const mergeHooks = (request: MergeRequest): Result<Merged, CliDiagnostic> => {
  const before = parseTarget(request.path, request.text);
  if (!before.ok) return before;
  const changes = planChanges(before.value, request);
  const reduced = applyEdits(request.text, reductions(before.value, changes, request));
  const after = reduced === request.text ? before : parseTarget(request.path, reduced);
  if (!after.ok) return after;
  const text = applyEdits(reduced, additions(after.value, reduced, changes, request));
  return ok({
    text,
    entries: changes.flatMap(({ event, wanted }) => wanted.map((value) => ownedEntry(event, value))),
    madeKeys: madeKeys(before.value, changes, request),
    lost: changes.flatMap(({ lost }) => lost),
  });
};

/** What becomes of the entries of one event. */
interface EventChange {
  event: string;
  array: Node | undefined;
  /** Ours in the file, in order. */
  mine: Node[];
  /** What is to be ours in the file, in order; identical entries of somebody else are left out. */
  wanted: readonly JsonValue[];
  lost: OwnedEntry[];
}

const planChanges = ({ hooks }: JsonTarget, { desired, owned }: MergeRequest): EventChange[] => {
  const events = new Set([...Object.keys(desired), ...owned.map(({ event }) => event)]);
  return Array.from(events, (event) => {
    const array = hooks && valueOf(hooks, event);
    return planEvent(
      event,
      array,
      Object.hasOwn(desired, event) ? (desired[event] ?? []) : [],
      owned.filter((entry) => entry.event === event),
    );
  });
};

const planEvent = (
  event: string,
  array: Node | undefined,
  desired: readonly JsonValue[],
  owned: readonly OwnedEntry[],
): EventChange => {
  const items = (array?.children ?? []).map((node) => ({ node, hash: hashOf(compactJson(node)) }));
  const open = [...owned];
  const mine: Node[] = [];
  // From the end: ours were added last, so of two equal entries the later one is ours.
  for (const { node, hash } of items.toReversed()) {
    const place = open.findIndex((entry) => entry.hash === hash);
    if (place === -1) continue;
    open.splice(place, 1);
    mine.unshift(node);
  }
  const others = new Set(items.filter(({ node }) => !mine.includes(node)).map(({ hash }) => hash));
  const wanted = desired.filter((value) => !others.has(hashOf(JSON.stringify(value))));
  return { event, array, mine, wanted, lost: open };
};

const ownedEntry = (event: string, value: JsonValue): OwnedEntry => ({
  event,
  hash: hashOf(JSON.stringify(value)),
});

/** Replacements in place, and everything that goes. */
const reductions = (target: JsonTarget, changes: readonly EventChange[], request: MergeRequest): Edit[] => {
  const { root, hooks } = target;
  if (hooks === undefined) return [];
  const emptyEvents = changes.filter(
    (change) => isEmptied(change) && request.madeKeys.includes(change.event),
  );
  const left = (hooks.children?.length ?? 0) - emptyEvents.length;
  const hooksGo = left === 0 && emptyEvents.length > 0 && changes.every(({ wanted }) => wanted.length === 0);
  if (hooksGo && request.madeKeys.includes('hooks'))
    return removeFrom(request.text, root, madeProperties(root, request));
  const gone = new Set(emptyEvents.map(({ event }) => propertyOf(hooks, event) as Node));
  return [
    ...(gone.size === 0 ? [] : removeFrom(request.text, hooks, gone)),
    ...changes
      .filter((change) => !emptyEvents.includes(change))
      .flatMap((change) => changeEdits(change, request, root)),
  ];
};

const isEmptied = ({ array, mine, wanted }: EventChange): boolean =>
  array !== undefined &&
  wanted.length === 0 &&
  mine.length > 0 &&
  mine.length === (array.children?.length ?? 0);

const madeProperties = (root: Node, { madeKeys: made }: MergeRequest): Set<Node> =>
  new Set(
    ['hooks', 'version']
      .filter((key) => made.includes(key))
      .map((key) => propertyOf(root, key))
      .filter((property) => property !== undefined),
  );

const changeEdits = ({ array, mine, wanted }: EventChange, request: MergeRequest, root: Node): Edit[] => {
  if (array === undefined) return [];
  const { text, transform } = request;
  const edits: Edit[] = [];
  for (const [place, node] of mine.slice(0, wanted.length).entries()) {
    const value = wanted[place] as JsonValue;
    if (compactJson(node) === JSON.stringify(value)) continue;
    edits.push(replaceNode(text, node, value, detectStyle(text, root), transform));
  }
  const surplus = mine.slice(wanted.length);
  return surplus.length === 0 ? edits : [...edits, ...removeFrom(text, array, new Set(surplus))];
};

/** What is new, after everything that is there. `target` is the file without what went. */
const additions = (
  { root, hooks }: JsonTarget,
  text: string,
  changes: readonly EventChange[],
  { wantsVersion, transform }: MergeRequest,
): Edit[] => {
  const growing = changes.filter(({ mine, wanted }) => wanted.length > mine.length);
  if (growing.length === 0 && !changes.some(({ wanted }) => wanted.length > 0)) return [];
  const style = detectStyle(text, root);
  const version =
    wantsVersion && valueOf(root, 'version') === undefined ? [{ key: 'version', value: 1 }] : [];
  if (hooks === undefined) {
    const value = Object.fromEntries(growing.map(({ event, wanted }) => [event, wanted]));
    const added = growing.length === 0 ? version : [...version, { key: 'hooks', value }];
    return appendTo(text, root, added, style, transform);
  }
  const fresh = growing.filter(({ event }) => valueOf(hooks, event) === undefined);
  const newEvents = fresh.map(({ event, wanted }) => ({ key: event, value: wanted }));
  const longer = growing.filter((change) => !fresh.includes(change));
  return [
    ...appendTo(text, root, version, style, transform),
    ...appendTo(text, hooks, newEvents, style, transform),
    ...longer.flatMap(({ event, mine, wanted }) => {
      const more = wanted.slice(mine.length).map((value) => ({ value }));
      return appendTo(text, valueOf(hooks, event) as Node, more, style, transform);
    }),
  ];
};

/** Keys that were not there and that now hold something of ours. */
const madeKeys = (
  { root, hooks }: JsonTarget,
  changes: readonly EventChange[],
  request: MergeRequest,
): string[] => {
  const used = changes.filter(({ wanted }) => wanted.length > 0).map(({ event }) => event);
  if (used.length === 0) return [];
  const candidates = [...(request.wantsVersion ? ['version'] : []), 'hooks', ...used];
  const present = new Set([
    ...(root.children ?? []).map(keyOf).filter((key) => key === 'version' || key === 'hooks'),
    ...(hooks?.children ?? []).map(keyOf),
  ]);
  return candidates.filter((key) => !present.has(key) || request.madeKeys.includes(key));
};

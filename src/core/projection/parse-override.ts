/** A side-car `<hook-id>.overrides.<provider>.yaml`: its text or content → where the provider's part of the hook goes. */
import { isAlias, isMap, isScalar, parseDocument } from 'yaml';
import type { Document, Node, Pair } from 'yaml';
import { describe, pointerStep, shorten } from './diagnostic.ts';
import type { Findings, Place } from './diagnostic.ts';
import type { Provider } from './events.ts';
import type { Override } from './model.ts';
import { isObject } from './parse-handler.ts';
import { positionAt, withoutByteOrderMark } from './source-text.ts';
import { didYouMean, nearest } from './suggestion.ts';
import { parseTargetPath } from './target-path.ts';

/** The content as pairs, with the offsets of a text if there is one. */
interface Entry {
  key: unknown;
  value: unknown;
  keyOffset: number | undefined;
  valueOffset: number | undefined;
}

/** Side-cars of many hooks hold the same text, since one provider has one target: each text is parsed once. */
export type KnownTexts = Map<string, readonly unknown[]>;

interface Report {
  (text: string, where?: { pointer?: string; offset?: number | undefined }): void;
}

/** `undefined` means that findings say why. */
export const parseOverride = (
  entityId: string,
  provider: Provider,
  input: unknown,
  findings: Findings,
  known: KnownTexts,
): Override | undefined => {
  const text = typeof input === 'string' ? withoutByteOrderMark(input) : undefined;
  const report: Report = (message, { pointer = '', offset = 0 } = {}) => {
    const place: Place = { entityId, provider, pointer };
    const position = text === undefined ? {} : positionAt(text, offset);
    findings.report(
      'HOOK_OVERRIDE_INVALID',
      { ...place, ...position },
      `the override for ${provider} is not valid: ${message}`,
    );
  };
  const entries = text === undefined ? entriesOfObject(input, report) : entriesOfText(text, report, known);
  return entries === undefined ? undefined : readEntries(entries, report);
};

const entriesOfObject = (input: unknown, report: Report): Entry[] | undefined => {
  if (!isObject(input)) {
    report(`it is ${describe(input)}. Write an object, such as {"version": 1}.`);
    return undefined;
  }
  return Object.keys(input).map((key) => ({
    key,
    value: input[key],
    keyOffset: undefined,
    valueOffset: undefined,
  }));
};

const entriesOfText = (text: string, report: Report, known: KnownTexts): readonly Entry[] | undefined => {
  const before = known.get(text) as readonly Entry[] | undefined;
  const entries = before ?? entriesOfYaml(text, report);
  if (entries !== undefined) known.set(text, entries);
  return entries;
};

const entriesOfYaml = (text: string, report: Report): Entry[] | undefined => {
  const document = parseYaml(text);
  const fault = document?.errors[0];
  if (document === undefined || fault !== undefined) {
    const reason = fault?.message.split('\n')[0] ?? 'it is nested too deeply';
    report(`it is no YAML (${reason}). Write version: 1 on the first line.`, { offset: fault?.pos[0] });
    return undefined;
  }
  const { contents } = document;
  if (!isMap(contents)) {
    const found = contents === null ? 'empty' : 'no map from key to value';
    report(`it is ${found}. Write version: 1 on the first line.`, { offset: contents?.range?.[0] });
    return undefined;
  }
  return contents.items.map((pair) => entryOfPair(pair as Pair<Node | null, Node | null>));
};

const parseYaml = (text: string): Document | undefined => {
  try {
    return parseDocument(text, { prettyErrors: false, logLevel: 'error', version: '1.2' });
  } catch {
    return undefined; // the parser recurses: some thousand open brackets exhaust the stack
  }
};

const entryOfPair = ({ key, value }: Pair<Node | null, Node | null>): Entry => ({
  key: scalarOf(key),
  value: scalarOf(value),
  keyOffset: key?.range?.[0],
  valueOffset: (value ?? key)?.range?.[0],
});

/** A list, a map and an alias are none of the values that a side-car has; any object stands for them. */
const scalarOf = (node: Node | null): unknown =>
  node === null ? null : isScalar(node) && !isAlias(node) ? node.value : {};

const KEYS = ['version', 'targetPath', 'enabled'] as const;

const readEntries = (entries: readonly Entry[], report: Report): Override | undefined => {
  const override: { -readonly [Key in keyof Override]: Override[Key] } = {
    targetPath: undefined,
    enabled: true,
  };
  let faults = 0;
  const counted: Report = (text, where) => {
    faults += 1;
    report(text, where);
  };
  for (const entry of entries) readEntry(override, entry, counted);
  if (!entries.some(({ key }) => key === 'version')) counted('version is missing. Write version: 1.');
  return faults === 0 ? override : undefined;
};

const readEntry = (
  override: { targetPath: string | undefined; enabled: boolean },
  { key, value, keyOffset, valueOffset }: Entry,
  report: Report,
): void => {
  const where = { pointer: pointerStep(String(key)), offset: valueOffset };
  switch (key) {
    case 'version':
      if (value !== 1)
        report(`version is ${describe(value)}. Write version: 1, the only one that there is.`, where);
      return;
    case 'enabled':
      if (typeof value === 'boolean') override.enabled = value;
      else report(`enabled is ${describe(value)}. Write true or false.`, where);
      return;
    case 'targetPath':
      override.targetPath = readTargetPath(value, (text) => report(text, where));
      return;
    default: {
      const name = typeof key === 'string' ? `'${shorten(key)}'` : describe(key);
      const meant = typeof key === 'string' ? didYouMean(nearest(key, KEYS)) : '';
      report(`it has the unknown key ${name}.${meant} The keys are version, targetPath and enabled.`, {
        ...where,
        offset: keyOffset,
      });
    }
  }
};

const readTargetPath = (value: unknown, report: (text: string) => void): string | undefined => {
  if (typeof value !== 'string') {
    report(
      `targetPath is ${describe(value)}. Write a relative path, such as .github/hooks/security.generated.json.`,
    );
    return undefined;
  }
  const path = parseTargetPath(value);
  if (path.ok) return path.value;
  report(
    `targetPath is ${describe(value)}, but ${path.error}. Write a relative path inside the repository, with '/'.`,
  );
  return undefined;
};

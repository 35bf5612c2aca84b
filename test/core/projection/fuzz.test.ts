import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { CANONICAL_EVENTS, PROVIDERS } from '../../../src/core/projection/events.ts';
import { scanJson } from '../../../src/core/projection/json-scan.ts';
import type { HookEntity, ProjectedFile } from '../../../src/core/projection/model.ts';
import { project, validate } from '../../../src/core/projection/project.ts';
import claudeSchema from '../../cases/schemas/claude-hooks.schema.json' with { type: 'json' };
import codexSchema from '../../cases/schemas/codex-config-hooks.schema.json' with { type: 'json' };
import copilotSchema from '../../cases/schemas/copilot-hooks.schema.json' with { type: 'json' };
import cursorSchema from '../../cases/schemas/cursor-hooks.schema.json' with { type: 'json' };

const isLong = process.env['TEST_LONG'] === '1';
const numRuns = isLong ? 100_000 : 400;
const timeout = isLong ? 1_800_000 : 30_000;

const ajv = new Ajv({ allowUnionTypes: true, strict: false });
const accepts = {
  claude: ajv.compile(claudeSchema),
  copilot: ajv.compile(copilotSchema),
  codex: ajv.compile(codexSchema),
  cursor: ajv.compile(cursorSchema),
};

const text = fc.oneof(
  fc.constantFrom(
    'x',
    '',
    '  ',
    'node a.js',
    'a // b',
    'a /* b */',
    '*',
    'Bash',
    '(',
    '[a-z]+',
    '__proto__',
    '\ud800',
    '\u0000',
    'ü😀',
    'x # y',
  ),
  fc.string({ maxLength: 12, unit: 'binary' }),
);
const anything = fc.oneof(
  { depthSize: 'small' },
  fc.jsonValue({ maxDepth: 2 }),
  text,
  fc.constantFrom(null, 0, -1, Infinity, true),
);
const key = fc.oneof(
  fc.constantFrom(
    'command',
    'bash',
    'linux',
    'osx',
    'windows',
    'powershell',
    'matcher',
    'cwd',
    'env',
    'timeout',
    'timeoutSec',
    'event',
    'type',
    'loop_limit',
    'failClosed',
    '__proto__',
    'constructor',
    'toJSON',
    'hasOwnProperty',
  ),
  text,
);
const good: Record<string, fc.Arbitrary<unknown>> = {
  type: fc.constantFrom('command', 'command', 'notify'),
  command: fc.oneof(text, fc.array(text, { maxLength: 3 })),
  matcher: text,
  cwd: text,
  env: fc.dictionary(text, text, { maxKeys: 2 }),
  timeoutSec: fc.oneof(fc.double({ min: 0.001, max: 4000 }), fc.integer({ min: 1, max: 99 })),
  loop_limit: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(null)),
  failClosed: fc.boolean(),
};
const valueFor = (name: string): fc.Arbitrary<unknown> =>
  Object.hasOwn(good, name)
    ? fc.oneof({ weight: 4, arbitrary: good[name] as fc.Arbitrary<unknown> }, anything)
    : fc.oneof(text, anything);
const members = fc.array(
  key.chain((name) => valueFor(name).map((value) => [name, value] as const)),
  { maxLength: 6 },
);
/** `defineProperty`, as JSON.parse does: `__proto__` becomes a member, not a prototype. */
const toObject = (entries: readonly (readonly [string, unknown])[]): object => {
  const object = {};
  for (const [name, value] of entries)
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  return object;
};
const handler = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom('command', 'notify'), text, members)
      .map(([type, command, more]) => toObject([['type', type], ['command', command], ...more])),
  },
  { weight: 2, arbitrary: members.map(toObject) },
  { weight: 1, arbitrary: anything },
);
const events = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...CANONICAL_EVENTS) }, key),
          fc.oneof({ weight: 9, arbitrary: fc.array(handler, { maxLength: 3 }) }, anything),
        ),
        { maxLength: 4 },
      )
      .map(toObject),
  },
  { weight: 1, arbitrary: anything },
);
const mode = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('strict', 'best_effort', 'best_effort') },
  anything,
);
const document = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(mode, events, members)
      .map(([chosen, list, more]) => toObject([['mode', chosen], ['events', list], ...more.slice(0, 1)])),
  },
  { weight: 1, arbitrary: anything },
);
const sideCar = fc.oneof(
  fc.record(
    {
      version: fc.constant(1),
      targetPath: fc.constantFrom('a.json', 'b/c.json', '../x', '/etc/x', '.git/x'),
    },
    { requiredKeys: ['version'] },
  ),
  fc.record({ version: fc.constant(1), enabled: fc.boolean() }),
  anything,
  text,
);
/** Mostly valid: strings may still be odd, and fields may still be what a provider refuses. */
const cleanText = text.map((value) => `${value} z`);
const cleanCommand = fc
  .tuple(
    cleanText,
    fc.record(
      {
        bash: text,
        windows: text,
        matcher: fc.constantFrom('*', 'Bash', 'a//b', '[/*]', ''),
        cwd: text,
        env: fc.dictionary(text, text, { maxKeys: 2 }),
        timeout: fc.integer({ min: 1, max: 9999 }),
        loop_limit: fc.constantFrom(null, 1),
        failClosed: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([command, more]) => ({ ...more, type: 'command', command }));
const cleanNotify = fc
  .constantFrom('x', ['x'], ['x', '', '\n"\\\u0000\u007f😀'])
  .map((command) => ({ type: 'notify', command }));
const cleanHandler = fc.oneof({ weight: 4, arbitrary: cleanCommand }, cleanNotify);
const cleanDocument = fc
  .dictionary(fc.constantFrom(...CANONICAL_EVENTS), fc.array(cleanHandler, { maxLength: 3 }), { maxKeys: 4 })
  .map((list) => ({ mode: 'best_effort', events: list }));
const entity: fc.Arbitrary<HookEntity> = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom('a', 'b', 'c') }, fc.constantFrom('.', '..'), text),
    fc.oneof({ weight: 3, arbitrary: cleanDocument }, document),
    fc.boolean(),
    fc.option(fc.dictionary(fc.constantFrom(...PROVIDERS, '__proto__'), sideCar, { maxKeys: 2 }), {
      freq: 1,
    }),
  )
  .map(([id, content, asText, overrides]) => ({
    id,
    ...(asText ? { source: JSON.stringify(content) ?? '' } : { document: content }),
    ...(overrides !== null && { overrides }),
  }));

const withoutCwdAndEnv = (name: string, value: unknown): unknown =>
  name === 'cwd' || name === 'env' ? undefined : value;

/** What the provider itself would read: Cursor cuts comments out of the raw text first. */
const read = ({ provider, content }: ProjectedFile): unknown => {
  if (provider === 'codex') return parse(content);
  if (provider === 'cursor')
    return JSON.parse(content.replaceAll(/\/\/.*$/gm, '').replaceAll(/\/\*[\s\S]*?\*\//g, ''));
  if (provider === 'claude') return (JSON.parse(content, withoutCwdAndEnv) as { hooks: unknown }).hooks;
  return JSON.parse(content);
};

const prototypeKeys = (): string =>
  JSON.stringify([Object.getOwnPropertyNames(Object.prototype), Object.getOwnPropertyNames(Array.prototype)]);

/** Why the provider would refuse the file; empty when it would not. */
const refusalOf = (file: ProjectedFile): string => {
  const accept = accepts[file.provider];
  const isClean = file.content.endsWith('\n') && !file.content.includes('\r');
  return accept(read(file)) && isClean
    ? ''
    : `${file.provider}: ${ajv.errorsText(accept.errors)}: ${file.content}`;
};

test(
  'no document makes projection throw, differ from itself, touch a prototype or write what a provider refuses',
  { timeout },
  () => {
    const before = prototypeKeys();
    let written = 0;
    fc.assert(
      fc.property(fc.array(entity, { maxLength: 2 }), fc.subarray([...PROVIDERS]), (entities, providers) => {
        const first = project(entities, providers);
        expect(project(structuredClone(entities), providers.toReversed())).toEqual(first);
        expect(first.ok).toBe(!first.diagnostics.some(({ severity }) => severity === 'error'));
        expect(first.ok || first.files.length === 0).toBe(true);
        expect(first.files.map(refusalOf).filter((refusal) => refusal !== '')).toEqual([]);
        const hasSourceErrors = validate(entities).some(({ severity }) => severity === 'error');
        expect(first.ok && hasSourceErrors).toBe(false);
        written += first.files.length;
      }),
      { numRuns },
    );
    expect(prototypeKeys()).toBe(before);
    expect(written).toBeGreaterThan(numRuns / 20); // the generator reaches the printers
  },
);

const parses = (source: string): boolean => {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
};

const mutatedJson = fc
  .tuple(
    fc.json({ maxDepth: 3 }),
    fc.array(fc.tuple(fc.nat(200), fc.nat(3), fc.string({ maxLength: 2 })), { maxLength: 2 }),
  )
  .map(([json, cuts]) =>
    cuts.reduce(
      (result, [at, length, insert]) => result.slice(0, at) + insert + result.slice(at + length),
      json,
    ),
  );

const jsonLike = fc.string({ unit: fc.constantFrom(...Array.from('{}[],:"\\ \n0123.eE-+tfnul/*')) });

test('the scanner accepts what JSON.parse accepts, but for duplicate keys', { timeout }, () => {
  fc.assert(
    fc.property(fc.oneof(mutatedJson, jsonLike), (source) => {
      const fault = scanJson(source);
      fc.pre(fault?.text.includes('is there twice') !== true);
      expect(fault === undefined).toBe(parses(source));
    }),
    { numRuns },
  );
});

/**
 * The projection and the command line against their floors, as ratios of two things measured in one run.
 * In process: JSON.parse of the same texts plus JSON.stringify of the ready outputs. Whole process: `node -e 0`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROVIDERS } from '../src/core/projection/events.ts';
import type { HookEntity } from '../src/core/projection/model.ts';
import { project, projectNative } from '../src/core/projection/project.ts';

const NOTIFY = { type: 'notify', command: ['python3', 'scripts/on_turn_complete.py'] };
const PRE_TOOL = 'node scripts/pre_tool.js';

const recipe4 = {
  mode: 'best_effort',
  events: {
    pre_tool_use: [{ type: 'command', bash: PRE_TOOL, powershell: PRE_TOOL }],
    turn_complete: [NOTIFY],
  },
};

const handler = (hook: number, index: number): object => ({
  type: 'command',
  command: `node scripts/hook-${hook}/step-${index}.js`,
  timeoutSec: 10 + index,
});

/** Ten handlers each, over three events. */
const largeHook = (hook: number): object => ({
  mode: 'best_effort',
  events: {
    pre_tool_use: [0, 1, 2, 3, 4].map((index) => handler(hook, index)),
    post_tool_use: [5, 6, 7, 8].map((index) => handler(hook, index)),
    turn_complete: [NOTIFY],
  },
});

const asDocument = (document: object, number: number): HookEntity => ({ id: `hook-${number}`, document });
const asSource = (document: object, number: number): HookEntity => ({
  id: `hook-${number}`,
  source: JSON.stringify(document, undefined, 2),
});

let sink = 0; // keeps the engine from dropping what nobody reads

const runOurs = (entities: readonly HookEntity[]): void => {
  for (const { content } of project(entities, PROVIDERS).files)
    sink += content.charCodeAt(content.length - 1);
};

const floorOf = (documents: readonly object[]): (() => void) => {
  const texts = documents.map((document) => JSON.stringify(document, undefined, 2));
  const outputs = projectNative(documents.map(asDocument), PROVIDERS).files.map((file) =>
    file.format === 'json' ? { version: 1, hooks: file.hooks } : { notify: file.notify },
  );
  return () => {
    for (const text of texts) sink += Object.keys(JSON.parse(text) as object).length;
    for (const output of outputs) sink += JSON.stringify(output).length;
  };
};

const BATCHES = 25;

const millisecondsPer = (run: () => void, repeats: number): number => {
  const start = performance.now();
  for (let left = repeats; left > 0; left -= 1) run();
  return (performance.now() - start) / repeats;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Turn by turn, so that a busy machine slows both. */
const compare = (name: string, limit: string, floor: () => void, ours: () => void, repeats: number): void => {
  millisecondsPer(floor, repeats * 3);
  millisecondsPer(ours, repeats * 3);
  const pairs = Array.from(
    { length: BATCHES },
    () => [millisecondsPer(floor, repeats), millisecondsPer(ours, repeats)] as const,
  );
  const ratio = median(pairs.map(([low, high]) => high / low));
  report(name, limit, median(pairs.map(([low]) => low)), median(pairs.map(([, high]) => high)), ratio);
};

const report = (name: string, limit: string, floorMs: number, oursMs: number, ratio: number): void =>
  console.log(
    `${name.padEnd(52)} floor ${floorMs.toFixed(4).padStart(9)} ms  ours ${oursMs.toFixed(4).padStart(9)} ms  ${ratio.toFixed(2)}×  (limit ${limit})`,
  );

const benchInProcess = (): void => {
  const large = Array.from({ length: 200 }, (_, number) => largeHook(number));
  compare(
    'recipe 4, four providers',
    '3×',
    floorOf([recipe4]),
    () => runOurs([asDocument(recipe4, 0)]),
    4000,
  );
  for (const count of [50, 100, 200]) {
    const documents = large.slice(0, count);
    const entities = documents.map(asDocument);
    compare(`${count} hooks with 10 handlers each`, '2×', floorOf(documents), () => runOurs(entities), 20);
  }
  const sources = large.map(asSource);
  compare(
    '200 hooks from source text (lines, duplicate keys)',
    'none',
    floorOf(large),
    () => runOurs(sources),
    10,
  );
};

const HARNESS = fileURLToPath(new URL('../dist/harness.mjs', import.meta.url));
const PROCESSES = 21;

const millisecondsOf = (args: readonly string[], cwd: string): number => {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return performance.now() - start;
};

const makeRepository = (root: string, documents: readonly object[], sideCar: string | undefined): void => {
  const folder = join(root, '.harness/src/hooks');
  mkdirSync(folder, { recursive: true });
  const entities = documents.map((_, number) => ({ type: 'hook', id: `hook-${number}` }));
  writeFileSync(
    join(root, '.harness/manifest.json'),
    JSON.stringify({ version: 1, providers: PROVIDERS, entities }),
  );
  for (const [number, document] of documents.entries()) {
    writeFileSync(join(folder, `hook-${number}.json`), JSON.stringify(document, undefined, 2));
    if (sideCar !== undefined) writeFileSync(join(folder, `hook-${number}.overrides.copilot.yaml`), sideCar);
  }
};

const WRITTEN = ['.claude', '.github', '.codex', '.cursor', '.harness/managed-index.json'];

const benchApply = (name: string, limit: string, documents: readonly object[], sideCar?: string): void => {
  const root = mkdtempSync(join(tmpdir(), 'harness-bench-'));
  makeRepository(root, documents, sideCar);
  const pairs: (readonly [number, number])[] = [];
  for (let run = 0; run < PROCESSES; run += 1) {
    for (const path of WRITTEN) rmSync(join(root, path), { recursive: true, force: true });
    pairs.push([millisecondsOf(['-e', '0'], root), millisecondsOf([HARNESS, 'apply'], root)]);
  }
  rmSync(root, { recursive: true });
  report(
    name,
    limit,
    median(pairs.map(([low]) => low)),
    median(pairs.map(([, high]) => high)),
    median(pairs.map(([low, high]) => high / low)),
  );
};

const benchCommandLine = (): void => {
  if (!existsSync(HARNESS)) throw new Error('dist/harness.mjs is missing. Run: npm run build:cli');
  benchApply('harness apply, recipe 4, whole process', '2.5×', [recipe4]);
  const large = Array.from({ length: 200 }, (_, number) => largeHook(number));
  benchApply(
    'harness apply, 200 hooks with side-cars',
    '5×',
    large,
    'version: 1\ntargetPath: ".github/hooks/team.generated.json"\n',
  );
};

benchInProcess();
benchCommandLine();
if (sink === 0) throw new Error('Nothing was measured.');

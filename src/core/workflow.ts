/** WORKFLOW.md: the front matter becomes settings, the body the prompt. Resolves no path and expands no variable. */
import * as z from 'zod';
import { type Failure, failure } from './failure.ts';
import { FrontMatter, MAX_DIAGNOSTICS } from './front-matter.ts';
import type { Hook, Location } from './lifecycle/state.ts';
import { type Result, err, ok } from './result.ts';

/** Longer waits than a year would leave the range of dates. */
const MAX_RETRY_BACKOFF_MS = 31_536_000_000;

export interface Workflow {
  hooks: Record<Hook, string | null>;
  hookTimeoutMs: number;
  agent: { command: string | null; timeoutMs: number; maxAttempts: number; maxRetryBackoffMs: number };
  terminalStates: string[];
  workspaceRoot: string | null;
  sandboxHooks: 'sandbox' | 'host';
  docker: { image: string | null; env: string[] };
  network: 'all' | 'none' | { hosts: string[] };
  git: { userName: string; userEmail: string };
  /** Names that nothing reads, but for a letter or two: `agent.comand (did you mean command?)`. */
  misspelt: string[];
  prompt: string;
}

export type WorkflowSettings = Omit<Workflow, 'misspelt' | 'prompt'>;

/** Reports all faults at once, in the file's order. A text without front matter is a prompt with default settings. */
export function parseWorkflow(text: string): Result<Workflow, Failure> {
  const front = new FrontMatter(text);
  const input = front.read(Object.keys(Settings.shape));
  const settings = Settings.safeParse(input);
  for (const issue of settings.error?.issues ?? []) addIssue(front, input, issue);
  const fault = front.failure();
  if (fault) return err(fault);
  return settings.success
    ? ok(toWorkflow(settings.data, misspeltNames(front), front.body))
    : err(failure('workflow_invalid', settings.error.message));
}

/** Rules that depend on where a project runs. Given the file's `text`, diagnostics point to the line at fault. */
export function checkLocation(workflow: Workflow, location: Location, text = ''): Result<Workflow, Failure> {
  const front = new FrontMatter(text);
  if (workflow.sandboxHooks === 'host' && location !== 'docker')
    front.addFault(
      'wrong_location',
      ['sandbox', 'hooks'],
      `is host, but the project runs in location ${location}: leave it out, or use location docker`,
    );
  if (workflow.docker.image === null && location === 'docker')
    front.addFault(
      'missing_value',
      ['docker', 'image'],
      'is missing: name the image in which location docker runs hooks and agent',
    );
  if (typeof workflow.network === 'object' && location === 'docker')
    front.addFault(
      'wrong_location',
      ['network'],
      'is a list of hosts, which location docker cannot limit a container to: use all or none, or location cloudflare',
    );
  const fault = front.failure();
  return fault ? err(fault) : ok(workflow);
}

/** Trimmed and case-insensitive, the same in every locale. */
export const isTerminalState = (state: string, terminalStates: readonly string[]): boolean =>
  terminalStates.some((terminal) => foldState(terminal) === foldState(state));

const foldState = (state: string): string => state.trim().toLowerCase();

// The schema. The message of an issue is what the value must be.

/** The default when absent or null, else checked and converted. */
function field<T>(
  fallback: T,
  expected: string,
  accepts: (value: unknown) => boolean,
  convert: (value: unknown) => T,
) {
  return z
    .unknown()
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === null) return fallback;
      if (accepts(value)) return convert(value);
      context.addIssue({ code: 'custom', message: expected });
      return z.NEVER;
    });
}

function integer(minimum: number, maximum: number, fallback: number) {
  const accepts = (value: unknown): boolean => {
    const number = isText(value, /^[0-9]+$/) ? Number(value) : value;
    return Number.isSafeInteger(number) && Number(number) >= minimum && Number(number) <= maximum;
  };
  return field(fallback, `a whole number from ${minimum} to ${maximum}`, accepts, Number);
}

const text = (fallback: string, expected: string, pattern: RegExp) =>
  field(fallback, expected, (value) => isText(value, pattern), String);

/** Blank means none. */
const optionalText = (expected: string, pattern: RegExp) =>
  text('', expected, pattern).transform((value) => (value.trim() === '' ? null : value));

/** Bash can't be handed a NUL. */
const script = () =>
  optionalText('the text of a script without NUL, or null', /^[^\0]*$/).transform(
    (value) => value?.replaceAll('\r\n', '\n') ?? null,
  );

const list = (fallback: string[], expected: string, pattern: RegExp) =>
  z
    .array(
      z.custom<string>((value) => isText(value, pattern), expected),
      'a list',
    )
    .nullish()
    .transform((values) => values?.map((value) => value.trim()) ?? fallback);

const section = <T extends z.ZodObject>(schema: T) =>
  z
    .unknown()
    .optional()
    .transform((value) => value ?? {})
    .pipe(schema);

const isText = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);

/** Git strips the excluded characters from an identity, and refuses to commit when nothing is left. */
const IDENTITY = /^(?=.*[^\s.,:;"\\'])[^\p{Cc}<>]+$/u;
/** A leading dash would be an option of `docker run`. */
const IMAGE_OR_BLANK = /^(?:\s*|[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254})$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HOST_LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST_NAME = new RegExp(`^(?=.{1,253}$)(?:\\*\\.)?(?:${HOST_LABEL}\\.)*${HOST_LABEL}$`, 'i');

function readNetwork(value: unknown, context: z.RefinementCtx): Workflow['network'] {
  if (value === undefined || value === null || value === 'all') return 'all';
  if (value === 'none') return 'none';
  const refuse = (message: string, path: number[]): void =>
    context.addIssue({ code: 'custom', message, path });
  if (!Array.isArray(value)) refuse('all, none or a list of host names', []);
  const hosts: unknown[] = Array.isArray(value) ? value : [];
  for (const [index, host] of hosts.entries())
    if (!isText(host, HOST_NAME)) refuse('a host name such as api.example.com or *.example.com', [index]);
  return { hosts: [...new Set(hosts.map((host) => String(host).toLowerCase()))] };
}

const Hooks = z.strictObject({
  after_create: script(),
  before_run: script(),
  after_run: script(),
  before_remove: script(),
  timeout_ms: integer(1, 3_600_000, 60_000),
});

const Settings = z.object({
  workspace: section(z.object({ root: optionalText('a path', /^[^\p{Cc}]*$/u) })),
  hooks: section(Hooks),
  agent: section(
    z.object({
      command: script(),
      timeout_ms: integer(1, 86_400_000, 3_600_000),
      max_attempts: integer(1, Number.MAX_SAFE_INTEGER, 5),
      max_retry_backoff_ms: integer(0, MAX_RETRY_BACKOFF_MS, 300_000),
    }),
  ),
  tracker: section(
    z.object({
      terminal_states: list(
        ['Done', 'Canceled', 'Cancelled', 'Closed', 'Duplicate'],
        'the name of a state',
        /\S/,
      ),
    }),
  ),
  sandbox: section(
    z.object({
      hooks: text('sandbox', 'sandbox or host', /^(?:sandbox|host)$/).pipe(z.enum(['sandbox', 'host'])),
    }),
  ),
  docker: section(
    z.object({
      image: optionalText('the name of an image', IMAGE_OR_BLANK),
      env: list([], 'the name of a variable', VARIABLE_NAME),
    }),
  ),
  network: z.unknown().optional().transform(readNetwork),
  git: section(
    z.object({
      user_name: text('Symphony', 'a name without line breaks and angle brackets', IDENTITY),
      user_email: text('symphony@localhost', 'an address without line breaks and angle brackets', IDENTITY),
    }),
  ),
});
type Settings = z.output<typeof Settings>;

/** The names in each section; those of hooks are checked strictly. */
const SECTIONS = Object.fromEntries(
  Object.entries(Settings.shape).flatMap(([name, schema]) =>
    name !== 'hooks' && schema instanceof z.ZodPipe && schema.out instanceof z.ZodObject
      ? [[name, Object.keys(schema.out.shape)]]
      : [],
  ),
);

const MAX_MISSPELT = 10;

export const DEFAULT_WORKFLOW: Workflow = toWorkflow(Settings.parse({}), [], '');

function toWorkflow(front: Settings, misspelt: string[], prompt: string): Workflow {
  const { timeout_ms: hookTimeoutMs, ...hooks } = front.hooks;
  return {
    hooks,
    hookTimeoutMs,
    agent: {
      command: front.agent.command,
      timeoutMs: front.agent.timeout_ms,
      maxAttempts: front.agent.max_attempts,
      maxRetryBackoffMs: front.agent.max_retry_backoff_ms,
    },
    terminalStates: front.tracker.terminal_states,
    workspaceRoot: front.workspace.root,
    sandboxHooks: front.sandbox.hooks,
    docker: front.docker,
    network: front.network,
    git: { userName: front.git.user_name, userEmail: front.git.user_email },
    misspelt,
    prompt,
  };
}

function addIssue(front: FrontMatter, input: unknown, issue: z.core.$ZodIssue): void {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    for (const name of issue.keys.slice(0, MAX_DIAGNOSTICS))
      front.addFault('unknown_name', [...path, name], `is not a hook${suggestion(name)}`, 'key');
    return;
  }
  const expected = issue.code === 'invalid_type' && issue.expected === 'object' ? 'a map' : issue.message;
  front.addFault('invalid_value', path, `is ${shown(valueAt(input, path))}: it must be ${expected}`);
}

/** Other names are another tool's, and its business. */
function misspeltNames(front: FrontMatter): string[] {
  const inner = Object.entries(SECTIONS).flatMap(([name, known]) =>
    misspeltIn(front.keys(name), known).map((inside) => `${name}.${inside}`),
  );
  return [...misspeltIn(front.keys(), Object.keys(Settings.shape)), ...inner].slice(0, MAX_MISSPELT);
}

const misspeltIn = (names: string[], known: string[]): string[] =>
  names.flatMap((name) => {
    if (known.includes(name) || !/^[\w-]{1,40}$/.test(name)) return [];
    const near = known.find((one) => distance(bare(one), bare(name)) <= Math.min(2, one.length / 3));
    return near === undefined ? [] : [`${name} (did you mean ${near}?)`];
  });

function suggestion(name: string): string {
  const names = Object.keys(Hooks.shape);
  const near = names.find((known) => distance(bare(known), bare(name)) <= 2);
  return near ? ` (did you mean ${near}?)` : `: the names are ${names.join(', ')}`;
}

const bare = (name: string): string =>
  name
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z]/g, '');

/** Edits from one name to the other (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of from.split('').entries()) {
    const next = [line + 1];
    for (let column = 0; column < to.length; column++)
      next.push(
        Math.min(
          (row[column + 1] ?? 0) + 1,
          (next[column] ?? 0) + 1,
          (row[column] ?? 0) + (letter === to[column] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[to.length] ?? 0;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a map';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value);
}

const valueAt = (input: unknown, path: string[]): unknown =>
  path.reduce((value: unknown, key) => (value as Record<string, unknown> | undefined)?.[key], input);

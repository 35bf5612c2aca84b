/** The environment policy: which process gets which variables. The supervisor adds the base set, which only it knows. */
import { type Failure, failure } from './failure.ts';
import type { Hook, Location } from './lifecycle/state.ts';
import { type Result, err, ok } from './result.ts';

/** Agents get these when they are set; hooks never do. */
export const CREDENTIAL_NAMES = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'HARNESS_GATEWAY_API_KEY',
  'LITELLM_API_KEY',
] as const;

export const BASE_NAMES = ['PATH', 'HOME', 'LANG', 'TERM', 'SHELL', 'USER', 'PWD'] as const;

/** A title of many kilobytes would crowd out the environment, which the kernel limits as a whole. */
const MAX_TASK_FIELD_BYTES = 4096;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** `SYMPHONY_*` are ours to set; `EDGE_HARNESS_*` mark the supervisor's processes, and a forged mark would let them escape. */
const RESERVED_NAME = /^(?:SYMPHONY_|EDGE_HARNESS_)/;

type Variables = Readonly<Record<string, string>>;

export interface AgentEnvInput {
  location: Location;
  /** Where the process finds the workspace: `/workspace` in a sandbox or container. */
  workspacePath: string;
  key: string;
  branch: string;
  task: { id: string; identifier: string; title: string; state: string };
  attempt?: number | undefined;
  global: Variables;
  project: Variables;
  /** `docker.env`: the only names of `global` and `project` that a container gets. */
  dockerEnv: readonly string[];
  gitIdentity: { name: string; email: string };
}

export interface HookEnvInput extends AgentEnvInput {
  hook: Hook;
  /** `host`: hooks of location docker run on the machine, with the environment of a host hook. */
  sandboxHooks?: 'sandbox' | 'host' | undefined;
  /** Reaches hooks on the host only. */
  workflowDir?: string | undefined;
  /** The attempt's outcome so far, for after_run. */
  outcome?: string | undefined;
}

export interface ProcessEnv {
  env: Record<string, string>;
  /** Names to unset before the script runs, for a login profile may export them. */
  unset: string[];
}

/** Accepts a name that people may set; returns it unchanged. */
export function checkEnvironmentName(name: string): Result<string, Failure> {
  const shown = JSON.stringify(name.slice(0, 100));
  if (!NAME.test(name))
    return refused(
      `The environment name ${shown} is not of letters, digits and _, starting with no digit: rename it.`,
    );
  if (RESERVED_NAME.test(name))
    return refused(
      `The environment name ${shown} is set by the service: use a name that does not start with SYMPHONY_ or EDGE_HARNESS_.`,
    );
  return ok(name);
}

const refused = (detail: string): Result<string, Failure> => err(failure('environment_name_refused', detail));

/** The same for every process; the machine's own variables are not inherited. */
export const buildBaseEnv = (machine: {
  path: string;
  home: string;
  user: string;
  shell: string;
  cwd: string;
}): Record<(typeof BASE_NAMES)[number], string> => ({
  PATH: machine.path,
  HOME: machine.home,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  SHELL: machine.shell,
  USER: machine.user,
  PWD: machine.cwd,
});

/** Without the base set. No credential is in it, whatever the layers hold: that filter runs last. */
export function buildHookEnv(input: HookEnvInput): ProcessEnv {
  const place = hookPlace(input);
  const env = layered(
    gitIdentity(input),
    ...settingsFor(input, place),
    taskVariables(input),
    hookVariables(input, place),
  ).filter(([name]) => !isCredential(name));
  return { env: Object.fromEntries(env), unset: [...CREDENTIAL_NAMES] };
}

/** As a hook of the location, plus the credentials that are set. An agent of location docker always runs in a container. */
export function buildAgentEnv(input: AgentEnvInput): ProcessEnv {
  const env = layered(
    gitIdentity(input),
    ...settingsFor(input, PLACE[input.location]),
    ...[input.global, input.project].map((layer) => pick(layer, isCredential)),
    taskVariables(input),
    attemptVariable(input),
  );
  return { env: Object.fromEntries(env), unset: [] };
}

/** NUL ends a variable for the kernel, so it is dropped; the cut falls between code points. */
export function normaliseTaskField(value: string): string {
  let kept = '';
  let bytes = 0;
  for (const character of value.toWellFormed().replaceAll('\0', '')) {
    bytes += utf8Length(character);
    if (bytes > MAX_TASK_FIELD_BYTES) break;
    kept += character;
  }
  return kept;
}

type Place = 'sandbox' | 'container' | 'machine';

const PLACE: Record<Location, Place> = { cloudflare: 'sandbox', docker: 'container', host: 'machine' };

const hookPlace = ({ location, sandboxHooks }: HookEnvInput): Place =>
  location === 'docker' && sandboxHooks === 'host' ? 'machine' : PLACE[location];

const gitIdentity = ({ gitIdentity: { name, email } }: AgentEnvInput): Variables => ({
  GIT_AUTHOR_NAME: name,
  GIT_AUTHOR_EMAIL: email,
  GIT_COMMITTER_NAME: name,
  GIT_COMMITTER_EMAIL: email,
});

/** What people set, the project's over the global; a container gets the listed names only. */
function settingsFor({ global, project, dockerEnv }: AgentEnvInput, place: Place): Variables[] {
  const listed = new Set(dockerEnv);
  const passes = (name: string): boolean =>
    checkEnvironmentName(name).ok && (place !== 'container' || listed.has(name));
  return [pick(global, passes), pick(project, passes)];
}

const taskVariables = ({ task, workspacePath, key, branch }: AgentEnvInput): Variables => ({
  SYMPHONY_WORKSPACE: workspacePath,
  SYMPHONY_WORKSPACE_KEY: key,
  SYMPHONY_ISSUE_ID: normaliseTaskField(task.id),
  SYMPHONY_ISSUE_IDENTIFIER: normaliseTaskField(task.identifier),
  SYMPHONY_ISSUE_TITLE: normaliseTaskField(task.title),
  SYMPHONY_ISSUE_STATE: normaliseTaskField(task.state),
  SYMPHONY_ISSUE_BRANCH: branch,
});

function hookVariables(input: HookEnvInput, place: Place): Variables {
  const { hook, workflowDir, outcome } = input;
  const isPerAttempt = hook === 'before_run' || hook === 'after_run';
  return {
    SYMPHONY_HOOK: hook,
    ...(place === 'machine' && workflowDir !== undefined && { SYMPHONY_WORKFLOW_DIR: workflowDir }),
    ...(isPerAttempt && attemptVariable(input)),
    ...(hook === 'after_run' && outcome !== undefined && { SYMPHONY_ATTEMPT_OUTCOME: outcome }),
  };
}

const attemptVariable = ({ attempt }: AgentEnvInput): Variables =>
  attempt === undefined ? {} : { SYMPHONY_ATTEMPT: String(attempt) };

/** Later layers win. Kept as entries: a variable may be called `__proto__`. */
const layered = (...layers: Variables[]): [string, string][] => [
  ...new Map(
    layers.flatMap((layer) =>
      Object.entries(layer).map(([name, value]) => [name, value.replaceAll('\0', '')]),
    ),
  ),
];

const pick = (layer: Variables, passes: (name: string) => boolean): Variables =>
  Object.fromEntries(Object.entries(layer).filter(([name]) => passes(name)));

const isCredential = (name: string): boolean => CREDENTIAL_NAMES.some((credential) => credential === name);

/** Half of a surrogate pair is sent as U+FFFD, which takes three bytes. */
function utf8Length(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** `npm run dev`: the service on this machine, without Docker and without an account. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { ProjectId, type Problem, type ProjectView } from '../src/core/api.ts';
import { ApiClient } from './stack/api-client.ts';
import { fail, messageOf, misuse, readOptions, readPort, readTokens } from './stack/command-line.ts';
import { makeDemoRepository } from './stack/demo-repository.ts';
import { Ending, onEndSignal } from './stack/end-signal.ts';
import { createSignInLink } from './stack/sign-in-link.ts';
import { defaultRoots, randomSecret, startStack, type Stack } from './stack/stack.ts';
import { lockState } from './stack/state-lock.ts';

const USAGE = `npm run dev -- [--project NAME [--repository URL|FOLDER] [--workflow FILE]]
environment: PORT (8787), API_TOKEN, ENCRYPTION_KEY, HOST_ROOTS`;
const STATE = resolve('.edge-harness');
const DEFAULT_PORT = 8787;
const SWEEP_MS = 5 * 60_000;
/** Editors write a file in several steps. */
const SETTLE_MS = 100;
const NO_THROW = { throwIfNoEntry: false } as const;

interface Secrets {
  token: string;
  encryptionKey: string;
}

interface Options {
  project?: string;
  repository?: string;
  workflow?: string;
}

async function main(): Promise<void> {
  const options = checkedOptions();
  const port = readPort(USAGE, DEFAULT_PORT);
  const secrets = loadSecrets();
  const { token, all } = readTokens(secrets.token);
  await lockState(STATE);
  const starting = startStack({
    port,
    token,
    encryptionKey: process.env['ENCRYPTION_KEY'] ?? secrets.encryptionKey,
    stateDirectory: STATE,
    roots: defaultRoots(),
    onLog: showRequest,
    vars: { API_TOKEN: all, DEMO_REPOSITORY: makeDemoRepository(`${STATE}/demo`) },
  });
  const ending = new Ending(starting);
  onEndSignal(() => {
    console.log('\nending …');
    void ending.end(0);
  });
  try {
    await announce(await starting, options);
  } catch (thrown) {
    if (!ending.isUnderWay) console.error(`error: ${messageOf(thrown)}`);
    await ending.end(1);
  }
}

function checkedOptions(): Options {
  const text = { type: 'string' } as const;
  const options = readOptions(USAGE, { project: text, repository: text, workflow: text });
  const { project, repository, workflow } = options;
  const named = ProjectId.optional().safeParse(project);
  if (!named.success)
    return misuse(USAGE, `--project ${project}: it ${named.error.issues[0]?.message ?? ''}`);
  if (project === undefined && (repository ?? workflow) !== undefined)
    return misuse(USAGE, '--repository and --workflow are of a project: name it with --project');
  if (repository !== undefined && isFolder(repository) && !statSync(repository, NO_THROW)?.isDirectory())
    return misuse(USAGE, `--repository ${repository}: there is no such folder`);
  if (workflow !== undefined && !statSync(workflow, NO_THROW)?.isFile())
    return misuse(USAGE, `--workflow ${workflow}: there is no such file`);
  return options;
}

/** One short line per request that changed something or failed; everything else as it is. */
function showRequest(line: string): void {
  const { message, method, route, status, duration_ms } = parseLogLine(line);
  if (message !== 'request') console.log(line);
  else if (method !== 'GET' || Number(status) >= 400)
    console.log(`${method} ${route} → ${status} (${duration_ms} ms)`);
}

function parseLogLine(line: string): Record<string, string | number | undefined> {
  try {
    return JSON.parse(line) as Record<string, string | number>;
  } catch {
    return {};
  }
}

/** Kept between runs in an ignored folder, so that a page stays signed in and sealed values can be read. */
function loadSecrets(): Secrets {
  const path = `${STATE}/secrets.json`;
  mkdirSync(STATE, { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    const secrets: Secrets = { token: randomSecret(), encryptionKey: randomSecret() };
    writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
  }
  chmodSync(path, 0o600);
  return JSON.parse(readFileSync(path, 'utf8')) as Secrets;
}

async function announce(stack: Stack, { project, repository, workflow }: Options): Promise<void> {
  const api = new ApiClient(stack.url, stack.token);
  if (project !== undefined) await registerProject(stack, api, project, repository, workflow);
  await sweep(api);
  setInterval(() => void sweep(api), SWEEP_MS).unref();
  console.log(`\nedge-harness is ready

  open    ${await createSignInLink(stack)}
          signs you in, once; afterwards ${stack.url} with the token (API: ${stack.url}/docs)
  token   ${stack.token}
  roots   ${defaultRoots().join(', ')}

  curl -H "Authorization: Bearer ${stack.token}" ${stack.url}/v1/projects

Ctrl-C ends it.`);
}

/** The seed's "app or server restart": workspaces of tasks that are already terminal go now, and then every five minutes as in the cloud. */
async function sweep(api: ApiClient): Promise<void> {
  try {
    await api.call('POST', '/v1/sweep');
  } catch (thrown) {
    console.error(`sweep: ${messageOf(thrown)}`);
  }
}

async function registerProject(
  stack: Stack,
  api: ApiClient,
  project: string,
  repository: string | undefined,
  workflow: string | undefined,
): Promise<void> {
  const file = workflow === undefined ? null : resolve(workflow);
  const text = file === null ? null : readFileSync(file, 'utf8');
  const name = (how: { keep: boolean }) =>
    file === null ? undefined : stack.host.setWorkflowDirectory(project, dirname(file), how);
  // Before: a relative `workspace.root` starts there. Over restarts it counts only when its WORKFLOW.md was accepted.
  await name({ keep: false });
  const { body } = await api.call<ProjectView>('PUT', `/v1/projects/${project}`, {
    location: 'host',
    ...(repository === undefined ? {} : { repository: { url: asUrl(repository) } }),
    ...(text === null ? {} : { workflow: text }),
  });
  await name({ keep: true });
  console.log(`project ${project} registered`);
  sayMisspelt(body);
  if (file !== null) applyOnChange(api, project, { file, text });
}

function sayRefused(name: string, { detail, diagnostics = [] }: Problem): void {
  console.error(`${name} refused, the last good one stays in force: ${detail}`);
  for (const { line, column, message } of diagnostics.slice(1))
    console.error(`  ${line}:${column}: ${message}`);
}

function sayMisspelt({ warnings }: ProjectView): void {
  for (const { message } of warnings.filter(({ code }) => code === 'workflow_misspelt'))
    console.error(`warning: ${message}`);
}

/** What is no URL is a folder of this machine. */
const asUrl = (repository: string): string => (isFolder(repository) ? resolve(repository) : repository);

const isFolder = (repository: string): boolean =>
  !/^[a-z][a-z0-9+.-]*:/i.test(repository) && !/^[^/]+@[^/]+:/.test(repository);

/** The folder is watched, not the file: editors replace it. `text` is what came into force. */
function applyOnChange(
  api: ApiClient,
  project: string,
  { file, text: first }: { file: string; text: string | null },
): void {
  let timer: NodeJS.Timeout | undefined;
  let answered = first;
  const name = basename(file);
  const apply = async () => {
    if (!existsSync(file)) return console.error(`${name} is gone: the last good one stays in force`);
    try {
      const text = readFileSync(file, 'utf8');
      if (text === answered) return;
      const path = `/v1/projects/${project}/workflow`;
      const { body } = await api.call<Problem | ProjectView>('PUT', path, text, [422]);
      answered = text;
      if ('detail' in body) return sayRefused(name, body);
      console.log(`${name} applied to ${project}`);
      sayMisspelt(body);
    } catch (thrown) {
      console.error(`${name} not applied, save it again: ${messageOf(thrown)}`);
    }
  };
  const applySoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void apply(), SETTLE_MS);
  };
  watch(dirname(file), (_, changed) => {
    if (changed === name) applySoon();
  });
  // It may have changed since it was read.
  applySoon();
}

await main().catch(fail);

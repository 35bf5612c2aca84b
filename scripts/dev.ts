/** `npm run dev`: the service on this machine, without Docker and without an account. */
import { chmodSync, existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ApiClient } from './stack/api-client.ts';
import { makeDemoRepository } from './stack/demo-repository.ts';
import { createSignInLink } from './stack/sign-in-link.ts';
import { defaultRoots, randomSecret, startStack, type Stack } from './stack/stack.ts';

const STATE = resolve('.edge-harness');
const DEFAULT_PORT = 8787;
const SWEEP_MS = 5 * 60_000;
/** Editors write a file in several steps. */
const SETTLE_MS = 100;

interface Secrets {
  token: string;
  encryptionKey: string;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { project: { type: 'string' }, repository: { type: 'string' }, workflow: { type: 'string' } },
  });
  const secrets = loadSecrets();
  const stack = await startStack({
    port: Number(process.env['PORT'] ?? DEFAULT_PORT),
    token: process.env['API_TOKEN'] ?? secrets.token,
    encryptionKey: process.env['ENCRYPTION_KEY'] ?? secrets.encryptionKey,
    stateDirectory: STATE,
    roots: defaultRoots(),
    onLog: showRequest,
    vars: { DEMO_REPOSITORY: makeDemoRepository(`${STATE}/demo`) },
  });
  const end = endOnSignal(stack);
  try {
    await announce(stack, values);
  } catch (thrown) {
    console.error(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    process.exitCode = 1;
    await stack.stop();
    process.exit();
  }
  await end;
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

function endOnSignal(stack: Stack): Promise<void> {
  return new Promise((ended) => {
    let ending = false;
    const end = () => {
      if (ending) return;
      ending = true;
      console.log('\nending …');
      stack.stop().then(
        () => process.exit(process.exitCode ?? 0),
        () => process.exit(1),
      );
      ended();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  });
}

async function announce(
  stack: Stack,
  values: { project?: string; repository?: string; workflow?: string },
): Promise<void> {
  const api = new ApiClient(stack.url, stack.token);
  if (values.project !== undefined)
    await registerProject(stack, api, values.project, values.repository, values.workflow);
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
    console.error(`sweep: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
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
  if (file !== null) await stack.host.setWorkflowDirectory(project, dirname(file));
  await api.call('PUT', `/v1/projects/${project}`, {
    location: 'host',
    ...(repository === undefined ? {} : { repository: { url: asUrl(repository) } }),
    ...(file === null ? {} : { workflow: readFileSync(file, 'utf8') }),
  });
  console.log(`project ${project} registered`);
  if (file !== null) applyOnChange(api, project, file);
}

/** A relative path means a folder of this machine. */
const asUrl = (repository: string): string =>
  /^[a-z][a-z0-9+.-]*:/i.test(repository) || isAbsolute(repository) || /^[^/]+@[^/]+:/.test(repository)
    ? repository
    : resolve(repository);

/** The folder is watched, not the file: editors replace it. */
function applyOnChange(api: ApiClient, project: string, file: string): void {
  let timer: NodeJS.Timeout | undefined;
  let last = readFileSync(file, 'utf8');
  const apply = async () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : last;
    if (text === last) return;
    last = text;
    try {
      await api.call('PUT', `/v1/projects/${project}/workflow`, text);
      console.log(`${basename(file)} applied to ${project}`);
    } catch (thrown) {
      console.error(
        `${basename(file)} refused, the last good one stays in force: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      );
    }
  };
  watch(dirname(file), (_, name) => {
    if (name !== basename(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void apply(), SETTLE_MS);
  });
}

await main();

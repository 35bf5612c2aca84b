/**
 * The argument vector that runs a script in a disposable container. Pure. What the script leaves behind dies with the
 * container, which ends with the script's shell.
 */
import type { Confinement } from '../protocol.ts';
import { isSteering } from './steering-names.ts';

/** Where the workspace's folder is inside. */
export const WORKSPACE_IN_CONTAINER = '/workspace';
export const SCRIPT_IN_CONTAINER = '/run/edge-harness-script';

export interface ContainerPlan {
  readonly confinement: Extract<Confinement, { kind: 'docker' }>;
  readonly name: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** What follows `bash`. */
  readonly bashArguments: readonly string[];
  /** A script that is too long to be an argument. */
  readonly scriptFile: string | null;
  readonly attached: 'pipes' | 'terminal';
}

export interface ContainerCommand {
  readonly command: string[];
  /** For the docker client: values that it hands on by name are in no argument, so `ps` does not show them. */
  readonly env: Record<string, string>;
}

export function buildDockerRun(plan: ContainerPlan): ContainerCommand {
  const { confinement, name, directory, env, bashArguments, scriptFile, attached } = plan;
  const names = Object.keys(env);
  const mounts = [buildMount(directory, WORKSPACE_IN_CONTAINER)];
  if (scriptFile !== null) mounts.push(`${buildMount(scriptFile, SCRIPT_IN_CONTAINER)},readonly`);
  return {
    command: [
      ['docker', 'run', '--rm', '--init', '--name', name],
      attached === 'terminal' ? ['--interactive', '--tty'] : [],
      ['--network', confinement.network === 'none' ? 'none' : 'bridge'],
      ...mounts.map((mount) => ['--mount', mount]),
      ['--workdir', WORKSPACE_IN_CONTAINER],
      ...names.map((variable) => ['--env', isClients(variable) ? `${variable}=${env[variable]}` : variable]),
      ['--entrypoint', 'bash', confinement.image, ...bashArguments],
    ].flat(),
    env: Object.fromEntries(Object.entries(env).filter(([variable]) => !isClients(variable))),
  };
}

/** One line of CSV, so a comma in the path has to be quoted. */
const buildMount = (source: string, target: string): string =>
  `type=bind,"source=${source.replaceAll('"', '""')}",target=${target}`;

export const buildDockerRemove = (name: string): string[] => ['docker', 'rm', '--force', name];

/** One name per operation, within docker's alphabet; ids are of it already. */
export const containerName = (marker: string): string => `edge-harness-${marker.replace('/', '-')}`;

/** Variables that change what the docker client itself does; they reach the container as arguments. */
const isClients = (name: string): boolean =>
  isSteering(name) ||
  /^(?:DOCKER_|BUILDKIT_|GODEBUG$|GO|XDG_|HOME$|SSL_|HTTPS?_PROXY$|NO_PROXY$|ALL_PROXY$)/i.test(name);

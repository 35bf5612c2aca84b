/** One bash in its confinement: the argument vector and the environment that start it. */
import type { Confinement } from '../protocol.ts';
import { buildEnvIn, type Machine } from './base-environment.ts';
import { buildBubblewrap } from './bubblewrap.ts';
import { buildDockerRun, SCRIPT_IN_CONTAINER, WORKSPACE_IN_CONTAINER } from './docker.ts';
import type { Place } from './place.ts';
import { isSteering } from './steering-names.ts';

export interface Shell {
  readonly place: Place;
  readonly machine: Machine;
  /** What follows `bash`; it finds a long script in `scriptFile`. */
  readonly buildArguments: (scriptFile: string) => readonly string[];
  /** A script that is too long to be an argument. */
  readonly scriptFile: string | null;
  /** Laid over the machine's base set; in a container over the image's own. */
  readonly env: Readonly<Record<string, string>>;
  /** How its processes are recognised on the machine; no variable of `env` replaces it. */
  readonly marker: Readonly<Record<string, string>>;
  /** `terminal`: it ends with the program that started it, and everything in its confinement with it. */
  readonly attached: 'pipes' | 'terminal';
  readonly containerName: string;
}

export interface ShellCommand {
  readonly command: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** `hidden`: real paths of folders that a bubblewrapped shell must not see. */
export function buildShell(confinement: Confinement, shell: Shell, hidden: readonly string[]): ShellCommand {
  const { place, machine, marker, scriptFile, attached } = shell;
  const base = buildEnvIn(machine, place.directory);
  const command = [machine.bash, ...shell.buildArguments(scriptFile ?? '')];
  switch (confinement.kind) {
    case 'none':
      return { command, env: { ...base, ...shell.env, ...marker } };
    case 'bubblewrap': {
      const readable = scriptFile === null ? [] : [scriptFile];
      const [inside, handedOn] = partition(shell.env, isSteering);
      const bwrap = buildBubblewrap(command, place, { home: machine.home, hidden, readable }, inside);
      return { command: attach(bwrap, attached), env: { ...base, ...handedOn, ...marker } };
    }
    case 'docker': {
      const container = buildDockerRun({
        confinement,
        name: shell.containerName,
        directory: place.directory,
        env: shell.env,
        bashArguments: shell.buildArguments(SCRIPT_IN_CONTAINER),
        scriptFile,
        attached,
      });
      return {
        command: container.command,
        env: { ...base, ...machine.dockerSettings, ...container.env, ...marker },
      };
    }
    default:
      return confinement satisfies never;
  }
}

/** Where the shell finds the workspace. */
export const workspaceInside = ({ kind }: Confinement, { directory }: Place): string =>
  kind === 'docker' ? WORKSPACE_IN_CONTAINER : directory;

const attach = ([bwrap = '', ...rest]: readonly string[], attached: Shell['attached']): string[] =>
  attached === 'terminal' ? [bwrap, '--die-with-parent', ...rest] : [bwrap, ...rest];

type Variables = Readonly<Record<string, string>>;

function partition(env: Variables, isFirst: (name: string) => boolean): [Variables, Variables] {
  const entries = Object.entries(env);
  return [
    Object.fromEntries(entries.filter(([name]) => isFirst(name))),
    Object.fromEntries(entries.filter(([name]) => !isFirst(name))),
  ];
}

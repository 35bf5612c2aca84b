/** One bash in its confinement: the argument vector and the environment that start it. */
import type { Confinement } from '../protocol.ts';
import { buildEnvIn, type Machine } from './base-environment.ts';
import { buildBubblewrap, type Hideout } from './bubblewrap.ts';
import { buildDockerRun, SCRIPT_IN_CONTAINER, WORKSPACE_IN_CONTAINER } from './docker.ts';
import type { Place } from './place.ts';

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
  const env = { ...base, ...shell.env, ...marker };
  switch (confinement.kind) {
    case 'none':
      return { command, env };
    case 'bubblewrap': {
      const readable = scriptFile === null ? [] : [scriptFile];
      return { command: confine(command, place, { home: machine.home, hidden, readable }, attached), env };
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

function confine(
  command: readonly string[],
  place: Place,
  hideout: Hideout,
  attached: Shell['attached'],
): string[] {
  const [bwrap = '', ...rest] = buildBubblewrap(command, place, hideout);
  return attached === 'terminal' ? [bwrap, '--die-with-parent', ...rest] : [bwrap, ...rest];
}

/** What every process of ours starts from; nothing else of the supervisor's own environment is handed on. */
import { accessSync, constants } from 'node:fs';
import { userInfo } from 'node:os';
import { buildBaseEnv } from '../../core/hook-env.ts';
import { MARKER_NAME } from './process-table.ts';

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface Machine {
  readonly path: string;
  /** The person's own on a host, /root in a sandbox; never the workspace. */
  readonly home: string;
  readonly user: string;
  readonly bash: string;
  /** Set where this supervisor runs inside an operation of another one, which finds our processes by it too. */
  readonly outerMarkers: string;
  /** Which Docker engine the person uses: for the docker client alone. */
  readonly dockerSettings: Readonly<Record<string, string>>;
}

export function readMachine(env: NodeJS.ProcessEnv): Machine {
  const path = env['PATH'] ?? DEFAULT_PATH;
  return {
    path,
    home: env['HOME'] ?? userInfo().homedir,
    user: env['USER'] ?? userInfo().username,
    bash: findBash(path),
    outerMarkers: env[MARKER_NAME] ?? '',
    dockerSettings: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) =>
        name.startsWith('DOCKER_') && value !== undefined ? [[name, value]] : [],
      ),
    ),
  };
}

export const buildEnvIn = (machine: Machine, directory: string): Record<string, string> => ({
  ...buildBaseEnv({ ...machine, shell: machine.bash, cwd: directory }),
});

/** Of git processes; git-process.ts lays its own settings over it. */
export const buildGitEnv = (machine: Machine): Record<string, string> => buildEnvIn(machine, '/');

export const buildMarker = (machine: Machine, marker: string): Record<string, string> => ({
  [MARKER_NAME]: machine.outerMarkers === '' ? marker : `${marker} ${machine.outerMarkers}`,
});

function findBash(path: string): string {
  const candidates = ['/bin', '/usr/bin', ...path.split(':')].map((folder) => `${folder}/bash`);
  return candidates.find(isExecutable) ?? 'bash';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

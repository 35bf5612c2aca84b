/** Which confinements this machine offers, and how a script is started under each. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Confinement, ScriptSpec } from '../protocol.ts';
import { buildEnvIn, buildMarker } from './base-environment.ts';
import { buildBubblewrap, privateFolders } from './bubblewrap.ts';
import { buildDockerRemove, buildDockerRun, containerName, SCRIPT_IN_CONTAINER } from './docker.ts';
import type { Setting } from './script-start.ts';
import { buildBashArguments, isLongScript } from './script-command.ts';
import type { Launch } from './script-process.ts';

type Kind = Confinement['kind'];

/** Docker may come up later; asking it costs up to a second. */
const ANSWER_HOLDS_MS = 30_000;
const PROBE_MS = 5_000;

const PROBES: Record<Exclude<Kind, 'none'>, readonly [string, ...string[]]> = {
  bubblewrap: [
    'bwrap',
    '--unshare-pid',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--cap-drop',
    'ALL',
    'true',
  ],
  docker: ['docker', 'version', '--format', '{{.Server.Version}}'],
};

export class Confinements {
  /** Real paths of folders that a bubblewrapped script must not see. Empty in a sandbox, which confines as a whole. */
  readonly #hidden: readonly string[] | null;
  readonly #answers = new Map<Kind, { isThere: Promise<boolean>; atMs: number }>();

  /** null: none is offered. */
  constructor(hidden: readonly string[] | null) {
    this.#hidden = hidden;
  }

  async list(): Promise<Kind[]> {
    const kinds: Kind[] = ['none', 'bubblewrap', 'docker'];
    const answers = await Promise.all(kinds.map((kind) => this.isThere(kind)));
    return kinds.filter((_, index) => answers[index]);
  }

  isThere(kind: Kind): Promise<boolean> {
    if (kind === 'none') return Promise.resolve(true);
    if (this.#hidden === null) return Promise.resolve(false);
    const known = this.#answers.get(kind);
    if (known !== undefined && performance.now() - known.atMs < ANSWER_HOLDS_MS) return known.isThere;
    const isThere = succeeds(PROBES[kind]);
    this.#answers.set(kind, { isThere, atMs: performance.now() });
    return isThere;
  }

  buildLaunch(spec: ScriptSpec, setting: Setting): Launch {
    const { place, machine, marker, operation } = setting;
    const base = { ...buildEnvIn(machine, place.directory), ...buildMarker(machine, marker) };
    const launch = { bash: machine.bash, directory: place.directory };
    const scriptFile = operation.folder.file('script');
    const shell = [machine.bash, '-lc', ...buildBashArguments(spec.script, spec.unset, scriptFile)];
    const env = { ...base, ...spec.env, ...buildMarker(machine, marker) };
    const long = isLongScript(spec.script) ? scriptFile : null;
    switch (spec.confinement.kind) {
      case 'none':
        return { ...launch, command: shell, env };
      case 'bubblewrap': {
        for (const folder of Object.values(privateFolders(place)))
          mkdirSync(folder, { recursive: true, mode: 0o700 });
        const hidden = (this.#hidden ?? []).filter((folder) => existsSync(folder));
        const readable = long === null ? [] : [long];
        return {
          ...launch,
          command: buildBubblewrap(shell, place, { home: machine.home, hidden, readable }),
          env,
        };
      }
      case 'docker': {
        const container = buildDockerRun({
          confinement: spec.confinement,
          name: containerName(marker),
          directory: place.directory,
          env: spec.env,
          bashArguments: ['-lc', ...buildBashArguments(spec.script, spec.unset, SCRIPT_IN_CONTAINER)],
          scriptFile: long,
        });
        return { ...launch, command: container.command, env: { ...container.env, ...base } };
      }
      default:
        return spec.confinement satisfies never;
    }
  }

  /** What signals to the docker client do not reach. Idempotent. */
  async endContainer(marker: string): Promise<void> {
    const [program = '', ...args] = buildDockerRemove(containerName(marker));
    await promisify(execFile)(program, args, { timeout: PROBE_MS }).catch(() => {});
  }
}

async function succeeds([program, ...args]: readonly [string, ...string[]]): Promise<boolean> {
  try {
    await promisify(execFile)(program, args, { timeout: PROBE_MS });
    return true;
  } catch {
    return false;
  }
}

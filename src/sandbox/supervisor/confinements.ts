/** Which confinements this machine offers, and how a script is started under each. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Confinement, ScriptSpec } from '../protocol.ts';
import { buildMarker } from './base-environment.ts';
import { privateFolders } from './bubblewrap.ts';
import { buildShell, type Shell, type ShellCommand } from './confined-shell.ts';
import { buildDockerRemove, containerName } from './docker.ts';
import type { Setting } from './script-start.ts';
import { buildBashArguments, isLongScript } from './script-command.ts';
import type { Launch } from './script-process.ts';

type Kind = Confinement['kind'];

/** Docker may come up later; asking it costs up to a second. */
const ANSWER_HOLDS_MS = 30_000;
const PROBE_MS = 5_000;
/** A busy engine takes its time. */
const REMOVE_MS = 30_000;

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

  buildLaunch(spec: ScriptSpec, { place, machine, marker, operation }: Setting): Launch {
    const scriptFile = isLongScript(spec.script) ? operation.folder.file('script') : null;
    const shell = this.buildShell(spec.confinement, {
      place,
      machine,
      buildArguments: (file) => ['-lc', ...buildBashArguments(spec.script, spec.unset, file)],
      scriptFile,
      env: spec.env,
      marker: buildMarker(machine, marker),
      attached: 'pipes',
      containerName: containerName(marker),
    });
    return { ...shell, bash: machine.bash, directory: place.directory };
  }

  buildShell(confinement: Confinement, shell: Shell): ShellCommand {
    if (confinement.kind === 'bubblewrap')
      for (const folder of Object.values(privateFolders(shell.place)))
        mkdirSync(folder, { recursive: true, mode: 0o700 });
    return buildShell(
      confinement,
      shell,
      (this.#hidden ?? []).filter((folder) => existsSync(folder)),
    );
  }

  /** What signals to the docker client do not reach. Idempotent. */
  async endContainer(name: string): Promise<void> {
    const [program = '', ...args] = buildDockerRemove(name);
    await promisify(execFile)(program, args, { timeout: REMOVE_MS }).catch(() => {});
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

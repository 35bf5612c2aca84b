/** The login shell of one terminal: on a pty, in the confinement that the workspace's agent gets. */
import { randomUUID } from 'node:crypto';
import type * as nodePty from '@lydell/node-pty';
import { err, ok, type Result } from '../../core/result.ts';
import type { Confinement, SupervisorError } from '../protocol.ts';
import type { Machine } from './base-environment.ts';
import { workspaceInside } from './confined-shell.ts';
import type { Confinements } from './confinements.ts';
import { containerName } from './docker.ts';
import type { Place } from './place.ts';
import { signal } from './process-killer.ts';
import { checkStart } from './script-start.ts';

/** What ignores a hangup is killed. */
const GRACE_MS = 2_000;
/** Its binary comes with the package; in the image, whose terminals are the SDK's, it is not there. */
const PTY_MODULE: string = '@lydell/node-pty';

export interface TerminalSetting {
  readonly place: Place;
  readonly machine: Machine;
  readonly confinements: Confinements;
  readonly confinement: Confinement;
  readonly size: { readonly cols: number; readonly rows: number };
}

export interface TerminalShell {
  readonly pty: nodePty.IPty;
  /** Nobody is at the terminal any more: the shell goes, and with a namespace or container everything in it. */
  readonly hangUp: () => void;
}

export async function startShell(setting: TerminalSetting): Promise<Result<TerminalShell, SupervisorError>> {
  const { place, confinements } = setting;
  const refusal = await checkStart(setting, place, confinements);
  if (refusal !== null) return err(refusal);
  const container = containerName(`terminal/${randomUUID()}`);
  try {
    const pty = await spawnShell(setting, container);
    return ok({ pty, hangUp: () => hangUp(setting, pty, container) });
  } catch (error) {
    return err({ code: 'not_found', detail: `No terminal can be opened: ${String(error)}` });
  }
}

async function spawnShell(setting: TerminalSetting, container: string): Promise<nodePty.IPty> {
  const { place, machine, confinements, confinement, size } = setting;
  const { spawn } = (await import(PTY_MODULE)) as typeof nodePty;
  const { command, env } = confinements.buildShell(confinement, {
    place,
    machine,
    buildArguments: () => ['-l'],
    scriptFile: null,
    // Over the base set alone: no value of the project and no credential is shown on a screen by `env`.
    env: {
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      SYMPHONY_WORKSPACE: workspaceInside(confinement, place),
    },
    // An open terminal is nobody's leftover.
    marker: {},
    attached: 'terminal',
    containerName: container,
  });
  const [program = '', ...args] = command;
  return spawn(program, args, {
    name: 'xterm-256color',
    ...size,
    cwd: place.directory,
    env,
    encoding: null,
  });
}

/** The shell leads its own session: its group, then whatever stays of it. The docker client does not take its container along. */
function hangUp({ confinements, confinement }: TerminalSetting, pty: nodePty.IPty, container: string): void {
  let hasExited = false;
  pty.onExit(() => {
    hasExited = true;
  });
  signal(-pty.pid, 'SIGHUP');
  setTimeout(() => {
    if (!hasExited) signal(-pty.pid, 'SIGKILL');
  }, GRACE_MS).unref();
  if (confinement.kind === 'docker') void confinements.endContainer(container);
}

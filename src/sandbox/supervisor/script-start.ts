/** From a script's specification to a running process: what is checked first, and what the process gets. */
import { lstatSync, realpathSync } from 'node:fs';
import type { ScriptSpec, SupervisorError } from '../protocol.ts';
import { buildEnvIn, buildMarker, type Machine } from './base-environment.ts';
import type { Operation } from './operation.ts';
import type { Place } from './place.ts';
import { buildBashArguments, isLongScript } from './script-command.ts';
import type { ScriptRun } from './script-run.ts';

/** What every operation is started with. */
export interface Setting {
  readonly operation: Operation;
  readonly place: Place;
  readonly machine: Machine;
  /** How its processes are recognised. */
  readonly marker: string;
}

/** null: it may start. */
export function checkScript(spec: ScriptSpec, { directory }: Place): SupervisorError | null {
  if (spec.confinement.kind !== 'none') {
    return { code: 'confinement_unavailable', detail: `${spec.confinement.kind} is not available here.` };
  }
  return isRealDirectory(directory)
    ? null
    : { code: 'workspace_damaged', detail: `${directory} is missing, or is not a directory of its own.` };
}

export async function startScript(run: ScriptRun, spec: ScriptSpec, setting: Setting): Promise<void> {
  const { operation, place, machine, marker } = setting;
  const script = operation.folder.file('script');
  const launch = {
    bash: machine.bash,
    command: [machine.bash, '-lc', ...buildBashArguments(spec.script, spec.unset, script)],
    directory: place.directory,
    env: { ...buildEnvIn(machine, place.directory), ...spec.env, ...buildMarker(machine, marker) },
  };
  await run.start(launch, isLongScript(spec.script) ? spec.script : null);
}

/** A link on the way out of the root changes the real path; a missing folder has none. */
function isRealDirectory(directory: string): boolean {
  try {
    return lstatSync(directory).isDirectory() && realpathSync(directory) === directory;
  } catch {
    return false;
  }
}

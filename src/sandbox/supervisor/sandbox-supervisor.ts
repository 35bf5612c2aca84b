/** The supervisor of a sandbox: one workspace, at a fixed path. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../../core/result.ts';
import type { OpenAnswer, OpenRequest, SupervisorError } from '../protocol.ts';
import { loadJson, saveAtomic } from './atomic-file.ts';
import { buildGitEnv, type Machine } from './base-environment.ts';
import { checkClaim, loadClaim, saveClaim } from './claim.ts';
import { Confinements } from './confinements.ts';
import { inspectRepository } from './git-inspect.ts';
import { rememberTips } from './git-left.ts';
import type { SandboxOptions } from './options.ts';
import type { Place } from './place.ts';
import { readProcess } from './process-table.ts';
import { unsupported, type Supervisor } from './supervisor.ts';
import { Workspace, type Surface } from './workspace.ts';

export class SandboxSupervisor implements Supervisor {
  readonly mode = 'sandbox';
  /** The container confines everything in it alike. */
  readonly confinements = new Confinements(null);
  readonly #place: Place;
  readonly #surface: Surface;
  #workspace: Workspace | null = null;

  constructor(options: SandboxOptions, machine: Machine) {
    const stateDirectory = join(options.stateDirectory, 'workspace');
    mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
    this.#place = {
      mode: 'sandbox',
      directory: options.workspace,
      stateDirectory,
      gitEnv: buildGitEnv(machine),
    };
    const sandboxStartedAt = options.ownContainer ? loadFirstStart(options.stateDirectory) : null;
    this.#surface = { machine, confinements: this.confinements, sandboxStartedAt };
  }

  async open(request: OpenRequest): Promise<Result<OpenAnswer, SupervisorError>> {
    const { stateDirectory, directory } = this.#place;
    const { project, key, creation_id } = request;
    if (request.claim && loadClaim(stateDirectory) === null) {
      saveClaim(stateDirectory, { project, key, creation_id, claimed_at_ms: Date.now() });
    }
    const claim = checkClaim(stateDirectory, creation_id);
    if (!claim.ok) return claim;
    this.#open().prepare();
    const inspection = await inspectRepository(this.#place);
    if (inspection.files === 'whole') await rememberTips(this.#place);
    return ok({ mode: this.mode, directory, workflow_dir: null, ...inspection });
  }

  find(creationId: string): Result<Workspace, SupervisorError> {
    const claim = checkClaim(this.#place.stateDirectory, creationId);
    return claim.ok ? ok(this.#open()) : claim;
  }

  async destroy(): Promise<Result<null, SupervisorError>> {
    return err(unsupported('Destroying a workspace'));
  }

  async inventory(): Promise<Result<never, SupervisorError>> {
    return err(unsupported('The inventory'));
  }

  registerWorkflow(): Result<null, SupervisorError> {
    return err(unsupported('Registering a workflow'));
  }

  async resume(): Promise<void> {
    if (loadClaim(this.#place.stateDirectory) !== null) this.#open();
  }

  async shutdown(): Promise<void> {
    await this.#workspace?.stopAll('shutdown');
  }

  #open(): Workspace {
    this.#workspace ??= new Workspace(this.#place, this.#surface);
    return this.#workspace;
  }
}

/**
 * When the first supervisor of this container started, in ticks since boot: what is older is the platform's. A restarted
 * supervisor must not take its predecessor's leftovers for that; another PID 1 means another container.
 */
function loadFirstStart(stateDirectory: string): number {
  const path = join(stateDirectory, 'first-start.json');
  const init = readProcess(1)?.startedAt ?? 0;
  const stored = loadJson(path) as { init?: unknown; supervisor?: unknown } | null;
  if (stored?.init === init && typeof stored.supervisor === 'number') return stored.supervisor;
  const supervisor = readProcess(process.pid)?.startedAt ?? 0;
  saveAtomic(path, JSON.stringify({ init, supervisor }));
  return supervisor;
}

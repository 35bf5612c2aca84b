/** The supervisor of a host: any number of workspaces under the allowed roots. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { err, ok, type Result } from '../../core/result.ts';
import type { InventoryAnswer, OpenAnswer, OpenRequest, SupervisorError } from '../protocol.ts';
import { buildGitEnv, type Machine } from './base-environment.ts';
import { checkClaim, loadClaim } from './claim.ts';
import { Confinements } from './confinements.ts';
import { inspectRepository } from './git-inspect.ts';
import { rememberTips } from './git-left.ts';
import { claimPlace } from './host-claim.ts';
import { layOut, layOutDirectory, type HostPaths } from './host-layout.ts';
import { KnownRoots, listWorkspaces } from './known-roots.ts';
import type { HostOptions } from './options.ts';
import { refuseNested } from './nested-root.ts';
import { emptyTrash, removeWorkspace } from './removal.ts';
import type { Supervisor, WorkflowFolder } from './supervisor.ts';
import { WorkflowFolders } from './workflow-folders.ts';
import { expandRoot, openRoot, realpathOfExisting } from './workspace-root.ts';
import { Workspace } from './workspace.ts';

/** What one answer may list. */
const INVENTORY_LIMIT = 10_000;

export class HostSupervisor implements Supervisor {
  readonly mode = 'host';
  readonly confinements: Confinements;
  readonly #allowed: readonly string[];
  readonly #machine: Machine;
  readonly #roots: KnownRoots;
  readonly #workflows: WorkflowFolders;
  /** By directory; made on the first call that names it. */
  readonly #workspaces = new Map<string, Workspace>();

  constructor(options: HostOptions, machine: Machine) {
    mkdirSync(options.stateDirectory, { recursive: true, mode: 0o700 });
    this.#allowed = options.roots;
    this.#machine = machine;
    const hidden = [...options.hidden, ...options.roots, options.stateDirectory].map((folder) =>
      realpathOfExisting(resolve(folder)),
    );
    this.confinements = new Confinements(hidden);
    this.#roots = new KnownRoots(options.stateDirectory, options.roots);
    this.#workflows = new WorkflowFolders(options.stateDirectory, options.workflowFolders);
  }

  async open(request: OpenRequest): Promise<Result<OpenAnswer, SupervisorError>> {
    const workflowFolder = this.#workflows.open(request.project, request.workflow);
    const paths = this.#locate(request, workflowFolder);
    if (!paths.ok) return paths;
    const claimed = claimPlace(paths.value, request);
    if (!claimed.ok) return claimed;
    this.#roots.remember(paths.value.root);
    await this.#forgetWiped(paths.value);
    const workspace = this.#workspace(paths.value);
    workspace.prepare();
    const { place } = workspace;
    const inspection = await inspectRepository(place);
    if (inspection.files === 'whole') await rememberTips(place);
    return ok({ mode: this.mode, directory: place.directory, workflow_dir: workflowFolder, ...inspection });
  }

  find(creationId: string, directory: string): Result<Workspace, SupervisorError> {
    const paths = this.#locateDirectory(directory);
    if (!paths.ok) return paths;
    const claim = checkClaim(paths.value.stateDirectory, creationId);
    return claim.ok ? ok(this.#workspace(paths.value)) : claim;
  }

  async destroy(creationId: string, directory: string): Promise<Result<null, SupervisorError>> {
    const paths = this.#locateDirectory(directory);
    if (!paths.ok) return paths;
    const claim = checkClaim(paths.value.stateDirectory, creationId);
    if (!claim.ok) return claim.error.code === 'no_incarnation' ? ok(null) : claim;
    await this.#workspace(paths.value).stopAll('cancelled');
    const removed = await removeWorkspace(paths.value);
    if (removed.ok) this.#workspaces.delete(paths.value.directory);
    return removed;
  }

  async inventory(): Promise<Result<InventoryAnswer, SupervisorError>> {
    const workspaces = this.#roots.list().flatMap(listWorkspaces).slice(0, INVENTORY_LIMIT);
    return ok({
      workspaces: workspaces.map(({ directory, key, stateDirectory }) => {
        const claim = loadClaim(stateDirectory);
        return {
          directory,
          key,
          project: claim?.project ?? null,
          creation_id: claim?.creation_id ?? null,
          claimed_at_ms: claim?.claimed_at_ms ?? null,
        };
      }),
    });
  }

  registerWorkflow({ project, directory, keep }: WorkflowFolder): Result<null, SupervisorError> {
    this.#workflows.register(project, directory, keep);
    return ok(null);
  }

  async resume(): Promise<void> {
    const roots = this.#roots.list();
    for (const paths of roots.flatMap(listWorkspaces)) {
      if (loadClaim(paths.stateDirectory) !== null) this.#workspace(paths);
    }
    for (const root of roots) await emptyTrash(root);
  }

  async shutdown(): Promise<void> {
    await Promise.all([...this.#workspaces.values()].map((workspace) => workspace.stopAll('shutdown')));
  }

  #locate(request: OpenRequest, workflowFolder: string): Result<HostPaths, SupervisorError> {
    const { project, key } = request;
    if (request.directory !== null) return this.#locateDirectory(request.directory);
    const names = { home: this.#machine.home, temporary: tmpdir(), user: this.#machine.user };
    const wanted = expandRoot(request.root, project, workflowFolder, names);
    const free = refuseNested(realpathOfExisting(wanted), this.#allowed);
    if (!free.ok) return free;
    const root = openRoot(wanted, this.#allowed, request.claim ? 'make' : 'find');
    return root.ok ? ok(layOut(root.value, key)) : root;
  }

  /** The root must still be what it was: not a link to somewhere else, and allowed. */
  #locateDirectory(directory: string): Result<HostPaths, SupervisorError> {
    const paths = layOutDirectory(directory);
    if (paths === null) return err({ code: 'path_refused', detail: `${directory} is no workspace's path.` });
    const real = realpathOfExisting(paths.root);
    if (real !== paths.root) return err(diverted(paths.root, real));
    const root = openRoot(paths.root, this.#allowed, 'find');
    if (!root.ok) return root;
    // Absent before the first claim; a link there could name anybody's claim as ours.
    const state = realpathOfExisting(paths.stateDirectory);
    return state === paths.stateDirectory ? ok(paths) : err(diverted(paths.stateDirectory, state));
  }

  /** The claim is new then, and so is everything that follows. */
  async #forgetWiped({ directory }: HostPaths): Promise<void> {
    const known = this.#workspaces.get(directory);
    if (known?.isWiped !== true) return;
    await known.stopAll('cancelled');
    this.#workspaces.delete(directory);
  }

  #workspace(paths: HostPaths): Workspace {
    const known = this.#workspaces.get(paths.directory);
    if (known !== undefined) return known;
    const { directory, stateDirectory } = paths;
    const place = { mode: this.mode, directory, stateDirectory, gitEnv: buildGitEnv(this.#machine) } as const;
    const workspace = new Workspace(place, {
      machine: this.#machine,
      confinements: this.confinements,
      sandboxStartedAt: null,
    });
    this.#workspaces.set(directory, workspace);
    return workspace;
  }
}

const diverted = (path: string, target: string): SupervisorError => ({
  code: 'path_refused',
  detail: `${path} is no folder of its own, it leads to ${target}.`,
});

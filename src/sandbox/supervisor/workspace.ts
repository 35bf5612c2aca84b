/** One workspace's operations: starts each once, and finds them again after a restart of the supervisor. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../../core/result.ts';
import { OperationId, type OperationSpec, type SupervisorError } from '../protocol.ts';
import type { Machine } from './base-environment.ts';
import type { Confinements } from './confinements.ts';
import { EarlyCancels } from './early-cancels.ts';
import { containerName } from './docker.ts';
import { loseNative, startNative } from './native-run.ts';
import { buildEnd, Operation } from './operation.ts';
import { buildRecord, isSameSpec, OperationFolder } from './operation-record.ts';
import { discardIfThere } from './output-pipe.ts';
import type { Place } from './place.ts';
import { PipeSupply } from './pipe-supply.ts';
import { checkStart } from './script-start.ts';
import { ScriptRun, type Surroundings } from './script-run.ts';
import { WorkspaceProcesses } from './workspace-processes.ts';

/** Ended operations whose records are kept: far more than one attempt has. */
const KEPT_RECORDS = 200;

/** What the workspaces of one supervisor share. */
export interface Surface {
  readonly machine: Machine;
  readonly confinements: Confinements;
  /** When the first supervisor of a sandbox started; null where the machine is shared. */
  readonly sandboxStartedAt: number | null;
}

export class Workspace {
  readonly place: Place;
  /** Ways to close the terminals that are open here. */
  readonly terminals = new Set<() => void>();
  readonly #machine: Machine;
  readonly #confinements: Confinements;
  readonly #processes: WorkspaceProcesses;
  readonly #pipes: PipeSupply;
  readonly #earlyCancels: EarlyCancels;
  /** In the order of their start. */
  readonly #operations = new Map<string, Operation>();

  constructor(place: Place, { machine, confinements, sandboxStartedAt }: Surface) {
    this.place = place;
    this.#machine = machine;
    this.#confinements = confinements;
    this.#processes = new WorkspaceProcesses({ stateDirectory: place.stateDirectory, sandboxStartedAt });
    this.#pipes = new PipeSupply(place.stateDirectory);
    this.#earlyCancels = new EarlyCancels(place.stateDirectory);
    mkdirSync(this.#recordsFolder, { recursive: true, mode: 0o700 });
    this.#adoptAll();
  }

  /** Somebody deleted our files under us: what is in memory is of a life that is over. */
  get isWiped(): boolean {
    return !existsSync(this.#recordsFolder);
  }

  get(id: string): Operation | null {
    return this.#operations.get(id) ?? null;
  }

  /** Called when a script is likely to follow soon. */
  prepare(): void {
    void this.#pipes.fill();
  }

  /** Idempotent by id: the same specification again answers the operation that is there. */
  async start(spec: OperationSpec): Promise<Result<Operation, SupervisorError>> {
    const refusal = spec.kind === 'script' ? await checkStart(spec, this.place, this.#confinements) : null;
    // From here to the record nothing is awaited: of starts at the same time one makes the folder.
    const existing = this.#operations.get(spec.id);
    if (existing !== undefined)
      return isSameSpec(existing.record, spec) ? ok(existing) : err(conflict(spec.id));
    const isCancelled = this.#earlyCancels.has(spec.id);
    if (refusal !== null && !isCancelled) return err(refusal);
    // Whoever starts the next one has taken the output of those before.
    for (const earlier of this.#operations.values()) earlier.forgetOutput();
    const operation = this.#register(spec);
    try {
      if (isCancelled) operation.finish(buildEnd(CANCELLED_EARLY, Date.now()));
      else await this.#run(operation, spec);
    } catch (error) {
      // It is recorded, and whoever asks for it waits for its end.
      const reason = error instanceof Error ? error.message : String(error);
      operation.finish(
        buildEnd({ outcome: 'failed', detail: `It could not be started: ${reason}` }, Date.now()),
      );
    }
    this.#prune();
    return ok(operation);
  }

  /** Settles when its processes are gone; what has ended stays as it is. null: it has not started, and never will. */
  async cancel(id: string): Promise<Operation | null> {
    const operation = this.get(id);
    if (operation !== null) await operation.stop('cancelled');
    else if (OperationId.safeParse(id).success) this.#earlyCancels.add(id);
    return operation;
  }

  /** Ends commands that run as the agent, then everything that no running operation owns; answers how many processes that was. */
  async killLeftovers(): Promise<number> {
    const operations = [...this.#operations.values()].filter(({ record }) => record.role === 'agent');
    await stopEach(operations, 'cancelled');
    return (await this.#processes.killLeftovers(this.#running())).killed;
  }

  /** Ends every operation, then everything that is left. */
  async stopAll(cause: 'cancelled' | 'shutdown'): Promise<void> {
    for (const close of this.terminals) close();
    await stopEach([...this.#operations.values()], cause);
    await this.killLeftovers();
  }

  get #recordsFolder(): string {
    return join(this.place.stateDirectory, 'operations');
  }

  #register(spec: OperationSpec): Operation {
    const folder = new OperationFolder(this.place.stateDirectory, spec.id);
    // A folder without a record is from a start that failed before anything ran.
    folder.create();
    const record = buildRecord(spec, Date.now());
    folder.saveRecord(record);
    const operation = new Operation(folder, record);
    this.#operations.set(spec.id, operation);
    return operation;
  }

  async #run(operation: Operation, spec: OperationSpec): Promise<void> {
    const marker = this.#processes.markerOf(spec.id);
    const setting = { operation, place: this.place, machine: this.#machine, marker };
    this.#processes.track(spec.id);
    if (spec.kind === 'script') {
      const launch = this.#confinements.buildLaunch(spec, setting);
      await new ScriptRun(operation, this.#surroundings()).start(launch, spec.script);
    } else {
      startNative(spec, setting, this.#surroundings());
    }
  }

  #surroundings(): Surroundings {
    return {
      pipes: this.#pipes,
      isBusy: ({ record }) => this.#processes.list(record.id).length > 0,
      endContainer: (operation) => this.#endContainer(operation),
      killOperation: async (operation) => {
        await this.#endContainer(operation);
        return (await this.#processes.killOperation(operation.record.id)).left;
      },
      killLeftovers: async ({ record }) => {
        const others = this.#running().filter((id) => id !== record.id);
        return (await this.#processes.killLeftovers(others)).left;
      },
    };
  }

  async #endContainer({ record }: Operation): Promise<void> {
    if (record.confinement?.kind !== 'docker') return;
    await this.#confinements.endContainer(containerName(this.#processes.markerOf(record.id)));
  }

  #running(): string[] {
    return [...this.#operations.values()].flatMap(({ end, record }) => (end === null ? [record.id] : []));
  }

  /** What another supervisor left in the records. */
  #adoptAll(): void {
    const operations = readdirSync(this.#recordsFolder).flatMap((id) => this.#load(id) ?? []);
    operations.sort((a, b) => a.record.started_at_ms - b.record.started_at_ms);
    for (const operation of operations) {
      this.#operations.set(operation.record.id, operation);
      this.#processes.recall(operation.record.id, operation.end !== null);
    }
    for (const operation of operations) this.#adopt(operation);
  }

  #load(id: string): Operation | null {
    const folder = new OperationFolder(this.place.stateDirectory, id);
    const record = folder.loadRecord();
    if (record !== null) return new Operation(folder, record);
    // Killed between the folder and the record: nothing was started, and it may be started again.
    rmSync(folder.path, { recursive: true, force: true });
    return null;
  }

  #adopt(operation: Operation): void {
    if (operation.end !== null) {
      for (const pipe of ['stdout.pipe', 'stderr.pipe']) discardIfThere(operation.folder.file(pipe));
    } else if (operation.record.kind === 'script') {
      new ScriptRun(operation, this.#surroundings()).adopt();
    } else {
      void loseNative(operation, this.#surroundings());
    }
  }

  #prune(): void {
    const ended = [...this.#operations.values()].filter(({ end }) => end !== null);
    for (const { record, folder } of ended.slice(0, Math.max(0, ended.length - KEPT_RECORDS))) {
      this.#operations.delete(record.id);
      rmSync(folder.path, { recursive: true, force: true });
    }
  }
}

const stopEach = (operations: readonly Operation[], cause: 'cancelled' | 'shutdown'): Promise<unknown> =>
  Promise.all(operations.map((operation) => operation.stop(cause)));

const CANCELLED_EARLY = { outcome: 'cancelled', detail: 'It was cancelled before it started.' } as const;

const conflict = (id: string): SupervisorError => ({
  code: 'operation_conflict',
  detail: `Operation ${id} was started with another specification; use another id.`,
});
